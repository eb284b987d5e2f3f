#include "profile/view.h"

#include "test.h"

/* "main;a;b 3": frames from the outside in, and how many samples. */
static void add(struct profile *p, const char *text, enum profile_state state)
{
	struct str rest = str_from(text), part;
	uint32_t node = 0;
	unsigned n;

	rest.len = str_find(rest, ' ');
	n = (unsigned)strtoul(text + rest.len, NULL, 10);
	while (str_split(&rest, ';', &part)) {
		char *name = str_dup(part);

		node = profile_child(p, node, profile_frame(p, name));
		free(name);
	}
	for (unsigned i = 0; i < n; i++) {
		struct profile_sample s = { node, profile_thread(p, 7 + i % 2), state,
					    (int64_t)p->samples.len, 1 };

		vec_push(&p->samples, s);
	}
}

static void make(struct profile *p)
{
	profile_init(p, "samples");
	add(p, "main;a;b 3", PROFILE_MANAGED);
	add(p, "main;a 2", PROFILE_EXTERNAL);
	add(p, "main;a;a;b;a 4", PROFILE_MANAGED);
	add(p, "main;lib.x;lib.y;cb;lib.z 1", PROFILE_MANAGED);
}

/* "name exc/inc" of all rows. */
static void rows(const struct profile *p, struct profile_view_opts *o, struct strbuf *out)
{
	struct profile_view v;

	strbuf_clear(out);
	profile_view_make(p, o, &v);
	strbuf_addf(out, "%g:", v.total);
	vec_for_each (&v.rows, r)
		strbuf_addf(out, " %s %g/%g", v.names.ptr[r->name], r->exc, r->inc);
	profile_view_release(&v);
	profile_view_opts_release(o);
	*o = (struct profile_view_opts){ 0 };
}

/* By hand: 10 samples; a is innermost in 2 + 4, and anywhere in 9, each counted once; b in 3 of
 * its 7. */
TEST(view_counts_each_stack_once_for_a_name)
{
	struct strbuf out = STRBUF_INIT;
	struct profile_view_opts o = { 0 };
	struct profile p;

	make(&p);
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out),
		     "10: a 6/9 b 3/7 lib.z 1/1 main 0/10 lib.x 0/1 lib.y 0/1 cb 0/1");
	profile_release(&p);
	strbuf_release(&out);
}

TEST(view_folds_frames_into_their_callers)
{
	struct strbuf out = STRBUF_INIT;
	struct profile_view_opts o = { 0 };
	struct profile p;

	make(&p);
	ASSERT_OK(patterns_add(&o.fold, "^b;^lib", NULL));
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "10: a 9/9 cb 1/1 main 0/10");
	profile_release(&p);
	strbuf_release(&out);
}

/* What a group was entered by stands in its name; a call back leaves it. */
TEST(view_groups_frames_by_what_they_were_entered_by)
{
	struct strbuf out = STRBUF_INIT;
	struct profile_view_opts o = { 0 };
	struct profile p;

	make(&p);
	ASSERT_OK(pattern_groups_add(&o.groups, "^lib=>LIB; ^main->", NULL));
	ASSERT_OK(patterns_add(&o.inc, "LIB", NULL));
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "1: LIB <<lib.z>> 1/1 main 0/1 LIB <<lib.x>> 0/1 cb 0/1");
	ASSERT_OK(pattern_groups_add(&o.groups, "^lib->LIB", NULL));
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "10: a 6/9 b 3/7 LIB 1/1 main 0/10 cb 0/1");
	profile_release(&p);
	strbuf_release(&out);
}

TEST(view_chooses_stacks_threads_times_and_states)
{
	struct strbuf out = STRBUF_INIT;
	struct profile_view_opts o = { 0 };
	struct profile p;

	make(&p);
	ASSERT_OK(patterns_add(&o.inc, "^a;^b", NULL));
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "7: a 4/7 b 3/7 main 0/7");
	ASSERT_OK(patterns_add(&o.exc, "^b", NULL));
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "3: a 2/2 lib.z 1/1 main 0/3 lib.x 0/1 lib.y 0/1 cb 0/1");
	o.from_ns = 1;
	o.to_ns = 4;
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "3: b 2/2 a 1/3 main 0/3");
	o.thread = 8;
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "4: a 3/4 b 1/3 main 0/4");
	o.state = PROFILE_EXTERNAL;
	o.pseudo_leaves = true;
	rows(&p, &o, &out);
	ASSERT_STREQ(strbuf_cstr(&out), "2: UNMANAGED_CODE_TIME 2/2 main 0/2 a 0/2");
	profile_release(&p);
	strbuf_release(&out);
}

TEST(view_folds_what_is_small_into_its_caller)
{
	struct strbuf out = STRBUF_INIT;
	struct profile_view_opts o = { .fold_percent = 35 };
	struct profile p;

	make(&p);
	rows(&p, &o, &out);
	/* below main: a has 9, its b 7 and the a below that 4 of 10; lib.x has 1 */
	ASSERT_STREQ(strbuf_cstr(&out), "10: a 6/9 b 3/7 main 1/10");
	profile_release(&p);
	strbuf_release(&out);
}

TEST(view_knows_callers_and_callees)
{
	struct profile_view_opts o = { 0 };
	struct view_neighbours n;
	struct profile_view v;
	struct profile p;
	uint32_t b = 0;

	make(&p);
	profile_view_make(&p, &o, &v);
	for (uint32_t i = 0; i < v.names.len; i++)
		if (!strcmp(v.names.ptr[i], "b"))
			b = i;
	profile_view_neighbours(&v, b, &n);
	ASSERT_INT(n.callers.len, 1);
	ASSERT_STREQ(v.names.ptr[n.callers.ptr[0].name], "a");
	ASSERT_INT(n.callers.ptr[0].inc_count, 7);
	ASSERT_INT(n.callees.len, 1);
	ASSERT_STREQ(v.names.ptr[n.callees.ptr[0].name], "a");
	ASSERT_INT(n.callees.ptr[0].inc_count, 4);
	view_neighbours_release(&n);
	profile_view_release(&v);
	profile_release(&p);
}

static const char *written(struct strbuf *out, const char *name, bool brief)
{
	strbuf_clear(out);
	profile_written_name(out, name, brief);
	return strbuf_cstr(out);
}

TEST(names_of_compilers_become_those_of_people)
{
	struct strbuf out = STRBUF_INIT;

	ASSERT_STREQ(written(&out, "App!Shop.Cart+<PayAsync>d__4.MoveNext()", false),
		     "App!Shop.Cart.PayAsync() async");
	ASSERT_STREQ(written(&out, "App!Shop.Cart+<>c__DisplayClass4_0.<Pay>b__1(int32)", false),
		     "App!Shop.Cart.Pay(int32) lambda");
	ASSERT_STREQ(written(&out, "App!Shop.Cart+<>c.<Pay>b__4_0(int32)", true),
		     "App!Shop.Cart.Pay() lambda");
	ASSERT_STREQ(
		written(&out, "Lib!System.Threading.Thread.<PollGC>g__PollGCWorker|67_0()", false),
		"Lib!System.Threading.Thread.PollGC.PollGCWorker()");
	ASSERT_STREQ(written(&out, "App!Shop.Cart+<<PayAsync>g__Await|7_0>d`1[X].MoveNext()", true),
		     "App!Shop.Cart.PayAsync.Await() async");
	ASSERT_STREQ(written(&out, "App!Shop.Cart+<>c+<<Pay>b__4_0>d.MoveNext()", true),
		     "App!Shop.Cart.Pay() lambda async");
	ASSERT_STREQ(written(&out, "App!Program.<Main>$(class System.String[])", true),
		     "App!Program.<Main>$()");
	ASSERT_STREQ(written(&out, "A!B`1[System.__Canon].Run(!0)", false),
		     "A!B`1[System.__Canon].Run(!0)");
	ASSERT_STREQ(written(&out, "", false), "");
	strbuf_release(&out);
}
