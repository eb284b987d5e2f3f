/*
 * Script code on the calling thread: init for the options, setup(), teardown(), handleSummary().
 */
#include "load/phase.h"

#include <errno.h>
#include <stdlib.h>

#include "js/value.h"
#include "load/control.h"
#include "load/runner.h"
#include "load/sample.h"

#define TURN_NS (50 * NS_PER_MS)

/* ---- the outcome ---- */

void load_phase_fail(struct load_control *c, enum load_exit code, const char *reason)
{
	struct load_result *r = c->result;

	if (r->exit_code)
		return;
	r->exit_code = (int)code;
	r->reason = xstrdup(reason);
}

/* A phase's script code threw: told in the log, as k6 does, and in the result. */
static void fail_script(struct load_control *c, const struct load_vu *vu, const char *phase)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	char *reason;

	if (vu->phase == LOAD_VU_INIT && c->run->end_reason == LOAD_END_ABORT) {
		load_phase_fail(c, LOAD_EXIT_ABORTED, strbuf_cstr(&c->run->end_message));
		return;
	}
	reason = xasprintf("%s failed", phase);
	if (vu->error.message) {
		js_error_fmt(&vu->error, &text);
		load_log(c->run, LOAD_LOG_ERROR, "%s", strbuf_cstr(&text));
	}
	load_phase_fail(c, LOAD_EXIT_SCRIPT, reason);
	free(reason);
}

/* Which phase, for how long at most, and what it means when that is not enough. */
struct limit {
	const char *what, *name;
	uint64_t ns;
	enum load_exit code;
};

static const struct limit init_limit = { "the script's init code", LOAD_INIT_LIMIT_TEXT,
					 LOAD_INIT_LIMIT_NS, LOAD_EXIT_TIMEOUT };

static void fail_interrupted(struct load_control *c, const struct load_vu *vu,
			     const struct limit *l)
{
	char *reason;

	if (load_vu_unwanted(vu)) {
		load_phase_fail(c, LOAD_EXIT_SIGNAL, "stopped by a signal");
		return;
	}
	if (atomic_load(&c->run->ending))
		return;
	reason = xasprintf("%s took longer than %s", l->what, l->name);
	load_phase_fail(c, l->code, reason);
	free(reason);
}

static bool went_well(struct load_control *c, const struct load_vu *vu, enum load_vu_end end,
		      const struct limit *l)
{
	if (end == LOAD_VU_THREW)
		fail_script(c, vu, l->what);
	else if (end == LOAD_VU_INTERRUPTED)
		fail_interrupted(c, vu, l);
	return end == LOAD_VU_OK;
}

/* ---- script code on this thread ---- */

static void mark_done(struct load_vu *vu, enum load_vu_end end UNUSED)
{
	vu->finished = true;
}

static bool hard_stop(const struct load_control *c)
{
	return load_run_stop(c->run) == LOAD_STOP_NOW;
}

static enum load_vu_end wait_for(struct load_control *c, struct load_vu *vu)
{
	while (!vu->finished) {
		load_control_turn(c, TURN_NS);
		if (load_vu_unwanted(vu))
			load_vu_abort(vu);
	}
	vu->finished = false;
	return vu->end;
}

/* A VU on this thread that has run the init code; NULL when that failed, which is told. */
static struct load_vu *own_vu(struct load_control *c, const char *phase, enum load_stop unwanted_at)
{
	struct error err = ERROR_INIT;
	struct load_vu *vu = NULL;

	c->phase = phase;
	if (load_vu_new(&vu, c->run->control, 0, &err) < 0) {
		load_log(c->run, LOAD_LOG_ERROR, "%s", err.msg);
		load_phase_fail(c, LOAD_EXIT_SCRIPT, err.msg);
		return NULL;
	}
	vu->unwanted_at = unwanted_at;
	load_vu_import(vu, mark_done);
	if (went_well(c, vu, wait_for(c, vu), &init_limit))
		return vu;
	load_vu_free(vu);
	return NULL;
}

struct load_vu *load_phase_init(struct load_control *c)
{
	return own_vu(c, "init", LOAD_STOP_GRACEFUL);
}

bool load_phase_do(struct load_control *c, struct load_vu *vu, load_vu_action_fn *action, void *arg,
		   const char *what)
{
	const struct limit l = { what, LOAD_INIT_LIMIT_TEXT, LOAD_INIT_LIMIT_NS,
				 LOAD_EXIT_TIMEOUT };

	load_vu_do(vu, action, arg, l.ns, mark_done);
	return went_well(c, vu, wait_for(c, vu), &l);
}

/* ---- setup(), teardown(), handleSummary() ---- */

static void group_tag(struct load_vu *vu, const char *name)
{
	strbuf_addstr(&vu->group, "::");
	strbuf_addstr(&vu->group, name);
	if (load_system_tag(vu, LOAD_TAG_GROUP))
		vu->tags = load_vu_tags_with(vu, vu->tags, STR("group"), strbuf_str(&vu->group));
}

/* A Date's text as Go writes it: no fraction when it is zero, no zeros at its end. */
static JSValue go_date(JSContext *ctx, JSValueConst date)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (js_to_str(ctx, date, &text) < 0)
		return JS_EXCEPTION;
	if (text.len && text.ptr[text.len - 1] == 'Z') {
		size_t end = text.len - 1;

		while (end && text.ptr[end - 1] == '0' && strchr(text.ptr, '.'))
			end--;
		if (end && text.ptr[end - 1] == '.')
			end--;
		strbuf_truncate(&text, end);
		strbuf_addch(&text, 'Z');
	}
	return js_new_str(ctx, strbuf_str(&text));
}

/*
 * JSON.stringify()'s replacer for what setup() returns: k6 passes it through Go, where undefined
 * becomes null and dates are written in another way. Functions cannot be passed.
 */
static JSValue export_value(JSContext *ctx, JSValueConst this, int argc UNUSED, JSValueConst *argv)
{
	JSValue original, result;
	JSAtom key;

	if (JS_IsUndefined(argv[1]))
		return JS_NULL;
	if (JS_IsFunction(ctx, argv[1]))
		return JS_ThrowTypeError(ctx, "setup() returned a function, which cannot be passed "
					      "on to the iterations");
	if (!JS_IsString(argv[1]))
		return JS_DupValue(ctx, argv[1]);
	key = JS_ValueToAtom(ctx, argv[0]);
	original = JS_GetProperty(ctx, this, key);
	JS_FreeAtom(ctx, key);
	result = JS_IsObject(original) ? go_date(ctx, argv[1]) : JS_DupValue(ctx, argv[1]);
	JS_FreeValue(ctx, original);
	return result;
}

static int write_result(struct load_vu *vu, void *arg)
{
	JSContext *ctx = js_vm_context(vu->vm);
	JSValue replacer, text;
	int r = -1;

	if (JS_IsUndefined(vu->result))
		return 0;
	replacer = JS_NewCFunction(ctx, export_value, "export", 2);
	text = JS_JSONStringify(ctx, vu->result, replacer, JS_UNDEFINED);
	JS_FreeValue(ctx, replacer);
	if (!JS_IsException(text))
		r = JS_IsString(text) ? js_to_str(ctx, text, arg) : 0;
	JS_FreeValue(ctx, text);
	if (r >= 0)
		return 0;
	js_error_take(ctx, &vu->error);
	return -EINVAL;
}

static struct load_vu *phase_vu(struct load_control *c, enum load_vu_phase phase, const char *name,
				enum load_stop unwanted_at)
{
	struct load_vu *vu = own_vu(c, name, unwanted_at);

	if (!vu)
		return NULL;
	vu->phase = phase;
	group_tag(vu, name);
	return vu;
}

bool load_phase_setup(struct load_control *c)
{
	struct load_run *run = c->run;
	const struct limit l = { "setup()", "setupTimeout", run->plan->setup_timeout_ns,
				 LOAD_EXIT_SETUP_TIMEOUT };
	struct load_vu *vu;
	enum load_vu_end end;

	if (!c->has_setup)
		return true;
	vu = phase_vu(c, LOAD_VU_SETUP, "setup", LOAD_STOP_GRACEFUL);
	if (!vu)
		return false;
	load_vu_call(vu, "setup", l.ns, mark_done);
	end = wait_for(c, vu);
	if (end == LOAD_VU_OK) {
		load_vu_do(vu, write_result, &run->setup_data, l.ns, mark_done);
		end = wait_for(c, vu);
	}
	went_well(c, vu, end, &l);
	load_vu_free(vu);
	load_control_merge_own(c);
	return end == LOAD_VU_OK;
}

void load_phase_teardown(struct load_control *c)
{
	const struct limit l = { "teardown()", "teardownTimeout", c->run->plan->teardown_timeout_ns,
				 LOAD_EXIT_TEARDOWN_TIMEOUT };
	struct load_vu *vu;

	if (!c->has_teardown || hard_stop(c))
		return;
	vu = phase_vu(c, LOAD_VU_TEARDOWN, "teardown", LOAD_STOP_NOW);
	if (!vu)
		return;
	load_vu_call(vu, "teardown", l.ns, mark_done);
	went_well(c, vu, wait_for(c, vu), &l);
	load_vu_free(vu);
	load_control_merge_own(c);
}

static int parse_summary(struct load_vu *vu, void *arg)
{
	JSContext *ctx = js_vm_context(vu->vm);
	const struct strbuf *text = arg;

	vu->data = js_json_parse(ctx, strbuf_str(text), "summary data");
	vu->has_data = true;
	if (!JS_IsException(vu->data))
		return 0;
	vu->data = JS_UNDEFINED;
	js_error_take(ctx, &vu->error);
	return -EINVAL;
}

static int add_file(JSContext *ctx, struct str key, JSValueConst value, void *arg)
{
	struct load_result *r = arg;
	struct load_file f = { .path = str_dup(key) };
	uint8_t *bytes;
	size_t len;

	if (JS_IsString(value)) {
		if (js_to_str(ctx, value, &f.content) < 0)
			JS_FreeValue(ctx, JS_GetException(ctx));
	} else if ((bytes = JS_GetArrayBuffer(ctx, &len, value))) {
		strbuf_add(&f.content, bytes, len);
	} else {
		JS_FreeValue(ctx, JS_GetException(ctx));
		js_throw(ctx,
			 "handleSummary(): what is to be written to '%s' is no text and no "
			 "ArrayBuffer",
			 f.path);
		free(f.path);
		return -1;
	}
	vec_push(&r->files, f);
	return 0;
}

static void forget_files(struct load_result *r)
{
	vec_for_each (&r->files, f) {
		free(f->path);
		strbuf_release(&f->content);
	}
	vec_clear(&r->files);
}

static int take_files(struct load_vu *vu, void *arg)
{
	JSContext *ctx = js_vm_context(vu->vm);

	if (JS_IsUndefined(vu->result) || JS_IsNull(vu->result))
		return 0;
	if (!JS_IsObject(vu->result))
		js_throw(ctx, "handleSummary() is to return an object of names and texts");
	else if (js_each(ctx, vu->result, add_file, arg) >= 0)
		return 0;
	js_error_take(ctx, &vu->error);
	forget_files(arg);
	return -EINVAL;
}

static enum load_vu_end call_summary(struct load_control *c, struct load_vu *vu,
				     struct strbuf *data)
{
	uint64_t limit_ns = c->run->plan->handle_summary_timeout_ns;
	enum load_vu_end end;

	load_vu_do(vu, parse_summary, data, limit_ns, mark_done);
	end = wait_for(c, vu);
	if (end == LOAD_VU_OK) {
		load_vu_call(vu, "handleSummary", limit_ns, mark_done);
		end = wait_for(c, vu);
	}
	if (end == LOAD_VU_OK) {
		load_vu_do(vu, take_files, c->result, limit_ns, mark_done);
		end = wait_for(c, vu);
	}
	return end;
}

/* What it throws is told and the ordinary summary printed: the run's outcome does not change. */
void load_phase_summary(struct load_control *c)
{
	CLEANUP(strbuf_release) struct strbuf data = STRBUF_INIT;
	enum load_stop before = load_run_stop(c->run);
	enum load_vu_end end;
	struct load_vu *vu;

	if (!c->has_handle_summary || before == LOAD_STOP_NOW)
		return;
	load_summary_fmt_data(c->result->summary, &data);
	vu = own_vu(c, "summary", before ? LOAD_STOP_NOW : LOAD_STOP_GRACEFUL);
	if (!vu)
		return;
	vu->phase = LOAD_VU_SUMMARY;
	end = call_summary(c, vu, &data);
	if (end == LOAD_VU_THREW)
		load_vu_log_error(vu);
	else if (end == LOAD_VU_INTERRUPTED && load_vu_unwanted(vu))
		load_phase_fail(c, LOAD_EXIT_SIGNAL, "stopped by a signal");
	else if (end == LOAD_VU_INTERRUPTED)
		load_log(c->run, LOAD_LOG_ERROR,
			 "handleSummary() took longer than handleSummaryTimeout");
	load_vu_free(vu);
}
