/* The module "k6/execution": where a VU is in the run, its tags, and ending the run. */
#include "js/value.h"
#include "load/k6/modules.h"
#include "load/runner.h"
#include "load/sample.h"

#define METHOD(name, length, fn)                                                                   \
	{                                                                                          \
		name, JS_PROP_C_W_E, JS_DEF_CFUNC, 0,                                              \
			.u = {.func = { length, JS_CFUNC_generic, { .generic = fn } } }            \
	}

#define GETTER(name, fn)                                                                           \
	{                                                                                          \
		name, JS_PROP_CONFIGURABLE | JS_PROP_ENUMERABLE, JS_DEF_CGETSET, 0,                \
			.u = {.getset = { .get = { .getter = fn }, .set = { .setter = NULL } } }   \
	}

static JSValue number(JSContext *ctx, uint64_t n)
{
	return JS_NewInt64(ctx, (int64_t)n);
}

/* ---- scenario ---- */

/* The slot of the running iteration; NULL with an exception outside of one. */
static struct load_slot *slot_of(JSContext *ctx, const char *what)
{
	struct load_vu *vu = load_vu_of(ctx);

	if (vu->slot && vu->phase == LOAD_VU_RUN)
		return vu->slot;
	js_throw(ctx, "getting %s information outside of an iteration is not supported", what);
	return NULL;
}

static JSValue scenario_name(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_slot *s = slot_of(ctx, "scenario");

	return s ? JS_NewString(ctx, s->runner->scenario->name) : JS_EXCEPTION;
}

static JSValue scenario_executor(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_slot *s = slot_of(ctx, "scenario");

	return s ? JS_NewString(ctx, load_executor_name(s->runner->scenario->executor))
		 : JS_EXCEPTION;
}

/* ms since 1970 */
static JSValue scenario_start(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_slot *s = slot_of(ctx, "scenario");
	int64_t wall_ns;

	if (!s)
		return JS_EXCEPTION;
	wall_ns = (int64_t)s->runner->start_ns + s->runner->worker->run->wall_anchor_ns;
	return JS_NewInt64(ctx, wall_ns / 1000000);
}

static JSValue scenario_progress(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_slot *s = slot_of(ctx, "scenario");
	const struct load_scenario *sc;
	double done, whole;

	if (!s)
		return JS_EXCEPTION;
	sc = s->runner->scenario;
	if (sc->executor == LOAD_SHARED_ITERATIONS) {
		done = (double)atomic_load(&s->runner->state->taken) - 1;
		whole = (double)sc->iterations;
	} else if (sc->executor == LOAD_PER_VU_ITERATIONS) {
		done = (double)s->counted - 1;
		whole = (double)sc->iterations;
	} else {
		done = (double)(net_loop_now_ns() - s->runner->start_ns);
		whole = (double)(s->runner->end_ns - s->runner->start_ns);
	}
	if (done < 0)
		done = 0;
	return JS_NewFloat64(ctx, done < whole ? done / whole : 1);
}

static JSValue scenario_iteration(JSContext *ctx, JSValueConst this UNUSED)
{
	return slot_of(ctx, "scenario") ? number(ctx, load_vu_of(ctx)->iteration_in_test)
					: JS_EXCEPTION;
}

static JSValue scenario_iteration_here(JSContext *ctx, JSValueConst this UNUSED)
{
	return slot_of(ctx, "scenario") ? number(ctx, load_vu_of(ctx)->iteration_in_instance)
					: JS_EXCEPTION;
}

static const JSCFunctionListEntry scenario_fields[] = {
	GETTER("name", scenario_name),
	GETTER("executor", scenario_executor),
	GETTER("startTime", scenario_start),
	GETTER("progress", scenario_progress),
	GETTER("iterationInInstance", scenario_iteration_here),
	GETTER("iterationInTest", scenario_iteration),
};

/* ---- instance ---- */

static bool in_run(JSContext *ctx)
{
	if (load_vu_of(ctx)->phase == LOAD_VU_RUN || load_vu_of(ctx)->phase == LOAD_VU_SETUP)
		return true;
	js_throw(ctx, "getting instance information here is not supported");
	return false;
}

static JSValue instance_duration(JSContext *ctx, JSValueConst this UNUSED)
{
	const struct load_run *run = load_vu_of(ctx)->run;

	if (!in_run(ctx))
		return JS_EXCEPTION;
	return JS_NewFloat64(ctx, run->start_ns && net_loop_now_ns() > run->start_ns
					  ? (double)(net_loop_now_ns() - run->start_ns) / 1e6
					  : 0);
}

static JSValue instance_completed(JSContext *ctx, JSValueConst this UNUSED)
{
	const struct load_run *run = load_vu_of(ctx)->run;
	uint64_t n = 0;

	if (!in_run(ctx))
		return JS_EXCEPTION;
	for (unsigned i = 0; i < run->worker_count && run->workers; i++)
		n += atomic_load_explicit(&run->workers[i]->iterations, memory_order_relaxed);
	return number(ctx, n);
}

static JSValue instance_interrupted(JSContext *ctx, JSValueConst this UNUSED)
{
	const struct load_run *run = load_vu_of(ctx)->run;
	uint64_t n = 0;

	if (!in_run(ctx))
		return JS_EXCEPTION;
	for (unsigned i = 0; i < run->worker_count && run->workers; i++)
		n += atomic_load_explicit(&run->workers[i]->interrupted, memory_order_relaxed);
	return number(ctx, n);
}

static JSValue instance_active(JSContext *ctx, JSValueConst this UNUSED)
{
	return in_run(ctx) ? number(ctx, atomic_load(&load_vu_of(ctx)->run->vus_active))
			   : JS_EXCEPTION;
}

static JSValue instance_vus(JSContext *ctx, JSValueConst this UNUSED)
{
	return in_run(ctx) ? number(ctx, atomic_load(&load_vu_of(ctx)->run->vus)) : JS_EXCEPTION;
}

static const JSCFunctionListEntry instance_fields[] = {
	GETTER("currentTestRunDuration", instance_duration),
	GETTER("iterationsCompleted", instance_completed),
	GETTER("iterationsInterrupted", instance_interrupted),
	GETTER("vusActive", instance_active),
	GETTER("vusInitialized", instance_vus),
};

/* ---- vu ---- */

static JSValue vu_id(JSContext *ctx, JSValueConst this UNUSED)
{
	return number(ctx, load_vu_of(ctx)->id);
}

static JSValue vu_iteration(JSContext *ctx, JSValueConst this UNUSED)
{
	return number(ctx, load_vu_of(ctx)->iteration);
}

static JSValue vu_iteration_in_scenario(JSContext *ctx, JSValueConst this UNUSED)
{
	return slot_of(ctx, "scenario") ? number(ctx, load_vu_of(ctx)->iteration_in_scenario)
					: JS_EXCEPTION;
}

static JSValue vu_tags(JSContext *ctx, JSValueConst this UNUSED)
{
	return JS_NewObjectClass(ctx, LOAD_CLASS_TAGS);
}

static JSValue vu_metadata(JSContext *ctx, JSValueConst this UNUSED)
{
	return JS_NewObjectClass(ctx, LOAD_CLASS_METADATA);
}

static const JSCFunctionListEntry metrics_fields[] = {
	GETTER("tags", vu_tags),
	GETTER("metadata", vu_metadata),
};

static JSValue vu_metrics(JSContext *ctx, JSValueConst this UNUSED)
{
	JSValue o = JS_NewObject(ctx);

	JS_SetPropertyFunctionList(ctx, o, metrics_fields, ARRAY_SIZE(metrics_fields));
	return o;
}

static JSValue vu_id_in_test(JSContext *ctx, JSValueConst this UNUSED)
{
	const struct load_vu *vu = load_vu_of(ctx);

	return number(ctx,
		      vu->id ? load_segment_number(&vu->run->plan->segment, vu->id - 1) + 1 : 0);
}

static const JSCFunctionListEntry vu_fields[] = {
	GETTER("idInInstance", vu_id),
	GETTER("idInTest", vu_id_in_test),
	GETTER("iterationInInstance", vu_iteration),
	GETTER("iterationInScenario", vu_iteration_in_scenario),
	GETTER("tags", vu_tags),
	GETTER("metrics", vu_metrics),
};

/* ---- vu.metrics.tags and .metadata: reading and writing are those of the VU itself ---- */

static bool is_metadata(JSValueConst obj)
{
	return JS_GetClassID(obj) == LOAD_CLASS_METADATA;
}

static int entry_get(JSContext *ctx, JSPropertyDescriptor *desc, JSValueConst obj, JSAtom prop)
{
	const char *name = JS_AtomToCString(ctx, prop);
	struct load_vu *vu = load_vu_of(ctx);
	struct str value;

	if (!name)
		return -1;
	value = is_metadata(obj) ? pairs_get(vu->metadata, str_from(name))
				 : load_tags_get(vu->tags, str_from(name));
	JS_FreeCString(ctx, name);
	if (!value.ptr)
		return 0;
	if (!desc)
		return 1;
	*desc = (JSPropertyDescriptor){
		.flags = JS_PROP_C_W_E,
		.value = js_new_str(ctx, value),
		.getter = JS_UNDEFINED,
		.setter = JS_UNDEFINED,
	};
	return 1;
}

static int entry_names(JSContext *ctx, JSPropertyEnum **ret, uint32_t *ret_len, JSValueConst obj)
{
	const struct load_vu *vu = load_vu_of(ctx);
	bool metadata = is_metadata(obj);
	uint32_t n = !metadata ? vu->tags->len : vu->metadata ? vu->metadata->len : 0;
	JSPropertyEnum *names = js_malloc(ctx, sizeof(*names) * (n + 1));

	if (!names)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct str key = metadata ? vu->metadata->list[i].key : vu->tags->list[i].key;

		names[i].is_enumerable = 1;
		names[i].atom = JS_NewAtomLen(ctx, key.ptr, key.len);
	}
	*ret = names;
	*ret_len = n;
	return 0;
}

static void set_metadata(struct load_vu *vu, struct pairs *now)
{
	pairs_release(vu->metadata);
	vu->metadata = now;
}

static int entry_set(JSContext *ctx, JSValueConst obj, JSAtom prop, JSValueConst val,
		     JSValueConst getter UNUSED, JSValueConst setter UNUSED, int flags UNUSED)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);
	const char *name;

	if (JS_IsObject(val) || JS_IsNull(val) || JS_IsUndefined(val)) {
		JS_ThrowTypeError(ctx, "the value of %s is a text, a number or a boolean",
				  is_metadata(obj) ? "metadata" : "a tag");
		return -1;
	}
	name = JS_AtomToCString(ctx, prop);
	if (!name || js_to_str(ctx, val, &text) < 0) {
		JS_FreeCString(ctx, name);
		return -1;
	}
	if (is_metadata(obj))
		set_metadata(vu, pairs_with(vu->metadata, str_from(name), strbuf_str(&text)));
	else
		vu->tags = load_vu_tags_with(vu, vu->tags, str_from(name), strbuf_str(&text));
	JS_FreeCString(ctx, name);
	return 1;
}

static int entry_delete(JSContext *ctx, JSValueConst obj, JSAtom prop)
{
	struct load_vu *vu = load_vu_of(ctx);
	const char *name = JS_AtomToCString(ctx, prop);

	if (!name)
		return -1;
	if (is_metadata(obj))
		set_metadata(vu, pairs_without(vu->metadata, str_from(name)));
	else
		vu->tags = load_tags_without(vu->worker->tags, vu->tags, str_from(name));
	JS_FreeCString(ctx, name);
	return 1;
}

static JSClassExoticMethods entries_exotic = {
	.get_own_property = entry_get,
	.get_own_property_names = entry_names,
	.define_own_property = entry_set,
	.delete_property = entry_delete,
};

const struct js_class load_exec_class = {
	.id = LOAD_CLASS_TAGS,
	.def = { .class_name = "Tags", .exotic = &entries_exotic },
};

const struct js_class load_metadata_class = {
	.id = LOAD_CLASS_METADATA,
	.def = { .class_name = "Metadata", .exotic = &entries_exotic },
};

/* ---- test ---- */

static JSValue test_abort(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);

	strbuf_addstr(&text, "test aborted");
	if (argc > 0 && !JS_IsUndefined(argv[0])) {
		strbuf_addstr(&text, ": ");
		if (js_to_str(ctx, argv[0], &text) < 0)
			return JS_EXCEPTION;
	}
	load_run_end(vu->run, LOAD_END_ABORT, strbuf_cstr(&text));
	if (vu->phase == LOAD_VU_INIT)
		return js_throw(ctx, "%s", strbuf_cstr(&text));
	vu->ended_run = true;
	js_vm_abort(vu->vm);
	return js_vm_throw_aborted(ctx);
}

static JSValue test_fail(JSContext *ctx, JSValueConst this UNUSED, int argc, JSValueConst *argv)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct load_vu *vu = load_vu_of(ctx);

	if (argc > 0 && js_to_str(ctx, argv[0], &text) < 0)
		return JS_EXCEPTION;
	atomic_store(&vu->run->marked_failed, true);
	load_log(vu->run, LOAD_LOG_ERROR, "%s", strbuf_cstr(&text));
	return JS_UNDEFINED;
}

static JSValue test_options(JSContext *ctx, JSValueConst this UNUSED)
{
	struct load_run *run = load_vu_of(ctx)->run;

	if (!run->options_json.len)
		return js_throw(ctx, "test.options is not known in the init context");
	return js_json_parse(ctx, strbuf_str(&run->options_json), "options");
}

static const JSCFunctionListEntry test_fields[] = {
	METHOD("abort", 1, test_abort),
	METHOD("fail", 1, test_fail),
	GETTER("options", test_options),
};

static int init(JSContext *ctx, JSValueConst exports)
{
	static const struct {
		const char *name;
		const JSCFunctionListEntry *fields;
		int count;
	} parts[] = {
		{ "scenario", scenario_fields, ARRAY_SIZE(scenario_fields) },
		{ "instance", instance_fields, ARRAY_SIZE(instance_fields) },
		{ "vu", vu_fields, ARRAY_SIZE(vu_fields) },
		{ "test", test_fields, ARRAY_SIZE(test_fields) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		JSValue o = JS_NewObject(ctx);

		JS_SetPropertyFunctionList(ctx, o, parts[i].fields, parts[i].count);
		if (js_set(ctx, exports, parts[i].name, o) < 0)
			return -1;
	}
	return 0;
}

static const char *const names[] = { "scenario", "instance", "vu", "test", NULL };

const struct js_native_module load_k6_execution = {
	.name = "k6/execution",
	.names = names,
	.init = init,
};
