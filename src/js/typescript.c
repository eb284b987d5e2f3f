#include "js/typescript.h"

#include <errno.h>
#include <pthread.h>

#include "js/error.h"
#include "js/sucrase.js.h"
#include "js/value.h"
#include "os/clock.h"

#define STACK_BYTES  ((size_t)64 * 1024 * 1024) /* of address space */
#define MEMORY_BYTES ((size_t)512 * 1024 * 1024)
#define TIME_NS	     (20 * NS_PER_S)

struct job {
	const char *name;
	struct strbuf *source;
	struct error *reterr;
	uint64_t deadline_ns;
	int result;
};

bool js_typescript_is(const char *name)
{
	struct str s = str_from(name);

	return str_ends_with(s, STR(".ts")) || str_ends_with(s, STR(".mts")) ||
	       str_ends_with(s, STR(".cts"));
}

static int on_interrupt(JSRuntime *rt UNUSED, void *arg)
{
	const struct job *job = arg;

	return clock_now_ns() > job->deadline_ns;
}

/* sucrase puts " (line:column)" at the end of its messages: it goes to where places are told. */
static void take_place(char *message, char *place, size_t size)
{
	char *open = strrchr(message, '(');
	unsigned line, column;
	int end = 0;

	if (!open || open == message || sscanf(open, "(%u:%u)%n", &line, &column, &end) != 2 ||
	    open[end])
		return;
	snprintf(place, size, ":%u:%u", line, column);
	open[-1] = '\0';
}

static int report(struct job *job, JSContext *ctx)
{
	struct js_error e = JS_ERROR_INIT;
	int r = clock_now_ns() > job->deadline_ns ? -ETIMEDOUT : -EINVAL;
	char place[32] = "";

	js_error_take(ctx, &e);
	if (e.out_of_memory)
		r = -ENOMEM;
	else if (r == -EINVAL)
		take_place(e.message, place, sizeof(place));
	error_set(job->reterr, r, "%s%s: %s", job->name, place,
		  r == -ETIMEDOUT ? "taking the types off took too long"
		  : r == -ENOMEM  ? "taking the types off took too much memory"
				  : e.message);
	js_error_release(&e);
	return r;
}

/* sucrase.transform(source, {transforms: ["typescript"], ...}).code */
static JSValue transform(JSContext *ctx, const struct job *job)
{
	static const char call[] =
		"source => sucrase.transform(source, {transforms: ['typescript'],"
		" disableESTransforms: true, preserveDynamicImport: true}).code";
	JSValue library = JS_Eval(ctx, sucrase, sizeof(sucrase) - 1, "sucrase.js", 0);
	JSValue fn, source, code;

	if (JS_IsException(library))
		return library;
	JS_FreeValue(ctx, library);
	fn = JS_Eval(ctx, call, sizeof(call) - 1, "strip", 0);
	source = js_new_str(ctx, strbuf_str(job->source));
	code = JS_Call(ctx, fn, JS_UNDEFINED, 1, (JSValueConst *)&source);
	JS_FreeValue(ctx, source);
	JS_FreeValue(ctx, fn);
	return code;
}

static int strip(struct job *job, JSContext *ctx)
{
	struct strbuf out = STRBUF_INIT;
	JSValue code = transform(ctx, job);
	int r = 0;

	if (JS_IsException(code) || js_to_str(ctx, code, &out) < 0)
		r = report(job, ctx);
	JS_FreeValue(ctx, code);
	if (r < 0) {
		strbuf_release(&out);
		return r;
	}
	strbuf_release(job->source);
	*job->source = out;
	return 0;
}

static void *run(void *arg)
{
	struct job *job = arg;
	JSRuntime *rt = JS_NewRuntime();
	JSContext *ctx = rt ? JS_NewContext(rt) : NULL;

	job->result =
		error_set(job->reterr, -ENOMEM, "%s: no memory to take the types off", job->name);
	if (ctx) {
		JS_SetMemoryLimit(rt, MEMORY_BYTES);
		JS_SetMaxStackSize(rt, STACK_BYTES / 2);
		JS_SetInterruptHandler(rt, on_interrupt, job);
		*job->reterr = (struct error)ERROR_INIT;
		job->result = strip(job, ctx);
		JS_FreeContext(ctx);
	}
	if (rt)
		JS_FreeRuntime(rt);
	return NULL;
}

int js_typescript_strip(const char *name, struct strbuf *source, struct error *reterr)
{
	struct error err = ERROR_INIT;
	struct job job = { name, source, reterr ? reterr : &err, clock_now_ns() + TIME_NS, 0 };
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = -pthread_create(&thread, &attr, run, &job);
	pthread_attr_destroy(&attr);
	if (r < 0)
		return error_errno(reterr, r, "starting a thread to take the types off %s", name);
	pthread_join(thread, NULL);
	return job.result;
}
