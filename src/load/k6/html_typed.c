/*
 * What elements of single tags tell by their attributes: input.maxLength(), img.src() and so on.
 * One table says which method reads which attribute as what, after k6's own list of them.
 */
#include <stdlib.h>

#include "base/num.h"
#include "js/value.h"
#include "load/k6/html.h"
#include "net/url.h"

enum kind {
	TEXT,
	FLAG,	     /* is it there? */
	NUMBER,	     /* "default" in more */
	ONE_OF,	     /* words in more, the first of which stands for all others ("-" = "") */
	ONE_OR_NONE, /* undefined stands for all others */
	URL,
	URL_OR_PAGE, /* the page's when it is not there */
	CONSTANT,    /* more */
};

#define REFERRER                                                                                   \
	"- no-referrer no-referrer-when-downgrade origin origin-when-cross-origin unsafe-url"
#define CORS	"anonymous use-credentials"
#define ENCTYPE "application/x-www-form-urlencoded multipart/form-data text/plain"
#define INPUTS                                                                                     \
	"text button checkbox color date datetime-local email file hidden image month number "     \
	"password radio range reset search submit tel time url week"

static const struct accessor {
	const char *tags, *method, *attr; /* attr NULL = as the method, in lower case */
	enum kind kind;
	const char *more;
} accessors[] = {
	{ "a area", "download", NULL, TEXT },
	{ "a area link iframe img", "referrerPolicy", NULL, ONE_OF, REFERRER },
	{ "a area link", "rel", NULL, TEXT },
	{ "a area link", "href", NULL, URL },
	{ "a area", "toString", "href", URL },
	{ "a area", "hrefLang", NULL, TEXT },
	{ "a area link base form", "target", NULL, TEXT },
	{ "a area link embed object script source ul", "type", NULL, TEXT },
	{ "a area button input legend textarea", "accessKey", NULL, TEXT },
	{ "link", "hreflang", NULL, TEXT },
	{ "link source style", "media", NULL, TEXT },
	{ "link audio video img", "crossOrigin", NULL, ONE_OR_NONE, CORS },
	{ "script", "crossOrigin", NULL, TEXT },
	{ "base", "href", NULL, URL_OR_PAGE },
	{ "audio video", "autoplay", NULL, FLAG },
	{ "audio video", "controls", NULL, FLAG },
	{ "audio video", "loop", NULL, FLAG },
	{ "audio video", "muted", NULL, FLAG },
	{ "audio video", "defaultMuted", "muted", FLAG },
	{ "audio video", "preload", NULL, ONE_OF, "auto metadata none" },
	{ "audio video", "mediaGroup", NULL, TEXT },
	{ "audio video", "currentSrc", "src", TEXT },
	{ "img", "currentSrc", "src", URL },
	{ "audio video iframe img input script source track", "src", NULL, URL },
	{ "embed", "src", NULL, TEXT },
	{ "button input keygen select textarea", "autofocus", NULL, FLAG },
	{ "button fieldset input keygen optgroup select", "disabled", NULL, FLAG },
	{ "button input object select textarea", "tabIndex", NULL, NUMBER, "0" },
	{ "button", "type", NULL, ONE_OF, "submit button menu reset" },
	{ "data input param pre textarea", "value", NULL, TEXT },
	{ "li", "value", NULL, NUMBER, "0" },
	{ "input textarea", "defaultValue", "value", TEXT },
	{ "embed iframe input object", "height", NULL, TEXT },
	{ "embed iframe input object", "width", NULL, TEXT },
	{ "img", "height", NULL, NUMBER, "0" },
	{ "img", "width", NULL, NUMBER, "0" },
	{ "canvas", "height", NULL, NUMBER, "150" },
	{ "canvas", "width", NULL, NUMBER, "300" },
	{ "button fieldset form iframe img input keygen map meta object output param pre select "
	  "textarea",
	  "name", NULL, TEXT },
	{ "form", "action", NULL, URL },
	{ "form", "enctype", NULL, ONE_OF, ENCTYPE },
	{ "form", "encoding", "enctype", ONE_OF, ENCTYPE },
	{ "form", "acceptCharset", "accept-charset", TEXT },
	{ "form input textarea", "autocomplete", NULL, ONE_OF, "on off" },
	{ "form", "noValidate", NULL, FLAG },
	{ "iframe", "allowfullscreen", NULL, FLAG },
	{ "img source", "sizes", NULL, TEXT },
	{ "img source", "srcset", NULL, TEXT },
	{ "img input", "alt", NULL, TEXT },
	{ "img", "isMap", NULL, FLAG },
	{ "img object", "useMap", NULL, TEXT },
	{ "input", "type", NULL, ONE_OF, INPUTS },
	{ "input select textarea", "required", NULL, FLAG },
	{ "input", "checked", NULL, FLAG },
	{ "input", "defaultChecked", "checked", FLAG },
	{ "input", "accept", NULL, TEXT },
	{ "input", "maxLength", NULL, NUMBER, "-1" },
	{ "textarea", "maxLength", NULL, NUMBER, "0" },
	{ "input", "size", NULL, NUMBER, "0" },
	{ "input", "pattern", NULL, TEXT },
	{ "input textarea", "placeholder", NULL, TEXT },
	{ "input", "readonly", NULL, FLAG },
	{ "textarea", "readOnly", NULL, FLAG },
	{ "input", "min", NULL, TEXT },
	{ "input", "max", NULL, TEXT },
	{ "input", "step", NULL, TEXT },
	{ "input", "dirName", NULL, TEXT },
	{ "input select", "multiple", NULL, FLAG },
	{ "keygen", "challenge", NULL, TEXT },
	{ "keygen", "keytype", NULL, ONE_OF, "RSA DSA EC" },
	{ "keygen", "type", NULL, CONSTANT, "keygen" },
	{ "label output", "htmlFor", "for", TEXT },
	{ "li", "type", NULL, ONE_OF, "- 1 a A i I disc square circle" },
	{ "ol", "type", NULL, ONE_OF, "1 a A i I" },
	{ "ol", "reversed", NULL, FLAG },
	{ "ol", "start", NULL, NUMBER, "0" },
	{ "meta", "content", NULL, TEXT },
	{ "meta", "httpEquiv", "http-equiv", ONE_OF, "content-type default-style refresh" },
	{ "meter", "min", NULL, NUMBER, "0" },
	{ "meter", "max", NULL, NUMBER, "0" },
	{ "meter", "high", NULL, NUMBER, "0" },
	{ "meter", "low", NULL, NUMBER, "0" },
	{ "meter", "optimum", NULL, NUMBER, "0" },
	{ "del ins q blockquote quote", "cite", NULL, TEXT },
	{ "del ins time", "datetime", NULL, TEXT },
	{ "object", "data", NULL, URL },
	{ "object", "typeMustMatch", NULL, FLAG },
	{ "optgroup track", "label", NULL, TEXT },
	{ "option", "selected", NULL, FLAG },
	{ "option", "defaultSelected", "selected", FLAG },
	{ "output", "type", NULL, CONSTANT, "output" },
	{ "fieldset", "type", NULL, CONSTANT, "fieldset" },
	{ "textarea", "type", NULL, CONSTANT, "textarea" },
	{ "style", "type", NULL, ONE_OF, "text/css" },
	{ "script", "charset", NULL, TEXT },
	{ "script", "async", NULL, FLAG },
	{ "script", "defer", NULL, FLAG },
	{ "script", "noModule", NULL, FLAG },
	{ "source", "keySystem", NULL, TEXT },
	{ "table", "sortable", NULL, FLAG },
	{ "td th", "colSpan", NULL, NUMBER, "1" },
	{ "td th", "rowSpan", NULL, NUMBER, "1" },
	{ "td th", "headers", NULL, TEXT },
	{ "th", "abbr", NULL, TEXT },
	{ "th", "scope", NULL, ONE_OF, "- row col colgroup rowgroup" },
	{ "th", "sorted", NULL, FLAG },
	{ "col colgroup", "span", NULL, NUMBER, "1" },
	{ "textarea", "rows", NULL, NUMBER, "0" },
	{ "textarea", "cols", NULL, NUMBER, "0" },
	{ "textarea", "autocapitalize", NULL, ONE_OF, "sentences none off characters words" },
	{ "textarea", "wrap", NULL, ONE_OF, "soft hard off" },
	{ "track", "kind", NULL, ONE_OF, "subtitle captions descriptions chapters metadata" },
	{ "track", "srclang", NULL, TEXT },
	{ "track", "default", NULL, FLAG },
};

bool load_html_url(const struct load_html_doc *doc, const struct load_html_node *n,
		   const char *name, struct strbuf *out)
{
	CLEANUP(strbuf_release) struct strbuf absolute = STRBUF_INIT;
	const struct load_html_attr *a = load_html_attr(n, name);
	struct str value;

	if (!a)
		return false;
	value = str_trim(a->value);
	if (*doc->url && net_url_resolve(&absolute, str_from(doc->url), value) == 0)
		value = strbuf_str(&absolute);
	strbuf_add(out, value.ptr, value.len);
	return true;
}

static JSValue url_value(JSContext *ctx, const struct load_html_doc *doc,
			 const struct load_html_node *n, const char *name, const char *absent)
{
	CLEANUP(strbuf_release) struct strbuf url = STRBUF_INIT;

	if (!load_html_url(doc, n, name, &url))
		strbuf_addstr(&url, absent);
	return js_new_str(ctx, strbuf_str(&url));
}

static JSValue number_value(JSContext *ctx, const struct load_html_attr *a, const char *absent)
{
	int64_t n;

	if (!a || num_parse_i64(a->value, &n) < 0)
		num_parse_i64(str_from(absent), &n);
	return JS_NewInt64(ctx, n);
}

static JSValue word_value(JSContext *ctx, const struct load_html_attr *a, const char *words,
			  bool or_none)
{
	struct str rest = str_from(words), word, first;

	str_split(&rest, ' ', &first);
	if (a && or_none && str_eq(a->value, first))
		return js_new_str(ctx, first);
	while (str_split(&rest, ' ', &word))
		if (a && str_eq(a->value, word))
			return js_new_str(ctx, word);
	if (or_none)
		return JS_UNDEFINED;
	return js_new_str(ctx, str_eq_c(first, "-") ? STR("") : first);
}

static JSValue accessor_value(JSContext *ctx, const struct accessor *acc, const char *name,
			      const struct load_html_doc *doc, const struct load_html_node *n)
{
	const struct load_html_attr *a = load_html_attr(n, name);

	switch (acc->kind) {
	case FLAG:
		return JS_NewBool(ctx, a != NULL);
	case NUMBER:
		return number_value(ctx, a, acc->more);
	case ONE_OF:
	case ONE_OR_NONE:
		return word_value(ctx, a, acc->more, acc->kind == ONE_OR_NONE);
	case URL:
		return url_value(ctx, doc, n, name, "");
	case URL_OR_PAGE:
		return url_value(ctx, doc, n, name, doc->url);
	case CONSTANT:
		return JS_NewString(ctx, acc->more);
	default:
		return a ? js_new_str(ctx, a->value) : JS_NewString(ctx, "");
	}
}

static JSValue read_attr(JSContext *ctx, JSValueConst this, int argc UNUSED,
			 JSValueConst *argv UNUSED, int index)
{
	const struct accessor *acc = &accessors[index];
	struct load_html_doc *doc = NULL;
	const struct load_html_node *n = load_html_node_of(this, &doc);
	char name[32];

	if (!n)
		return JS_ThrowTypeError(ctx, "%s() is a method of an element", acc->method);
	snprintf(name, sizeof(name), "%s", acc->attr ? acc->attr : acc->method);
	for (char *c = name; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c |= 0x20;
	return accessor_value(ctx, acc, name, doc, n);
}

void load_html_typed_attrs(JSContext *ctx, JSValueConst proto, const struct load_html_node *n)
{
	for (int i = 0; i < (int)ARRAY_SIZE(accessors); i++)
		if (load_html_is_any(n, accessors[i].tags))
			js_set(ctx, proto, accessors[i].method,
			       JS_NewCFunctionMagic(ctx, read_attr, accessors[i].method, 0,
						    JS_CFUNC_generic_magic, i));
}
