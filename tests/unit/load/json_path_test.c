/*
 * The cases are those of gjson's own description of its paths (SYNTAX.md) and others worked out by
 * hand from its rules.
 */
#include "load/k6/json_path.h"

#include "js/value.h"
#include "test.h"

static const char document[] =
	"{\"name\":{\"first\":\"Tom\",\"last\":\"Anderson\"},\"age\":37,"
	"\"children\":[\"Sara\",\"Alex\",\"Jack\"],\"fav.movie\":\"Deer Hunter\","
	"\"friends\":["
	"{\"first\":\"Dale\",\"last\":\"Murphy\",\"age\":44,\"nets\":[\"ig\",\"fb\",\"tw\"]},"
	"{\"first\":\"Roger\",\"last\":\"Craig\",\"age\":68,\"nets\":[\"fb\",\"tw\"]},"
	"{\"first\":\"Jane\",\"last\":\"Murphy\",\"age\":47,\"nets\":[\"ig\",\"tw\"]}],"
	"\"@odata.count\":5,\"[x\":6,\"deep\":[1,[2,[3]]],\"text\":\"{\\\"in\\\":1}\","
	"\"cols\":{\"id\":[\"a\",\"b\"],\"n\":[1],\"x\":0},"
	"\"mixed\":[{\"v\":true},{\"v\":false},{\"v\":null},{\"v\":0},{\"v\":\"T\"},{\"w\":1}]}";

static JSRuntime *rt;
static JSContext *ctx;

/* What the path gives of the document, as JSON. */
static void gives(const char *path, const char *want)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	JSValue root, v;

	if (!ctx)
		ctx = JS_NewContext(rt = JS_NewRuntime());
	root = js_json_parse(ctx, str_from(document), "document");
	v = load_json_path(ctx, root, str_from(path));
	ASSERT_TRUE(!JS_IsException(v));
	if (JS_IsUndefined(v))
		strbuf_addstr(&text, "-");
	else
		ASSERT_INT(js_json_write(ctx, v, &text), 1);
	if (strcmp(strbuf_cstr(&text), want) != 0)
		printf("# %s\n", path);
	ASSERT_STREQ(strbuf_cstr(&text), want);
	JS_FreeValue(ctx, v);
	JS_FreeValue(ctx, root);
}

/* The engine checks at its end that every value was given back. */
static void end(void)
{
	JS_FreeContext(ctx);
	JS_FreeRuntime(rt);
}

TEST(names)
{
	gives("name.last", "\"Anderson\"");
	gives("children.1", "\"Alex\"");
	gives("c?ildren.0", "\"Sara\"");
	gives("child*.2", "\"Jack\"");
	gives("fav\\.movie", "\"Deer Hunter\"");
	gives("friends.#", "3");
	gives("friends.#.age", "[44,68,47]");
	gives("friends|0|first", "\"Dale\"");
	gives("@odata\\.count", "5");
	gives("[x", "6");
	gives("..0.age", "37");
	gives("..#", "1");
	gives("name.middle", "-");
	end();
}

TEST(queries)
{
	gives("friends.#(last==\"Murphy\").first", "\"Dale\"");
	gives("friends.#(last==\"Murphy\")#.first", "[\"Dale\",\"Jane\"]");
	gives("friends.#(age>45)#.last", "[\"Craig\",\"Murphy\"]");
	gives("friends.#(age==\"68\").last", "\"Craig\"");
	gives("friends.#(first%\"D*\").last", "\"Murphy\"");
	gives("friends.#(first!%\"D*\").last", "\"Craig\"");
	gives("children.#(!%\"*a*\")", "\"Alex\"");
	gives("children.#(%\"*a*\")#", "[\"Sara\",\"Jack\"]");
	gives("friends.#(nets.#(==\"fb\"))#.first", "[\"Dale\",\"Roger\"]");
	gives("friends.#[last=\"Craig\"].first", "\"Roger\"");
	gives("friends.#(last=\"Murphy\")#|first", "-");
	gives("friends.#(last=\"Murphy\")#|0.first", "\"Dale\"");
	gives("friends.#(last=\"Murphy\")#.0", "[]");
	gives("friends.#(last=\"Murphy\")#|#", "2");
	gives("mixed.#(v==~true)#.v", "[true,\"T\"]");
	gives("mixed.#(v==~false)#", "[{\"v\":false},{\"v\":null},{\"v\":0},{\"w\":1}]");
	gives("mixed.#(v==~null)#", "[{\"v\":null},{\"w\":1}]");
	gives("mixed.#(v!=~*)#", "[{\"w\":1}]");
	gives("mixed.#(v==null)#", "[{\"v\":0}]"); /* "null" as a number is 0 */
	gives("mixed.#(v!=null)#.v", "[true,false,\"T\"]");
	end();
}

TEST(multipaths)
{
	gives("{name.first,age,\"the_murphys\":friends.#(last=\"Murphy\")#.first}",
	      "{\"first\":\"Tom\",\"age\":37,\"the_murphys\":[\"Dale\",\"Jane\"]}");
	gives("[name.first,age,missing,children.#]", "[\"Tom\",37,3]");
	gives("friends.#.{first,\"n\":nets.#}", "[{\"first\":\"Dale\",\"n\":3},{\"first\":"
						"\"Roger\",\"n\":2},{\"first\":\"Jane\",\"n\":2}]");
	gives("friends.#.[first,age]|1", "[\"Roger\",68]");
	gives("name.{\"a\":first}.a", "\"Tom\"");
	gives("{a:{b:age}}", "{\"a\":{\"b\":37}}");
	gives("{friends.#,children.0}", "{\"0\":\"Sara\",\"_\":3}");
	gives("{fav\\.movie}", "{\"fav\\\\.movie\":\"Deer Hunter\"}");
	gives("[age,{age}].1.age", "37");
	gives("{}", "{}");
	gives("{age", "-");
	end();
}

TEST(literals)
{
	gives("{name.first,age,\"company\":!\"Happysoft\",\"employed\":!true}",
	      "{\"first\":\"Tom\",\"age\":37,\"company\":\"Happysoft\",\"employed\":true}");
	gives("{\"n\":!-1.5,\"a\":![1,{\"b\":2}]}", "{\"n\":-1.5,\"a\":[1,{\"b\":2}]}");
	gives("!{\"a\":[1,2]}.a.#", "2");
	gives("!nothing", "-");
	end();
}

TEST(modifiers)
{
	gives("children.@reverse.0", "\"Jack\"");
	gives("children|@reverse|@this", "[\"Jack\",\"Alex\",\"Sara\"]");
	gives("name.@keys", "[\"first\",\"last\"]");
	gives("name.@values", "[\"Tom\",\"Anderson\"]");
	gives("children.@keys", "[null,null,null]");
	gives("deep.@flatten", "[1,2,[3]]");
	gives("deep.@flatten:{\"deep\":true}", "[1,2,3]");
	gives("deep.@flatten:{\"deep\":true}.2", "3");
	gives("[name,{\"age\":!1}].@join", "{\"first\":\"Tom\",\"last\":\"Anderson\",\"age\":1}");
	gives("friends.@dig:first", "[\"Dale\",\"Roger\",\"Jane\"]");
	gives("@dig:nets.#(==\"ig\")|#", "2");
	gives("cols.@group", "[{\"id\":\"a\",\"n\":1},{\"id\":\"b\"}]");
	gives("{cols.id,\"age\":friends.#.age}.@group|2", "{\"age\":47}");
	gives("text.@fromstr.in", "1");
	gives("name.first.@tostr", "\"\\\"Tom\\\"\"");
	gives("@pretty:{\"sortKeys\":true}.age", "37");
	gives("age.@reverse", "37");
	gives("children.@nothing", "-");
	end();
}
