#include "profile/export.h"

#include <jansson.h>
#include <zlib.h>

#include "profile/lanes.h"
#include "test.h"

#define MS INT64_C(1000000)

static void sample(struct profile *p, uint64_t thread, int64_t t_us, const char *frames)
{
	struct str rest = str_from(frames), part;
	struct profile_sample s = { .thread = profile_thread(p, thread),
				    .t_ns = t_us * 1000,
				    .weight = 1 };

	while (str_split(&rest, ';', &part)) {
		char *name = str_dup(part);

		s.node = profile_child(p, s.node, profile_frame(p, name));
		free(name);
	}
	vec_push(&p->samples, s);
}

/* Thread 5 is sampled at 10, 11.1 and 11.9 ms, and after a pause at 30; thread 6 twice, the second
 * time right after the first. */
static void make(struct profile *p)
{
	profile_init(p, "samples");
	sample(p, 5, 10000, "main;a;b");
	sample(p, 6, 10500, "say \"<\\\n;x");
	sample(p, 6, 10500, "say \"<\\\n");
	sample(p, 5, 11100, "main;a;b");
	sample(p, 5, 11900, "main;a");
	sample(p, 5, 30000, "main;a;b");
}

struct rig {
	struct profile p;
	struct profile_view_opts o;
	struct profile_view v;
	struct export_source s;
	struct strbuf out;
};

static void setup(struct rig *r, enum profile_charge charge)
{
	*r = (struct rig){ .o = { .charge = charge, .interval_ns = MS, .keep_samples = true } };
	make(&r->p);
	profile_view_make(&r->p, &r->o, &r->v);
	r->s = (struct export_source){ .profile = &r->p,
				       .view = &r->v,
				       .opts = &r->o,
				       .title = "shop \"1\"",
				       .pid = 5,
				       .wall_ns = 1000 * MS,
				       .interval_ns = MS };
}

static void teardown(struct rig *r)
{
	profile_view_release(&r->v);
	profile_release(&r->p);
	strbuf_release(&r->out);
}

static json_t *parse(const struct rig *r)
{
	json_error_t why;
	json_t *j = json_loadb(r->out.ptr, r->out.len, JSON_REJECT_DUPLICATES, &why);

	if (!j)
		ASSERT_STREQ(why.text, "valid JSON");
	return j;
}

static void print_event(void *user, const struct lane_event *e)
{
	strbuf_addf(user, " %c%u@%g", e->open ? '+' : '-', e->node, (double)e->at_ns / 1e6);
}

/* By hand: the tree is 1 main, 2 a, 3 b, 4 say, 5 x. A tick is at most 1 ms long: the second sample
 * of thread 5 joins the first at 11 and lasts until 12, and so does the third at 12; nobody looked
 * between 13 and 30. */
TEST(lanes_charge_a_sample_one_interval_at_most)
{
	struct lanes lanes;
	struct rig r;

	setup(&r, PROFILE_CHARGE_TICK);
	lanes_make(&r.v, &r.o, &lanes);
	ASSERT_INT(lanes.len, 2);
	lane_events(&r.v, &lanes.ptr[0], print_event, &r.out);
	ASSERT_STREQ(strbuf_cstr(&r.out),
		     " +1@10 +2@10 +3@10 -3@12 -2@13 -1@13 +1@30 +2@30 +3@30 -3@31 -2@31 -1@31");
	strbuf_clear(&r.out);
	lane_events(&r.v, &lanes.ptr[1], print_event, &r.out);
	ASSERT_STREQ(strbuf_cstr(&r.out), " +4@10.5 +5@10.5 -5@11.5 -4@12.5");
	lanes_release(&lanes);
	teardown(&r);
}

TEST(lanes_stretch_gaps_when_asked)
{
	struct lanes lanes;
	struct rig r;

	setup(&r, PROFILE_CHARGE_GAP);
	lanes_make(&r.v, &r.o, &lanes);
	lane_events(&r.v, &lanes.ptr[0], print_event, &r.out);
	ASSERT_STREQ(strbuf_cstr(&r.out), " +1@10 +2@10 +3@10 -3@11.9 -2@30 -1@30");
	ASSERT_INT(lanes.ptr[1].spans.len, 0); /* no time passed */
	lanes_release(&lanes);
	teardown(&r);
}

TEST(speedscope_opens_and_closes_frames)
{
	struct rig r;
	json_t *j, *p, *frames;

	setup(&r, PROFILE_CHARGE_TICK);
	export_speedscope(&r.s, &r.out);
	j = parse(&r);
	ASSERT_STREQ(json_string_value(json_object_get(j, "$schema")),
		     "https://www.speedscope.app/file-format-schema.json");
	ASSERT_STREQ(json_string_value(json_object_get(j, "name")), "shop \"1\"");
	frames = json_object_get(json_object_get(j, "shared"), "frames");
	ASSERT_INT(json_array_size(frames), 5);
	ASSERT_STREQ(json_string_value(json_object_get(json_array_get(frames, 3), "name")),
		     "say \"<\\\n");
	ASSERT_INT(json_array_size(json_object_get(j, "profiles")), 2);
	p = json_array_get(json_object_get(j, "profiles"), 0);
	ASSERT_STREQ(json_string_value(json_object_get(p, "type")), "evented");
	ASSERT_STREQ(json_string_value(json_object_get(p, "unit")), "milliseconds");
	ASSERT_STREQ(json_string_value(json_object_get(p, "name")), "Thread (5)");
	ASSERT_NEAR(json_number_value(json_object_get(p, "startValue")), 10, 0);
	ASSERT_NEAR(json_number_value(json_object_get(p, "endValue")), 31, 0);
	ASSERT_INT(json_array_size(json_object_get(p, "events")), 12);
	json_decref(j);
	ASSERT_HAS(strbuf_cstr(&r.out), "[{\"type\":\"O\",\"frame\":0,\"at\":10},{\"type\":\"O\","
					"\"frame\":1,\"at\":10},{\"type\":\"O\",\"frame\":2,"
					"\"at\":10},{\"type\":\"C\",\"frame\":2,\"at\":12},");
	teardown(&r);
}

TEST(speedscope_without_times_has_samples)
{
	struct rig r;

	setup(&r, PROFILE_CHARGE_OWN);
	export_speedscope(&r.s, &r.out);
	json_decref(parse(&r));
	ASSERT_HAS(strbuf_cstr(&r.out),
		   "{\"type\":\"sampled\",\"name\":\"Thread (6)\",\"unit\":\"none\","
		   "\"samples\":[[3,4],[3]],\"weights\":[1,1],\"startValue\":0,\"endValue\":2}");
	teardown(&r);
}

TEST(chrome_events_nest_in_microseconds)
{
	struct rig r;
	json_t *j, *e;
	size_t i, depth = 0, opened = 0;

	setup(&r, PROFILE_CHARGE_TICK);
	export_chrome(&r.s, &r.out);
	j = parse(&r);
	json_array_foreach(json_object_get(j, "traceEvents"), i, e)
	{
		const char *ph = json_string_value(json_object_get(e, "ph"));

		if (*ph == 'M')
			continue;
		opened += *ph == 'B';
		ASSERT_TRUE(*ph == 'B' || depth);
		depth += *ph == 'B' ? 1 : (size_t)-1;
	}
	ASSERT_INT(depth, 0);
	ASSERT_INT(opened, 8);
	json_decref(j);
	ASSERT_HAS(strbuf_cstr(&r.out), "{\"name\":\"b\",\"cat\":\"sample\",\"ph\":\"E\","
					"\"ts\":12000,\"pid\":5,\"tid\":5}");
	ASSERT_HAS(strbuf_cstr(&r.out), "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":5,"
					"\"tid\":6,\"args\":{\"name\":\"Thread (6)\"}}");
	teardown(&r);
}

/* Each column of a table is as long as the table says. */
static void check_table(const json_t *table, const char *name)
{
	size_t length = (size_t)json_integer_value(json_object_get(table, "length"));
	const char *key;
	json_t *column;

	ASSERT_TRUE(json_is_object(table));
	json_object_foreach((json_t *)(uintptr_t)table, key, column)
	{
		if (json_is_array(column) && json_array_size(column) != length)
			ASSERT_STREQ(name, key);
	}
}

static long long at(const json_t *table, const char *column, size_t row)
{
	return json_integer_value(json_array_get(json_object_get(table, column), row));
}

/* What the profiler relies on when it loads one: tables of one length, stacks after their callers,
 * indices that exist. */
TEST(firefox_tables_point_into_each_other)
{
	static const char *const tables[] = { "frameTable",    "funcTable",	"stackTable",
					      "nativeSymbols", "resourceTable", "sources" };
	json_t *j, *shared, *stacks, *samples;
	struct rig r;

	setup(&r, PROFILE_CHARGE_OWN);
	export_firefox(&r.s, &r.out);
	j = parse(&r);
	shared = json_object_get(j, "shared");
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		check_table(json_object_get(shared, tables[i]), tables[i]);
	stacks = json_object_get(shared, "stackTable");
	ASSERT_INT(at(stacks, "prefix", 2), 1);
	ASSERT_INT(at(stacks, "frame", 2), 2);
	ASSERT_TRUE(json_is_null(json_array_get(json_object_get(stacks, "prefix"), 3)));
	ASSERT_INT(json_array_size(json_object_get(shared, "stringArray")), 5);
	ASSERT_INT(json_array_size(json_object_get(j, "threads")), 2);
	samples = json_object_get(json_array_get(json_object_get(j, "threads"), 0), "samples");
	check_table(samples, "samples");
	ASSERT_INT(json_integer_value(json_object_get(samples, "length")), 4);
	ASSERT_INT(at(samples, "stack", 0), 2);
	ASSERT_INT(at(samples, "stack", 2), 1);
	ASSERT_NEAR(json_number_value(json_array_get(json_object_get(samples, "timeDeltas"), 3)),
		    18.1, 1e-9);
	ASSERT_INT(json_integer_value(json_object_get(json_object_get(j, "meta"),
						      "preprocessedProfileVersion")),
		   62);
	json_decref(j);
	teardown(&r);
}

TEST(folded_stacks_are_lines)
{
	struct rig r;

	setup(&r, PROFILE_CHARGE_OWN);
	export_folded(&r.s, &r.out);
	ASSERT_STREQ(strbuf_cstr(&r.out), "main;a 1\nmain;a;b 3\nsay \"<\\  1\nsay \"<\\ ;x 1\n");
	teardown(&r);
	setup(&r, PROFILE_CHARGE_TICK); /* in microseconds */
	export_folded(&r.s, &r.out);
	ASSERT_HAS(strbuf_cstr(&r.out), "main;a;b 3000\n");
	teardown(&r);
}

static void inflate_all(const struct strbuf *from, struct strbuf *to)
{
	z_stream z = { .next_in = (Bytef *)from->ptr, .avail_in = (uInt)from->len };

	strbuf_reserve(to, 1 << 16);
	z.next_out = (Bytef *)strbuf_tail(to);
	z.avail_out = 1 << 16;
	ASSERT_INT(inflateInit2(&z, 15 + 16), Z_OK);
	ASSERT_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	strbuf_commit(to, z.total_out);
	inflateEnd(&z);
}

/* The next field of a message of lengths and varints only. */
static bool next_field(struct str *m, unsigned *field, uint64_t *number, struct str *bytes)
{
	uint64_t v[2] = { 0, 0 };
	size_t at = 0;

	if (!m->len)
		return false;
	for (int i = 0; i < 2; i++)
		for (unsigned shift = 0;; shift += 7) {
			v[i] |= (uint64_t)(m->ptr[at] & 0x7f) << shift;
			if (!(m->ptr[at++] & 0x80))
				break;
		}
	*field = (unsigned)(v[0] >> 3);
	*number = v[1];
	*bytes = (struct str){ m->ptr + at, (v[0] & 7) == 2 ? (size_t)v[1] : 0 };
	*m = (struct str){ m->ptr + at + bytes->len, m->len - at - bytes->len };
	return true;
}

/* Decoded by hand from google/pprof's profile.proto. */
TEST(pprof_has_samples_of_two_values)
{
	struct strbuf bytes = STRBUF_INIT, seen = STRBUF_INIT;
	struct str m, field_bytes;
	unsigned field;
	uint64_t number;
	struct rig r;

	setup(&r, PROFILE_CHARGE_TICK);
	ASSERT_OK(export_pprof(&r.s, &r.out, NULL));
	inflate_all(&r.out, &bytes);
	m = strbuf_str(&bytes);
	while (next_field(&m, &field, &number, &field_bytes)) {
		if (field == 2)
			for (size_t i = 0; i < field_bytes.len; i++)
				strbuf_addf(&seen, "%02x", (unsigned char)field_bytes.ptr[i]);
		else if (field == 6)
			strbuf_addf(&seen, "'%.*s'", STR_FMT(field_bytes));
		else if (field >= 9)
			strbuf_addf(&seen, "%u=%llu", field,
				    field == 11 ? 0 : (unsigned long long)number);
		else
			strbuf_addf(&seen, "%u", field);
		strbuf_addch(&seen, ' ');
	}
	/* locations a, main; one sample, 1000000 ns: in varints c0 84 3d */
	ASSERT_HAS(strbuf_cstr(&seen), "1 1 0a0202011204"
				       "01c0843d ");
	/* b, a, main; 3 samples, 3000000 ns */
	ASSERT_HAS(strbuf_cstr(&seen), " 0a03030201120503c08db701 ");
	ASSERT_HAS(strbuf_cstr(&seen), " 3 4 5 4 5 4 5 4 5 4 5 9=1010000000 10=20000000 11=0 "
				       "12=1000000 '' 'samples' 'count' 'wall' 'nanoseconds' "
				       "'shop \"1\"' 'main' 'a' 'b' 'say \"<\\\n' 'x' ");
	strbuf_release(&bytes);
	strbuf_release(&seen);
	teardown(&r);
}

/* The data of a page of this title, parsed. */
static json_t *page_data(const struct rig *r)
{
	const char *from = strstr(r->out.ptr, "id=\"data\">") + 10, *to = strstr(from, "</script>");

	return json_loadb(from, (size_t)(to - from), 0, NULL);
}

static double number_at(const json_t *list, size_t i, size_t j)
{
	return json_number_value(json_array_get(json_array_get(list, i), j));
}

/* Whatever a name says it is text, in the table and in the data. */
TEST(html_holds_hostile_names)
{
	struct rig r;
	json_t *j;

	setup(&r, PROFILE_CHARGE_OWN);
	profile_view_release(&r.v);
	sample(&r.p, 9, 40000, "</script><img src=x onerror=alert(1)>&\"");
	profile_view_make(&r.p, &r.o, &r.v);
	export_html(&r.s, &r.out);
	ASSERT_LACKS(r.out.ptr, "<img");
	ASSERT_HAS(r.out.ptr, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&quot;</td>");
	ASSERT_HAS(r.out.ptr, "<td>42.86</td><td>42.86</td><td>3</td><td>3</td><td>b</td>");
	ASSERT_LACKS(r.out.ptr, "://"); /* nothing is loaded from elsewhere */
	j = page_data(&r);
	ASSERT_INT(json_array_size(json_object_get(j, "caller")), 7);
	ASSERT_STREQ(json_string_value(json_array_get(json_object_get(j, "names"), 6)),
		     "</script><img src=x onerror=alert(1)>&\"");
	ASSERT_NEAR(number_at(json_object_get(j, "inc"), 0, 1), 4, 0);
	json_decref(j);
	teardown(&r);
}

/* Against the first 11 ms: main has 1 of 3 samples there, and 4 of 6 in all. */
TEST(html_compares_shares)
{
	struct profile_view_opts early = { .to_ns = 11 * MS };
	struct profile_view base;
	struct rig r;
	json_t *j;

	setup(&r, PROFILE_CHARGE_OWN);
	profile_view_make(&r.p, &early, &base);
	r.s.baseline = &base;
	r.s.baseline_title = "<before>";
	export_html(&r.s, &r.out);
	ASSERT_HAS(r.out.ptr, "Compared with 3 samples of &lt;before&gt;");
	ASSERT_HAS(r.out.ptr, "<td>0.00</td><td>66.67</td><td>+0.00</td><td>+33.33</td><td>main<");
	ASSERT_HAS(r.out.ptr, "<td>16.67</td><td>16.67</td><td>-16.67</td><td>-16.67</td><td>x<");
	j = page_data(&r);
	ASSERT_NEAR(number_at(json_object_get(j, "inc"), 0, 1), 1, 0);
	ASSERT_NEAR(number_at(json_object_get(j, "inc"), 1, 1), 4, 0);
	json_decref(j);
	profile_view_release(&base);
	teardown(&r);
}

/* More nodes than a page draws: the heaviest stay, with all their callers, and it is said. */
TEST(html_leaves_out_what_is_light)
{
	struct profile_view_opts o = { 0 };
	struct profile_view v;
	struct profile p;
	struct rig r = { .s = { .profile = &p, .view = &v, .opts = &o, .title = "wide" } };
	json_t *j;

	profile_init(&p, "samples");
	for (unsigned i = 0; i < EXPORT_HTML_NODES + 500; i++) {
		char name[16];

		snprintf(name, sizeof(name), "all;f%u", i);
		for (unsigned n = 0; n < (i < 700 ? 2 : 1); n++)
			sample(&p, 1, i, name);
	}
	profile_view_make(&p, &o, &v);
	export_html(&r.s, &r.out);
	ASSERT_HAS(r.out.ptr, "The 19800 lightest of 20501 nodes are not drawn.");
	j = page_data(&r);
	ASSERT_INT(json_array_size(json_object_get(j, "caller")), 702);
	json_decref(j);
	profile_view_release(&v);
	profile_release(&p);
	strbuf_release(&r.out);
}
