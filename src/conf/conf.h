/*
 * conf.h - YAML files with positions. The file becomes a tree of nodes that remember line and
 * column, and a reader names the keys it knows, so that a wrong key is reported with its place and
 * the nearest right key. A subset of YAML on purpose: one document, no anchors, aliases or tags.
 */
#ifndef ASSAY_CONF_CONF_H
#define ASSAY_CONF_CONF_H

#include "base/error.h"
#include "base/str.h"

#define CONF_FILE_MAX  (1024 * 1024)
#define CONF_DEPTH_MAX 16

enum conf_kind { CONF_SCALAR, CONF_MAP, CONF_LIST };

struct conf_node {
	enum conf_kind kind;
	unsigned line, column; /* from 1 */
	char *key;	       /* under a map; NULL in lists and at the top */
	unsigned key_line, key_column;
	char *text;  /* of a scalar */
	size_t len;  /* of text, which may have NUL bytes when the file is JSON */
	bool quoted; /* the scalar is a text, whatever it looks like; else null, true, 1 are not */
	struct conf_node *children;
	size_t n_children;
};

struct conf {
	char *name; /* of the file, for messages */
	struct conf_node root;
};

/* text may be any bytes. name is used in messages only. The caller frees *ret. */
int conf_parse(struct str text, const char *name, struct conf **ret, struct error *reterr);
struct conf *conf_free(struct conf *c); /* NULL in, NULL out */
DEFINE_CLEANUP(conf, struct conf *, conf_free)

/*
 * A document of other people's: JSON (RFC 8259, strictly) when it begins with { or [, else YAML as
 * above; larger and deeper than our own files. Of two equal keys in JSON the first counts.
 */
#define CONF_DOCUMENT_MAX	(256u << 20)
#define CONF_DOCUMENT_DEPTH_MAX 200
int conf_parse_document(struct str text, const char *name, struct conf **ret, struct error *reterr);

/* "FILE:LINE:COLUMN: message" with the place of node n; returns -EINVAL. */
int conf_error(const struct conf *c, const struct conf_node *n, struct error *reterr,
	       const char *fmt, ...) PRINTF_LIKE(4, 5);

/* Checks that n is a map whose keys are all in known (ends with NULL). */
int conf_check_keys(const struct conf *c, const struct conf_node *n, const char *const *known,
		    struct error *reterr);

/* Child of a map by key, or NULL (also when n is NULL or no map). */
const struct conf_node *conf_get(const struct conf_node *n, const char *key);

/*
 * Typed readers of a child. An absent key leaves *ret as it is and returns 0; a value of the wrong
 * form is an error with its place. Strings are borrowed from the tree.
 */
int conf_get_string(const struct conf *c, const struct conf_node *n, const char *key,
		    const char **ret, struct error *reterr);
int conf_get_double(const struct conf *c, const struct conf_node *n, const char *key, double *ret,
		    struct error *reterr);
int conf_get_uint(const struct conf *c, const struct conf_node *n, const char *key, uint64_t *ret,
		  struct error *reterr);
int conf_get_duration(const struct conf *c, const struct conf_node *n, const char *key,
		      uint64_t *ret_ns, struct error *reterr);
int conf_get_bytes(const struct conf *c, const struct conf_node *n, const char *key, uint64_t *ret,
		   struct error *reterr);

/* As above, but the key must be there. */
int conf_need(const struct conf *c, const struct conf_node *n, const char *key,
	      const struct conf_node **ret, struct error *reterr);

#endif
