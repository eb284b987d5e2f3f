/* Expected requests: what curl's manual says each option does. */
#include "convert/curl.h"

#include <errno.h>

#include "test.h"

static struct strbuf script;

static const char *of(const char *command)
{
	CLEANUP(convert_script_release) struct convert_script s = { 0 };
	struct error err = ERROR_INIT;

	strbuf_clear(&script);
	ASSERT_OK_ERR(convert_curl(str_from(command), "t", &s, &err), err);
	convert_script_fmt(&s, &script);
	return strbuf_cstr(&script);
}

static const char *refusal(const char *command)
{
	CLEANUP(convert_script_release) struct convert_script s = { 0 };
	static struct error err;

	err = (struct error)ERROR_INIT;
	ASSERT_INT(convert_curl(str_from(command), "t", &s, &err), -EINVAL);
	return err.msg;
}

TEST(curl_methods_follow_the_options)
{
	ASSERT_HAS(of("curl h/x"), "http.get('http://h/x', {");
	ASSERT_HAS(of("curl -I h"), "http.head('http://h'");
	ASSERT_HAS(of("curl -d a h"), "http.post('http://h', 'a', {");
	ASSERT_HAS(of("curl -X PURGE h"), "http.request('PURGE', 'http://h', null, {");
	ASSERT_HAS(of("curl -XDELETE h"), "http.del('http://h', null, {");
	ASSERT_HAS(of("curl -X GET -d a h"), "http.request('GET', 'http://h', 'a'");
	ASSERT_HAS(of("curl -T f.bin h/up/"), "http.put('http://h/up/f.bin', file1");
	ASSERT_HAS(strbuf_cstr(&script), "const file1 = open('f.bin', 'b');");
}

TEST(curl_data_is_joined_and_typed)
{
	ASSERT_HAS(of("curl -d a=1 --data-raw @b --data-urlencode 'c d=e f' h"),
		   "'a=1&@b&c d=e+f'");
	ASSERT_HAS(strbuf_cstr(&script), "'Content-Type': 'application/x-www-form-urlencoded'");
	ASSERT_HAS(of("curl --json '{\"a\":1}' h"), "Accept: 'application/json'");
	ASSERT_HAS(strbuf_cstr(&script), "'{\"a\":1}'");
	ASSERT_LACKS(of("curl -d a -H Content-Type: h"), "Content-Type");
	ASSERT_HAS(of("curl -d a -H 'content-type: x/y' h"), "'content-type': 'x/y'");
	ASSERT_LACKS(strbuf_cstr(&script), "urlencoded");
	ASSERT_HAS(of("curl -d @f -d b h"), "file1.replace(/[\\r\\n\\0]/g, '') + '&b'");
	ASSERT_HAS(of("curl --data-urlencode n@f h"),
		   "'n=' + encodeURIComponent(file1).replace(/%20/g, '+')");
	ASSERT_HAS(of("curl -G -d a=1 -d b=2 'h/x?q#f'"), "http.get('http://h/x?q&a=1&b=2'");
	ASSERT_LACKS(strbuf_cstr(&script), "Content-Type");
}

TEST(curl_forms_are_multipart)
{
	ASSERT_HAS(of("curl -F a=1 -F 'f=@d/x.png;filename=\"y z\"' h"),
		   "f: http.file(file1, 'y z', 'image/png')");
	ASSERT_HAS(of("curl -F 'a=1;type=text/plain' --form-string 'b=@c;d' h"), "'@c;d',");
	ASSERT_HAS(strbuf_cstr(&script), "'Content-Type: text/plain',");
	ASSERT_HAS(strbuf_cstr(&script), "'Content-Type': 'multipart/form-data; boundary=");
	ASSERT_HAS(refusal("curl -F a=1 -F a=@f h"), "\"a\" twice");
}

TEST(curl_redirects_are_followed_only_with_location)
{
	ASSERT_HAS(of("curl h"), "redirects: 0,");
	ASSERT_LACKS(of("curl -L h"), "redirects");
	ASSERT_HAS(of("curl -L --max-redirs 3 h"), "redirects: 3,");
}

TEST(curl_credentials)
{
	/* RFC 7617, section 2 */
	ASSERT_HAS(of("curl -u 'Aladdin:open sesame' h"),
		   "Authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='");
	ASSERT_HAS(of("curl --digest -u 'a:b@c' https://h/x"), "'https://a:b%40c@h/x'");
	ASSERT_HAS(strbuf_cstr(&script), "auth: 'digest'");
	ASSERT_HAS(of("curl --oauth2-bearer t h"), "Authorization: 'Bearer t'");
	ASSERT_HAS(refusal("curl -u me h"), "NAME:PASSWORD");
}

TEST(curl_what_is_left_out_is_noted)
{
	ASSERT_HAS(of("curl --http2 -x http://p h"),
		   "// curl's --http2\n// curl's --proxy http://p");
	ASSERT_HAS(of("curl -k h"), "insecureSkipTLSVerify: true,");
	ASSERT_HAS(of("curl --resolve a.b:80:127.0.0.1 a.b"), "hosts: { 'a.b:80': '127.0.0.1' },");
	ASSERT_LACKS(of("curl -sS -o f -w x h"), "Not carried over");
}

TEST(curl_several_commands)
{
	ASSERT_HAS(of("curl a ;\ncurl b | jq . ; curl -d x c --next d"),
		   "const res4 = http.get('http://d'");
	ASSERT_HAS(refusal("curl a\nwget b"), "t:2:1: expected curl, not \"wget\"");
}

TEST(curl_errors_name_the_place)
{
	ASSERT_STREQ(refusal("curl \\\n --daat x h"),
		     "t:2:2: curl has no option --daat; did you mean --data?");
	ASSERT_HAS(refusal("curl h -d"), "t:1:8: -d needs a value");
	ASSERT_HAS(refusal("curl -s"), "no URL");
	ASSERT_HAS(refusal("curl ftp://h"), "only http and https");
	ASSERT_HAS(refusal("curl 'h/{a,b}'"), "several");
	ASSERT_HAS(refusal("curl -b jar.txt h"), "file of cookies");
	ASSERT_HAS(refusal("curl -d $'\\xff' h"), "no text");
	ASSERT_HAS(refusal("  "), "no curl command");
}
