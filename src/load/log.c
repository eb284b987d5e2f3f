#include "load/run.h"

void load_log_from(struct load_run *run, enum load_log_source source, enum load_log_level level,
		   const char *text)
{
	if (!run->opts->log)
		return;
	pthread_mutex_lock(&run->lock);
	run->opts->log(run->opts->arg, &(struct load_log_line){ level, source, text });
	pthread_mutex_unlock(&run->lock);
}

void load_log(struct load_run *run, enum load_log_level level, const char *fmt, ...)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	load_log_from(run, LOAD_LOG_ENGINE, level, strbuf_cstr(&text));
}

enum load_stop load_run_stop(const struct load_run *run)
{
	return run->opts->stop ? (enum load_stop)atomic_load(run->opts->stop) : LOAD_STOP_NONE;
}

void load_run_end(struct load_run *run, enum load_end_reason reason, const char *message)
{
	pthread_mutex_lock(&run->lock);
	if (!run->end_reason) {
		run->end_reason = reason;
		strbuf_addstr(&run->end_message, message);
		atomic_store(&run->ending, true);
	}
	pthread_mutex_unlock(&run->lock);
}
