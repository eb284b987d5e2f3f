/* The module "k6/metrics": Counter, Gauge, Rate, Trend. */
#include <math.h>

#include "js/value.h"
#include "load/k6/modules.h"
#include "load/sample.h"

static const struct load_metric *metric_of(JSContext *ctx, JSValueConst this)
{
	return JS_GetOpaque2(ctx, this, LOAD_CLASS_METRIC);
}

/* new Trend(name, isTime) */
static JSValue new_metric(JSContext *ctx, JSValueConst target UNUSED, int argc, JSValueConst *argv,
			  int type)
{
	CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	struct error err = ERROR_INIT;
	struct load_metric def = { .type = (enum load_metric_type)type, .custom = true };
	const struct load_metric *m;
	JSValue o;

	if (vu->phase != LOAD_VU_INIT)
		return js_throw(ctx, "metrics must be declared in the init context");
	if (argc < 1)
		return JS_ThrowTypeError(ctx, "a metric needs a name");
	if (js_to_str(ctx, argv[0], &name) < 0)
		return JS_EXCEPTION;
	if (argc > 1 && JS_ToBool(ctx, argv[1]) > 0)
		def.contains = LOAD_TIME;
	def.name = strbuf_cstr(&name);
	if (load_metrics_register(vu->run->metrics, &def, &m, &err) < 0)
		return js_throw(ctx, "%s", err.msg);
	o = JS_NewObjectClass(ctx, LOAD_CLASS_METRIC);
	if (JS_IsException(o))
		return o;
	/* the registry outlives every context */
	JS_SetOpaque(o, (void *)(uintptr_t)m);
	js_set_str(ctx, o, "name", str_from(m->name));
	return o;
}

/* A bad value is a warning, unless the script wants errors thrown. */
static JSValue refuse_value(JSContext *ctx, struct load_vu *vu, const struct load_metric *m)
{
	if (vu->run->plan && vu->run->plan->throw_errors)
		return JS_ThrowTypeError(ctx, "%s.add() takes a number", m->name);
	load_log(vu->run, LOAD_LOG_WARN, "the metric '%s' was given a value that is no number",
		 m->name);
	return JS_FALSE;
}

static JSValue metric_add(JSContext *ctx, JSValueConst this, int argc, JSValueConst *argv)
{
	const struct load_metric *m = metric_of(ctx, this);
	struct load_vu *vu = load_vu_of(ctx);
	const struct load_tags *tags = vu->tags;
	double value = 0;

	if (!m || load_vu_refuse_in_init(vu, "adding to a metric"))
		return JS_EXCEPTION;
	if (argc < 1 || JS_IsNull(argv[0]) || JS_IsUndefined(argv[0]))
		return refuse_value(ctx, vu, m);
	if (m->type == LOAD_RATE && !JS_IsNumber(argv[0]))
		value = JS_ToBool(ctx, argv[0]) > 0;
	else if (JS_ToFloat64(ctx, &value, argv[0]) < 0)
		return JS_EXCEPTION;
	if (!isfinite(value))
		return refuse_value(ctx, vu, m);
	if (argc > 1 && load_vu_tags_from(vu, argv[1], &tags) < 0)
		return JS_EXCEPTION;
	load_vu_sample_at(vu, m, tags, net_loop_now_ns(), value);
	return JS_TRUE;
}

const struct js_class load_metric_class = {
	.id = LOAD_CLASS_METRIC,
	.def = { .class_name = "Metric" },
};

static const JSCFunctionListEntry methods[] = {
	JS_CFUNC_DEF("add", 2, metric_add),
};

static int init(JSContext *ctx, JSValueConst exports)
{
	static const struct {
		const char *name;
		enum load_metric_type type;
	} kinds[] = {
		{ "Counter", LOAD_COUNTER },
		{ "Gauge", LOAD_GAUGE },
		{ "Rate", LOAD_RATE },
		{ "Trend", LOAD_TREND },
	};
	JSValue proto = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, proto, methods, ARRAY_SIZE(methods));
	JS_SetClassProto(ctx, LOAD_CLASS_METRIC, JS_DupValue(ctx, proto));
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		JSValue f = JS_NewCFunctionMagic(ctx, new_metric, kinds[i].name, 2,
						 JS_CFUNC_constructor_magic, (int)kinds[i].type);

		JS_SetConstructor(ctx, f, proto);
		if (js_set(ctx, exports, kinds[i].name, f) < 0)
			break;
	}
	JS_FreeValue(ctx, proto);
	return JS_HasException(ctx) ? -1 : 0;
}

static const char *const names[] = { "Counter", "Gauge", "Rate", "Trend", NULL };

const struct js_native_module load_k6_metrics = {
	.name = "k6/metrics",
	.names = names,
	.init = init,
};
