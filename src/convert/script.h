/*
 * script.h - a k6 script being written: what readers of other forms (curl.h, har.h, openapi.h) make
 * of requests becomes text here, in one style. A reader fills a convert_request, has the call
 * written into the script's body, and notes what could not be carried over.
 */
#ifndef ASSAY_CONVERT_SCRIPT_H
#define ASSAY_CONVERT_SCRIPT_H

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vec.h"

enum convert_piece_kind {
	CONVERT_TEXT,	       /* as it is, with marks of variables (js.h) */
	CONVERT_FILE,	       /* a file's bytes; alone it may be binary */
	CONVERT_FILE_STRIPPED, /* a text file without its line ends */
	CONVERT_FILE_ENCODED,  /* a text file, %-encoded */
	CONVERT_BASE64,	       /* bytes, written in base64; alone only */
};

struct convert_piece {
	enum convert_piece_kind kind;
	struct strbuf text; /* or the file's path */
};

struct convert_header {
	struct strbuf name, value;
};

/* One of a multipart/form-data body. */
struct convert_part {
	struct strbuf name, value;     /* value: the text, or the path of a file */
	bool upload;		       /* value is a path; sent as a file */
	bool from_file;		       /* value is a path; its text is sent */
	bool base64;		       /* value is base64 of what is uploaded */
	struct strbuf file_name, type; /* empty = none */
};

struct convert_request {
	struct strbuf method, url; /* url with marks of variables; what a URL may not hold is
				    * %-encoded when it is written */
	VEC(struct convert_header) headers, cookies;
	VEC(struct convert_piece) pieces; /* the body, one after the other */
	VEC(struct convert_part) parts;	  /* or this */
	const char *spread;		  /* a constant whose headers are sent too, or NULL */
	const char *auth;		  /* "digest", "ntlm" or NULL */
	struct strbuf user;	/* "user:password", %-encoded: for auth, goes into the URL */
	struct strbuf tag_name; /* of its samples, instead of the URL; empty = none */
	int expected_status;	/* one that would count as failed, and does not; or 0 */
	int redirects;		/* at most; -1 = k6's default */
	uint64_t timeout_ns;	/* 0 = k6's default */
};

#define CONVERT_REQUEST_INIT                                                                       \
	{                                                                                          \
		.redirects = -1                                                                    \
	}
void convert_request_release(struct convert_request *r);

/* NULL when there is none; names in any case. */
struct convert_header *convert_request_header(struct convert_request *r, struct str name);
void convert_request_add_header(struct convert_request *r, struct str name, struct str value);

struct convert_script {
	const char *from;	 /* "a curl command" */
	const char *file_prefix; /* put before paths that are not absolute; NULL = nothing */
	struct strbuf notes;	 /* lines: what was not carried over */
	struct strbuf options;	 /* lines within the options, indented */
	struct strbuf init;	 /* lines of the init code, in front of the functions */
	struct strbuf body;	 /* the functions, or the lines within the default one */
	bool whole;		 /* body has functions */
	bool uses_group, uses_sleep, uses_encoding;
	unsigned files; /* opened so far */
};

void convert_script_release(struct convert_script *s);
void convert_note(struct convert_script *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/*
 * Appends the expression `http.post(...)` to the body, without a semicolon; indent is that of the
 * line it is in. -EINVAL when it cannot be written: two parts of one name and a file among them.
 */
int convert_script_call(struct convert_script *s, const struct convert_request *r, unsigned indent,
			struct error *reterr);

/* The whole script. */
void convert_script_fmt(const struct convert_script *s, struct strbuf *out);

#endif
