/*
 * engine.c - QuickJS and the accessors js/engine.h declares, compiled as one unit because they need
 * fields of JSRuntime for which the engine has no public functions. The engine's source is taken as
 * it is (tools/quickjs fetches it); nothing in it is patched. The alternative, finding the offset
 * of the frame pointer at start by comparing snapshots of the runtime, works with a stock library
 * but breaks silently with the next version; this file breaks at compile time.
 */
#include "quickjs.c"

#include "js/engine.h"

_Static_assert(JS_CLASS_INIT_COUNT <= JS_CLASS_USER, "JS_CLASS_USER collides with engine classes");

void js_engine_stack_save(JSRuntime *rt, struct js_engine_stack *ret)
{
	ret->frame = rt->current_stack_frame;
	ret->limit = rt->stack_limit;
}

void js_engine_stack_set(JSRuntime *rt, const struct js_engine_stack *stack)
{
	rt->current_stack_frame = stack->frame;
	rt->stack_limit = stack->limit;
}

static JSJobEntry *first_job_of(JSContext *ctx)
{
	struct list_head *el;

	list_for_each (el, &ctx->rt->job_list) {
		JSJobEntry *job = list_entry(el, JSJobEntry, link);

		if (job->ctx == ctx)
			return job;
	}
	return NULL;
}

bool js_engine_job_pending(JSContext *ctx)
{
	return first_job_of(ctx) != NULL;
}

int js_engine_job_run(JSContext *ctx)
{
	JSJobEntry *job = first_job_of(ctx);
	JSContext *ran;

	if (!job)
		return 0;
	list_del(&job->link);
	list_add(&job->link, &ctx->rt->job_list);
	return JS_ExecutePendingJob(ctx->rt, &ran);
}

unsigned js_engine_job_purge(JSContext *ctx)
{
	JSJobEntry *job;
	unsigned count = 0;

	/* freeing an argument may run a finalizer: take the job off the queue first, search anew */
	while ((job = first_job_of(ctx))) {
		list_del(&job->link);
		for (int i = 0; i < job->argc; i++)
			JS_FreeValue(ctx, job->argv[i]);
		js_free(ctx, job);
		count++;
	}
	return count;
}

size_t js_engine_bytes(JSRuntime *rt)
{
	return rt->malloc_state.malloc_size;
}

#define GRACE_COUNT	    64
#define GRACE_REQUEST_BYTES 4096
#define RESERVE_BYTES	    ((size_t)1024 * 1024)

#define BUDGET_PIECE_BYTES ((size_t)1024 * 1024)

static size_t ceiling(const struct js_engine_memory *memory)
{
	size_t limit = memory->limit_bytes ? memory->limit_bytes : SIZE_MAX;

	if (memory->off)
		return SIZE_MAX;
	return memory->budget && memory->taken_bytes < limit ? memory->taken_bytes : limit;
}

/* Takes as many pieces out of the budget as `after` bytes need; false when it has not as many. */
static bool take(struct js_engine_memory *memory, size_t after)
{
	size_t pieces, left;

	if (!memory->budget || (memory->limit_bytes && after > memory->limit_bytes))
		return false;
	pieces = (after - memory->taken_bytes + BUDGET_PIECE_BYTES - 1) / BUDGET_PIECE_BYTES;
	left = atomic_load_explicit(&memory->budget->left_bytes, memory_order_relaxed);
	do
		if (left / BUDGET_PIECE_BYTES < pieces)
			return false;
	while (!atomic_compare_exchange_weak_explicit(&memory->budget->left_bytes, &left,
						      left - pieces * BUDGET_PIECE_BYTES,
						      memory_order_relaxed, memory_order_relaxed));
	memory->taken_bytes += pieces * BUDGET_PIECE_BYTES;
	return true;
}

void js_engine_give_back(struct js_engine_memory *memory, size_t in_use_bytes)
{
	size_t spare, pieces;

	if (!memory->budget || memory->taken_bytes <= in_use_bytes)
		return;
	spare = memory->taken_bytes - in_use_bytes;
	pieces = spare / BUDGET_PIECE_BYTES;
	/* one stays, or the next allocation would take it again */
	if (in_use_bytes && pieces)
		pieces--;
	memory->taken_bytes -= pieces * BUDGET_PIECE_BYTES;
	atomic_fetch_add_explicit(&memory->budget->left_bytes, pieces * BUDGET_PIECE_BYTES,
				  memory_order_relaxed);
}

static bool fits(struct js_engine_memory *memory, size_t after)
{
	return after <= ceiling(memory) || take(memory, after);
}

bool js_engine_has_room(JSRuntime *rt, size_t growth)
{
	return fits(rt->malloc_state.opaque, rt->malloc_state.malloc_size + growth);
}

size_t js_engine_most_bytes(JSRuntime *rt)
{
	const struct js_engine_memory *memory = rt->malloc_state.opaque;
	size_t most = memory->limit_bytes ? memory->limit_bytes : SIZE_MAX, shared;

	if (!memory->budget)
		return most;
	shared = memory->taken_bytes +
		 atomic_load_explicit(&memory->budget->left_bytes, memory_order_relaxed);
	return shared < most ? shared : most;
}

static bool refuse(JSMallocState *state, size_t growth)
{
	struct js_engine_memory *memory = state->opaque;
	size_t after = state->malloc_size + growth;

	if (fits(memory, after))
		return false;
	if (memory->grace && growth <= GRACE_REQUEST_BYTES &&
	    after <= ceiling(memory) + RESERVE_BYTES) {
		memory->grace--;
		return false;
	}
	memory->grace = GRACE_COUNT;
	memory->refusals++;
	memory->budget_was_short = !memory->limit_bytes || after <= memory->limit_bytes;
	return true;
}

static void *limited_malloc(JSMallocState *state, size_t bytes)
{
	return refuse(state, bytes) ? NULL : js_def_malloc(state, bytes);
}

static void *limited_realloc(JSMallocState *state, void *old, size_t bytes)
{
	size_t had = js_def_malloc_usable_size(old);

	if (bytes > had && refuse(state, bytes - had))
		return NULL;
	return js_def_realloc(state, old, bytes);
}

JSRuntime *js_engine_new(struct js_engine_memory *memory)
{
	static const JSMallocFunctions functions = {
		limited_malloc,
		js_def_free,
		limited_realloc,
		js_def_malloc_usable_size,
	};

	return JS_NewRuntime2(&functions, memory);
}

bool js_engine_module_threw(JSContext *ctx, JSValueConst v)
{
	struct list_head *el;

	list_for_each (el, &ctx->loaded_modules) {
		JSModuleDef *m = list_entry(el, JSModuleDef, link);

		if (m->eval_has_exception && JS_SameValue(ctx, m->eval_exception, v))
			return true;
	}
	return false;
}

int js_engine_freeze(JSContext *ctx, JSValueConst v)
{
	JSValue frozen = js_object_seal(ctx, JS_UNDEFINED, 1, &v, 1);

	JS_FreeValue(ctx, frozen);
	return JS_IsException(frozen) ? -1 : 0;
}

bool js_engine_bytes_of(JSValueConst v, uint8_t **ret, size_t *ret_len, int *ret_kind)
{
	const JSObject *p = JS_IsObject(v) ? JS_VALUE_GET_OBJ(v) : NULL;
	const JSTypedArray *view;
	const JSArrayBuffer *buffer;

	if (!p)
		return false;
	if (p->class_id == JS_CLASS_ARRAY_BUFFER || p->class_id == JS_CLASS_SHARED_ARRAY_BUFFER) {
		buffer = p->u.array_buffer;
		*ret_kind = JS_ENGINE_BUFFER;
		*ret = buffer->data;
		*ret_len = (size_t)buffer->byte_length;
		return !buffer->detached;
	}
	if (p->class_id < JS_CLASS_UINT8C_ARRAY || p->class_id > JS_CLASS_DATAVIEW)
		return false;
	view = p->u.typed_array;
	buffer = view->buffer->u.array_buffer;
	if (buffer->detached)
		return false;
	*ret_kind = p->class_id == JS_CLASS_DATAVIEW ? JS_ENGINE_DATA_VIEW
						     : p->class_id - JS_CLASS_UINT8C_ARRAY;
	*ret = buffer->data + view->offset;
	*ret_len = view->length;
	return true;
}
