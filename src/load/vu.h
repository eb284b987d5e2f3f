/*
 * vu.h - one virtual user: a script VM with its module instances, an HTTP client with its
 * connections, and where it is in the run. It works on its worker's thread; what it does is one of
 * the functions below at a time, each of which runs on a fiber and reports its end by the callback
 * given.
 */
#ifndef ASSAY_LOAD_VU_H
#define ASSAY_LOAD_VU_H

#include "js/vm.h"
#include "load/k6/response.h"
#include "load/run.h"
#include "net/loop.h"

/* Classes of objects that k6's modules make. */
enum {
	LOAD_CLASS_RESPONSE = JS_CLASS_USER,
	LOAD_CLASS_METRIC,
	LOAD_CLASS_SHARED_ARRAY,
	LOAD_CLASS_COOKIE_JAR,
	LOAD_CLASS_STATUSES,
	LOAD_CLASS_URL,
	LOAD_CLASS_TAGS,
	LOAD_CLASS_METADATA,
	LOAD_CLASS_HTML_SELECTION,
	LOAD_CLASS_HTML_ELEMENT,
	LOAD_CLASS_HTML_TAGS,
	LOAD_CLASS_HASHER,
	LOAD_CLASS_FILE,
	LOAD_CLASS_FS_FILE,
	LOAD_CLASS_CSV_PARSER,
	LOAD_CLASS_TEXT_DECODER,
	LOAD_CLASS_CRYPTO_KEY,
	LOAD_CLASS_SOCKET,
	LOAD_CLASS_END,
};

enum load_vu_phase {
	LOAD_VU_INIT,
	LOAD_VU_SETUP,
	LOAD_VU_RUN,
	LOAD_VU_TEARDOWN,
	LOAD_VU_SUMMARY,
};

/* How what a VU did has ended. */
enum load_vu_end {
	LOAD_VU_OK,
	LOAD_VU_THREW,	     /* vu->error tells */
	LOAD_VU_INTERRUPTED, /* aborted from outside */
};

struct load_vu;
struct load_worker;
struct load_shard;
struct load_slot;
struct load_timer;
struct load_wc_job;
struct load_request;
struct load_socket;
struct load_jar;
struct net_client;

/* Which statuses are as expected: http.expectedStatuses(). */
struct load_statuses {
	struct {
		int min, max;
	} ranges[16];
	unsigned len;
	bool off; /* nothing is judged: no expected_response tag, no http_req_failed */
};

/* On the VU's fiber: 0, or as js_vm_call() with vu->error set. */
typedef int load_vu_action_fn(struct load_vu *vu, void *arg);

typedef void load_vu_done_fn(struct load_vu *vu, enum load_vu_end end);

struct load_vu {
	struct load_worker *worker; /* borrowed, as are the two below */
	struct load_shard *shard;
	struct load_run *run;
	struct js_vm *vm;
	struct net_client *client;
	struct load_jar *jar;
	struct load_statuses expected; /* http.setResponseCallback() */
	struct load_timer *timers;     /* setTimeout() and its kin that are set */
	uint32_t timer_ids;
	struct load_wc_job *crypto_jobs; /* of crypto.subtle that are under way */
	struct load_request *requests;	 /* unfinished or not yet freed */
	struct load_socket *sockets;	 /* WebSockets that are not over */
	struct load_request
		*native; /* without a script: what each iteration sends; vm is NULL then */

	unsigned id; /* __VU: 1, 2, …; 0 in the init context, setup and teardown */
	enum load_vu_phase phase;
	load_vu_done_fn *done;
	void *import_arg; /* load_worker_add_vu()'s */
	load_vu_action_fn *action;
	void *action_arg;
	struct js_error error;

	/* the iteration */
	struct load_slot *slot; /* its place in a scenario; NULL = none */
	bool in_iteration;
	uint64_t next_iteration; /* of this VU in the whole run, from 0 */
	uint64_t iteration;	 /* the one it is in */
	uint64_t iteration_in_scenario;
	uint64_t iteration_in_instance;	     /* of the scenario, over all VUs here */
	uint64_t iteration_in_test;	     /* over those of all segments */
	uint64_t start_ns, intended_ns;	     /* intended = start in a closed loop */
	double iteration_ms;		     /* of the last one */
	bool first_request;		     /* none was sent in this iteration yet */
	bool ended_run;			     /* by test.abort(): its iteration counts as complete */
	bool warmup;			     /* what it does is not counted */
	uint64_t bytes_sent, bytes_received; /* since they were last reported */

	/* tags of samples: run, scenario, what the script set, and the group it is in */
	const struct load_tags *tags;
	struct pairs *metadata; /* of samples: what the script set; owned */
	struct strbuf group;	/* "::a::b", empty at the root */

	/* script values */
	JSValue exports;  /* the main module's namespace */
	JSValue data;	  /* what setup() returned; a copy of this VU's own */
	JSValue env;	  /* __ENV */
	JSValue required; /* what require() has loaded, by path */
	bool has_data;
	const struct load_scenario *env_of; /* whose variables are in env; NULL = the run's alone */
	uint64_t random_state;

	/* the call it is in, for the fiber's function */
	const char *exec;
	JSValue result;
	struct net_timer sleep;
	struct net_timer limit; /* aborts a call that takes too long */
	enum load_vu_end end;
	bool finished;		    /* phase.c's: done was called */
	enum load_stop unwanted_at; /* from this order on its work is cut off, in whatever it is */
};

/* The VM's owner; never NULL below a script. */
struct load_vu *load_vu_of(JSContext *ctx);

const struct load_response_atoms *load_vu_response_atoms(const struct load_vu *vu);

/* A VU that has not run the script yet. 0 or -errno. */
int load_vu_new(struct load_vu **ret, struct load_worker *w, unsigned id, struct error *reterr);

/* It must be idle. NULL in, nothing done. */
void load_vu_free(struct load_vu *vu);

/* What the init code may take: k6 has no limit, nor any script that works a need for more. */
#define LOAD_INIT_LIMIT_NS   (300 * NS_PER_S)
#define LOAD_INIT_LIMIT_TEXT "5m"

/* Runs the script's top level: what it exports is then in vu->exports. */
void load_vu_import(struct load_vu *vu, load_vu_done_fn *done);

/* Calls an exported function with vu->data, at most for that long (0 = for ever); the result stays
 * in vu->result. */
void load_vu_call(struct load_vu *vu, const char *function, uint64_t limit_ns,
		  load_vu_done_fn *done);

/* Some code of ours that needs the fiber because it may run script code; limit_ns as above. */
void load_vu_do(struct load_vu *vu, load_vu_action_fn *action, void *arg, uint64_t limit_ns,
		load_vu_done_fn *done);

/* Has the order come that cuts it off (vu->unwanted_at)? Computing scripts look by themselves. */
bool load_vu_unwanted(const struct load_vu *vu);

/*
 * One iteration of its slot's scenario, counted and timed. intended_ns is when it was to start (0:
 * now is as good as any), deadline_ns when it is cut off even while it computes.
 */
void load_vu_iterate(struct load_vu *vu, uint64_t intended_ns, uint64_t deadline_ns,
		     load_vu_done_fn *done);

/* Without a script: what the iteration sent has been answered. */
void load_vu_iteration_over(struct load_vu *vu, enum load_vu_end end);

/* Takes a place in a scenario: its tags and variables are then the VU's. NULL leaves it. */
void load_vu_assign(struct load_vu *vu, struct load_slot *slot);

/* What it waited for has come. */
void load_vu_resume(struct load_vu *vu);

/* As js_vm_post(). */
void load_vu_post(struct load_vu *vu, struct js_task *task);

/* Ends what it is doing; done is called with LOAD_VU_INTERRUPTED before this returns, if it was
 * doing anything. From the VU's own fiber: only marks. */
void load_vu_abort(struct load_vu *vu);

/* "message\n    at f (file:line:column)" of a VU that threw. */
void load_vu_log_error(struct load_vu *vu);

bool load_vu_busy(const struct load_vu *vu);

/* Blocks the VU's fiber until the time: 0, or -1 with the exception that ends it pending. */
int load_vu_sleep_until(struct load_vu *vu, uint64_t t_ns);

/* True (with an exception pending) in the init context, where what is not allowed. */
bool load_vu_refuse_in_init(struct load_vu *vu, const char *what);

#endif
