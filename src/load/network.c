#include "load/network.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/duration.h"

static const char *const option_keys[] = {
	"hosts",    "blacklistIPs", "blockHostnames",  "dns",
	"localIPs", "tlsVersion",   "tlsCipherSuites", "unixSocket",
};

static int expected(struct error *reterr, const char *key, const char *what)
{
	return error_set(reterr, -EINVAL, "options.%s: expected %s", key, what);
}

static struct str str_of(const json_t *text)
{
	return (struct str){ json_string_value(text), json_string_length(text) };
}

/* The option's value; NULL when it was not given. */
static json_t *option(const json_t *root, const char *key)
{
	json_t *v = json_object_get(root, key);

	return json_is_null(v) ? NULL : v;
}

/* --- names and addresses --- */

static int read_hosts(struct load_network *net, const json_t *root, struct error *reterr)
{
	json_t *hosts = option(root, "hosts"), *target;
	const char *pattern;

	if (!hosts)
		return 0;
	if (!json_is_object(hosts))
		return expected(reterr, "hosts", "an object of addresses");
	json_object_foreach(hosts, pattern, target)
	{
		if (!json_is_string(target))
			return expected(reterr, "hosts", "an address in quotes for each name");
		if (net_names_add_host(net->names, str_from(pattern), str_of(target), reterr) < 0)
			return error_wrap(reterr, "options.hosts");
	}
	return 0;
}

static int read_list(struct load_network *net, const json_t *root, const char *key,
		     int (*add)(struct net_names *, struct str, struct error *),
		     struct error *reterr)
{
	json_t *list = option(root, key), *item;
	size_t i;

	if (list && !json_is_array(list))
		return expected(reterr, key, "a list of texts");
	json_array_foreach(list, i, item)
	{
		if (!json_is_string(item))
			return expected(reterr, key, "a list of texts");
		if (add(net->names, str_of(item), reterr) < 0)
			return error_wrap(reterr, "options.%s", key);
	}
	return 0;
}

/* One socket for every name that has no address of its own. */
static int read_unix_socket(struct load_network *net, const json_t *root, struct error *reterr)
{
	CLEANUP(strbuf_release) struct strbuf target = STRBUF_INIT;
	const json_t *path = option(root, "unixSocket");

	if (!path)
		return 0;
	if (!json_is_string(path))
		return expected(reterr, "unixSocket", "a path");
	strbuf_addf(&target, "unix:%s", json_string_value(path));
	if (net_names_add_host(net->names, STR("*"), strbuf_str(&target), reterr) < 0)
		return error_set(reterr, -EINVAL,
				 "options.unixSocket: expected a path of at most 107 bytes");
	return 0;
}

static int read_names(struct load_network *net, const json_t *root, struct error *reterr)
{
	int r;

	net->names = net_names_new();
	r = read_hosts(net, root, reterr);
	if (r == 0)
		r = read_unix_socket(net, root, reterr);
	if (r == 0)
		r = read_list(net, root, "blockHostnames", net_names_block_host, reterr);
	if (r == 0)
		r = read_list(net, root, "blacklistIPs", net_names_block_net, reterr);
	return r;
}

static int read_local(struct load_network *net, const json_t *root, struct error *reterr)
{
	const json_t *text = option(root, "localIPs");

	if (!text)
		return 0;
	if (!json_is_string(text))
		return expected(reterr, "localIPs", "a text such as \"10.0.0.5-10.0.0.9\"");
	if (net_pool_new(&net->local, str_of(text), reterr) < 0)
		return error_wrap(reterr, "options.localIPs");
	return 0;
}

/* --- dns --- */

static int read_ttl(struct net_dns_opts *dns, struct str text)
{
	if (str_ieq(text, STR("inf"))) {
		dns->ttl_ns = UINT64_MAX;
		return 0;
	}
	if (duration_parse(text, &dns->ttl_ns) < 0)
		return -EINVAL;
	dns->no_cache = !dns->ttl_ns;
	return 0;
}

static int index_of(const char *const *names, size_t n, struct str text)
{
	for (size_t i = 0; i < n; i++)
		if (str_ieq(str_from(names[i]), text))
			return (int)i;
	return -EINVAL;
}

static int read_dns_field(struct net_dns_opts *dns, struct str key, struct str value,
			  struct error *reterr)
{
	static const char *const selects[] = { "first", "random", "roundRobin" };
	static const char *const policies[] = { "preferIPv4", "preferIPv6", "onlyIPv4", "onlyIPv6",
						"any" };
	int i;

	if (str_eq(key, STR("ttl")))
		return read_ttl(dns, value) < 0 ? expected(reterr, "dns.ttl",
							   "\"5m\" or another duration, or \"inf\"")
						: 0;
	if (str_eq(key, STR("select"))) {
		i = index_of(selects, ARRAY_SIZE(selects), value);
		dns->select = (enum net_dns_select)MAX(i, 0);
		return i < 0 ? expected(reterr, "dns.select", "first, random or roundRobin") : 0;
	}
	if (str_eq(key, STR("policy"))) {
		i = index_of(policies, ARRAY_SIZE(policies), value);
		dns->policy = (enum net_dns_policy)MAX(i, 0);
		return i < 0 ? expected(reterr, "dns.policy",
					"preferIPv4, preferIPv6, onlyIPv4, onlyIPv6 or any")
			     : 0;
	}
	return error_set(reterr, -EINVAL,
			 "options.dns: there is no '%.*s'; it has ttl, select and policy",
			 STR_FMT(key));
}

/* "ttl=5m,select=first": the form of a flag. */
static int read_dns_text(struct net_dns_opts *dns, struct str text, struct error *reterr)
{
	struct str part;
	int r = 0;

	while (r == 0 && str_split(&text, ',', &part)) {
		size_t eq = str_find(part, '=');
		struct str value = { part.ptr + eq + 1, eq < part.len ? part.len - eq - 1 : 0 };

		r = read_dns_field(dns, str_trim((struct str){ part.ptr, eq }), str_trim(value),
				   reterr);
	}
	return r;
}

static int read_dns(struct load_network *net, const json_t *root, struct error *reterr)
{
	json_t *dns = option(root, "dns"), *value;
	const char *key;
	char number[32];

	net->dns.select = NET_DNS_RANDOM;
	if (!dns)
		return 0;
	if (json_is_string(dns))
		return read_dns_text(&net->dns, str_of(dns), reterr);
	if (!json_is_object(dns))
		return expected(reterr, "dns", "an object of ttl, select and policy");
	json_object_foreach(dns, key, value)
	{
		struct str text = str_of(value);
		int r;

		if (json_is_null(value))
			continue;
		if (json_is_integer(value)) {
			snprintf(number, sizeof(number), "%lld",
				 (long long)json_integer_value(value));
			text = str_from(number);
		}
		r = read_dns_field(&net->dns, str_from(key), text, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- the whole --- */

static void keep_options(struct load_network *net, const json_t *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_keys); i++) {
		json_t *v = option(root, option_keys[i]);

		if (v)
			vec_push(&net->options,
				 ((struct load_network_option){
					 option_keys[i],
					 json_dumps(v, JSON_COMPACT | JSON_ENCODE_ANY) }));
	}
}

int load_network_read(struct load_network *net, const json_t *root, struct error *reterr)
{
	int r = read_names(net, root, reterr);

	keep_options(net, root);
	if (r == 0)
		r = read_local(net, root, reterr);
	if (r == 0)
		r = read_dns(net, root, reterr);
	if (r == 0)
		r = load_network_read_tls(net, root, reterr);
	return r;
}

void load_network_release(struct load_network *net)
{
	vec_for_each (&net->options, o)
		free(o->json);
	vec_release(&net->options);
	net_names_free(net->names);
	net_pool_free(net->local);
	net_tls_ciphers_release(&net->ciphers);
	net_tls_auth_free(net->auth);
}
