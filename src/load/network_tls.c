/* The options of TLS: tlsVersion, tlsCipherSuites, tlsAuth. */
#include <errno.h>
#include <jansson.h>

#include "load/network.h"

static struct str str_of(const json_t *text)
{
	return (struct str){ json_string_value(text), json_string_length(text) };
}

/* --- versions --- */

static int read_version(const json_t *value, const char *key, enum net_tls_version *ret,
			struct error *reterr)
{
	static const char *const names[] = { "", "tls1.0", "tls1.1", "tls1.2", "tls1.3" };

	if (!value || json_is_null(value))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (json_is_string(value) && str_ieq(str_of(value), str_from(names[i]))) {
			*ret = (enum net_tls_version)i;
			return 0;
		}
	return error_set(reterr, -EINVAL,
			 "options.%s: expected \"tls1.0\", \"tls1.1\", \"tls1.2\" or \"tls1.3\"",
			 key);
}

static int read_versions(struct load_network *net, const json_t *root, struct error *reterr)
{
	const json_t *value = json_object_get(root, "tlsVersion");
	struct net_tls_opts *tls = &net->tls;
	int r;

	if (!json_is_object(value)) {
		r = read_version(value, "tlsVersion", &tls->min_version, reterr);
		tls->max_version = tls->min_version;
		return r;
	}
	r = read_version(json_object_get(value, "min"), "tlsVersion.min", &tls->min_version,
			 reterr);
	if (r == 0)
		r = read_version(json_object_get(value, "max"), "tlsVersion.max", &tls->max_version,
				 reterr);
	if (r == 0 && tls->max_version && tls->max_version < tls->min_version)
		return error_set(reterr, -EINVAL, "options.tlsVersion: max lies below min");
	return r;
}

/* --- cipher suites --- */

static int read_ciphers(struct load_network *net, const json_t *root, struct error *reterr)
{
	json_t *list = json_object_get(root, "tlsCipherSuites"), *item;
	struct net_tls_ciphers *c = &net->ciphers;
	size_t i;

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list))
		return error_set(reterr, -EINVAL, "options.tlsCipherSuites: expected a list");
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return error_set(reterr, -EINVAL,
					 "options.tlsCipherSuites: expected a list of names");
		if (net_tls_ciphers_add(c, str_of(item), reterr) < 0)
			return error_wrap(reterr, "options.tlsCipherSuites");
	}
	if (json_array_size(list) && !c->tls12.len && !c->tls13.len)
		return error_set(reterr, -EINVAL,
				 "options.tlsCipherSuites: the TLS library has none of these");
	net->tls.ciphers = c->tls12.len ? strbuf_cstr(&c->tls12) : NULL;
	net->tls.ciphers13 = c->tls13.len ? strbuf_cstr(&c->tls13) : NULL;
	if (net->tls.ciphers13 && !net->tls.ciphers)
		net->tls.min_version = NET_TLS_1_3;
	return 0;
}

/* --- client certificates --- */

static int read_domains(struct load_network *net, json_t *domains, const char *where,
			struct error *reterr)
{
	json_t *item;
	size_t i;

	if (domains && !json_is_null(domains) && !json_is_array(domains))
		return error_set(reterr, -EINVAL, "%s.domains: expected a list of names", where);
	json_array_foreach(domains, i, item)
	{
		if (!json_is_string(item))
			return error_set(reterr, -EINVAL, "%s.domains: expected a list of names",
					 where);
		net_tls_auth_add_domain(net->auth, str_of(item));
	}
	return 0;
}

static int read_identity(struct load_network *net, const json_t *value, const char *where,
			 struct error *reterr)
{
	const json_t *cert = json_object_get(value, "cert"), *key = json_object_get(value, "key");
	const json_t *password = json_object_get(value, "password");

	if (!json_is_string(cert) || !json_is_string(key))
		return error_set(reterr, -EINVAL,
				 "%s: expected {cert, key}, the texts of PEM files, with domains "
				 "and password if need be",
				 where);
	if (net_tls_auth_add(net->auth, str_of(cert), str_of(key),
			     json_is_string(password) && json_string_length(password)
				     ? json_string_value(password)
				     : NULL,
			     reterr) < 0)
		return error_wrap(reterr, "%s", where);
	return read_domains(net, json_object_get(value, "domains"), where, reterr);
}

static int read_auth(struct load_network *net, const json_t *root, struct error *reterr)
{
	json_t *list = json_object_get(root, "tlsAuth"), *item;
	char where[64];
	size_t i;

	if (!list || json_is_null(list) || (json_is_array(list) && !json_array_size(list)))
		return 0;
	if (!json_is_array(list))
		return error_set(reterr, -EINVAL, "options.tlsAuth: expected a list");
	net->auth = net_tls_auth_new();
	net->tls.auth = net->auth;
	json_array_foreach(list, i, item)
	{
		int r;

		snprintf(where, sizeof(where), "options.tlsAuth[%zu]", i);
		r = read_identity(net, item, where, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

int load_network_read_tls(struct load_network *net, const struct json_t *root, struct error *reterr)
{
	int r = read_versions(net, root, reterr);

	if (r == 0)
		r = read_ciphers(net, root, reterr);
	if (r == 0)
		r = read_auth(net, root, reterr);
	return r;
}
