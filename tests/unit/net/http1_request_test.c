#include "net/http1_request.h"

#include <errno.h>

#include "test.h"

struct written {
	struct strbuf text;
	struct net_http1_request_info info;
	const char *why;
	int result;
};

static void write_to(struct written *w, const char *url_text, struct net_request req,
		     struct net_client_opts opts)
{
	struct error err = ERROR_INIT;
	struct net_url url;

	*w = (struct written){ .why = "" };
	ASSERT_OK_ERR(net_url_parse(&url, str_from(url_text), &err), err);
	req.url = &url;
	w->result = net_http1_write_request(&w->text, &req, &opts, NULL, &w->info, &w->why);
}

static void written_release(struct written *w)
{
	strbuf_release(&w->text);
}

TEST(request_is_written_as_rfc_9112_says)
{
	CLEANUP(written_release) struct written w;
	static const struct net_header headers[] = { { STR("Accept"), STR("*/*") } };

	write_to(&w, "http://h:8080/p?q#f",
		 (struct net_request){ .method = STR("GET"), .headers = headers, .n_headers = 1 },
		 (struct net_client_opts){ .user_agent = "assay" });
	ASSERT_INT(w.result, 0);
	ASSERT_STREQ(strbuf_cstr(&w.text), "GET /p?q HTTP/1.1\r\nHost: h:8080\r\n"
					   "User-Agent: assay\r\nAccept: */*\r\n\r\n");
	ASSERT_TRUE(w.info.is_idempotent && !w.info.is_head && !w.info.wants_close);
}

TEST(request_target_and_host_have_their_least_form)
{
	CLEANUP(written_release) struct written w;

	write_to(&w, "http://[::1]:?q", (struct net_request){ .method = STR("HEAD") },
		 (struct net_client_opts){ 0 });
	ASSERT_STREQ(strbuf_cstr(&w.text), "HEAD /?q HTTP/1.1\r\nHost: [::1]\r\n\r\n");
	ASSERT_TRUE(w.info.is_head);
}

/* As k6 does: an empty POST says so, an empty GET does not. */
TEST(request_length_is_ours_alone)
{
	CLEANUP(written_release) struct written w, v;
	static const struct net_header headers[] = { { STR("content-length"), STR("99") },
						     { STR("Transfer-Encoding"), STR("chunked") } };

	write_to(&w, "http://h/",
		 (struct net_request){ .method = STR("POST"), .headers = headers, .n_headers = 2 },
		 (struct net_client_opts){ 0 });
	ASSERT_STREQ(strbuf_cstr(&w.text),
		     "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n");
	ASSERT_TRUE(!w.info.is_idempotent);
	write_to(&v, "http://h/",
		 (struct net_request){ .method = STR("DELETE"), .body = STR("hello") },
		 (struct net_client_opts){ 0 });
	ASSERT_HAS(strbuf_cstr(&v.text), "Content-Length: 5\r\n");
	ASSERT_LACKS(strbuf_cstr(&v.text), "hello");
}

TEST(request_fields_replace_ours)
{
	CLEANUP(written_release) struct written w;
	static const struct net_header headers[] = { { STR("host"), STR("other") },
						     { STR("USER-AGENT"), STR("mine") },
						     { STR("Authorization"), STR("Bearer x") },
						     { STR("Connection"), STR("close") } };

	write_to(&w, "http://u:p@h/",
		 (struct net_request){ .method = STR("GET"), .headers = headers, .n_headers = 4 },
		 (struct net_client_opts){ .user_agent = "assay", .no_reuse = true });
	ASSERT_STREQ(strbuf_cstr(&w.text), "GET / HTTP/1.1\r\nHost: other\r\nUSER-AGENT: mine\r\n"
					   "Authorization: Bearer x\r\nConnection: close\r\n\r\n");
	ASSERT_TRUE(w.info.wants_close);
}

/* RFC 7617's own example of user "Aladdin", password "open sesame". */
TEST(request_carries_credentials_of_the_url)
{
	CLEANUP(written_release) struct written w;

	write_to(&w, "http://Aladdin:open%20sesame@h/",
		 (struct net_request){ .method = STR("GET") },
		 (struct net_client_opts){ .no_reuse = true });
	ASSERT_HAS(strbuf_cstr(&w.text), "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n");
	ASSERT_HAS(strbuf_cstr(&w.text), "Connection: close\r\n");
}

static void refuses(struct str method, struct str name, struct str value, const char *words)
{
	CLEANUP(written_release) struct written w;
	struct net_header header = { name, value };

	write_to(&w, "http://h/",
		 (struct net_request){ .method = method, .headers = &header, .n_headers = 1 },
		 (struct net_client_opts){ 0 });
	ASSERT_INT(w.result, -EINVAL);
	ASSERT_HAS(w.why, words);
}

TEST(request_lets_no_data_write_headers)
{
	refuses(STR("GET / HTTP/1.1\r\nX: y"), STR("A"), STR("b"), "method");
	refuses(STR(""), STR("A"), STR("b"), "method");
	refuses(STR("GET"), STR(""), STR("b"), "name");
	refuses(STR("GET"), STR("A B"), STR("b"), "name");
	refuses(STR("GET"), STR("A:"), STR("b"), "name");
	refuses(STR("GET"), STR("A"), STR("b\r\nX: y"), "value");
	refuses(STR("GET"), STR("A"), STR("b\nX: y"), "value");
	refuses(STR("GET"), STR("A"), STR("b\0"), "value");
}
