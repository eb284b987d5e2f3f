#include "dotnet/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf.h"

#define MAGIC	  "DOTNET_IPC_V1" /* and its terminator: 14 bytes */
#define ADVERTISE "ADVR_V1"	  /* and its terminator: 8 bytes */

static const struct {
	uint32_t hresult;
	const char *words;
} error_words[] = {
	{ 0x80131384, "the command's payload is not as the runtime expects it" },
	{ 0x80131385, "this runtime does not know the command: it is too old" },
	{ 0x80131386, "the runtime did not recognise the message as one of its protocol" },
	{ 0x80131515, "not supported: the process was started with diagnostics switched off "
		      "(DOTNET_EnableDiagnostics), or its kind of runtime lacks the feature" },
	{ 0x8013135b, "not available yet: the runtime is still starting" },
	{ 0x80131371, "the runtime is not initialised yet" },
	{ 0x80004005, "the runtime failed without a reason; it has at most 64 sessions at a time" },
	{ 0x80070057, "an argument is not valid" },
	{ 0x8007007a, "a buffer was too small" },
	{ 0x800000cb, "there is no such environment variable" },
};

const char *dotnet_error_words(uint32_t hresult)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_words); i++)
		if (error_words[i].hresult == hresult)
			return error_words[i].words;
	return NULL;
}

/* ---- writing ---- */

static void put(struct strbuf *sb, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addch(sb, (char)(v >> (8 * i)));
}

/* One character of text that may not be valid UTF-8. */
static uint32_t next_character(struct str *s)
{
	static const uint8_t lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t n = str_utf8_length(*s, 0);
	uint32_t c = 0xfffd;

	if (n) {
		c = (uint8_t)s->ptr[0] & lead_bits[n];
		for (size_t i = 1; i < n; i++)
			c = c << 6 | ((uint8_t)s->ptr[i] & 0x3f);
	}
	n = n ? n : 1;
	*s = (struct str){ s->ptr + n, s->len - n };
	return c;
}

/* Units with the terminator, also for no text at all: so do the official tools. */
static void put_text(struct strbuf *sb, const char *text)
{
	struct str rest = str_from(text ? text : "");
	size_t at = sb->len;
	uint32_t units = 1;

	put(sb, 0, 4);
	while (rest.len) {
		uint32_t c = next_character(&rest);

		if (c >= 0x10000) {
			put(sb, 0xd800 + ((c - 0x10000) >> 10), 2);
			c = 0xdc00 + ((c - 0x10000) & 0x3ff);
			units++;
		}
		put(sb, c, 2);
		units++;
	}
	put(sb, 0, 2);
	for (unsigned i = 0; i < 4; i++)
		sb->ptr[at + i] = (char)(units >> (8 * i));
}

static size_t begin(struct strbuf *out, unsigned id)
{
	size_t at = out->len;

	strbuf_add(out, MAGIC, sizeof(MAGIC));
	put(out, 0, 2);
	put(out, id >> 8, 1);
	put(out, id & 0xff, 1);
	put(out, 0, 2);
	return at;
}

static int finish(struct strbuf *out, size_t at, struct error *reterr)
{
	size_t bytes = out->len - at;

	if (bytes > DOTNET_MESSAGE_MAX) {
		strbuf_truncate(out, at);
		return error_set(reterr, -E2BIG,
				 "a command of %zu bytes: the runtime takes at most %d, fewer or "
				 "shorter providers are needed",
				 bytes, DOTNET_MESSAGE_MAX);
	}
	out->ptr[at + sizeof(MAGIC)] = (char)bytes;
	out->ptr[at + sizeof(MAGIC) + 1] = (char)(bytes >> 8);
	return 0;
}

void dotnet_command_bare(struct strbuf *out, unsigned id)
{
	finish(out, begin(out, id), NULL);
}

void dotnet_command_u32(struct strbuf *out, unsigned id, uint32_t v)
{
	size_t at = begin(out, id);

	put(out, v, 4);
	finish(out, at, NULL);
}

void dotnet_command_stop(struct strbuf *out, uint64_t session)
{
	size_t at = begin(out, DOTNET_STOP_TRACING);

	put(out, session, 8);
	finish(out, at, NULL);
}

int dotnet_command_set_environment(struct strbuf *out, const char *name, const char *value,
				   struct error *reterr)
{
	size_t at = begin(out, DOTNET_SET_ENVIRONMENT);

	put_text(out, name);
	put_text(out, value);
	return finish(out, at, reterr);
}

static bool has_filter(const struct dotnet_session_wish *w)
{
	for (size_t i = 0; i < w->n_providers; i++)
		if (w->providers[i].n_events)
			return true;
	return false;
}

static bool rundown_is_chosen(const struct dotnet_session_wish *w)
{
	return w->rundown_keyword && w->rundown_keyword != DOTNET_RUNDOWN_DEFAULT;
}

unsigned dotnet_session_command(const struct dotnet_session_wish *w)
{
	if (w->block)
		return DOTNET_COLLECT_TRACING6;
	if (has_filter(w))
		return DOTNET_COLLECT_TRACING5;
	if (rundown_is_chosen(w))
		return DOTNET_COLLECT_TRACING4;
	return w->no_stacks ? DOTNET_COLLECT_TRACING3 : DOTNET_COLLECT_TRACING2;
}

unsigned dotnet_session_lost(const struct dotnet_session_wish *w, unsigned id)
{
	unsigned lost = 0;

	if (w->block && id < DOTNET_COLLECT_TRACING6)
		lost |= DOTNET_LOST_BLOCK;
	if (has_filter(w) && id < DOTNET_COLLECT_TRACING5)
		lost |= DOTNET_LOST_FILTER;
	if ((rundown_is_chosen(w) && id < DOTNET_COLLECT_TRACING4) ||
	    (w->rundown_keyword != DOTNET_RUNDOWN_DEFAULT && id == DOTNET_COLLECT_TRACING))
		lost |= DOTNET_LOST_RUNDOWN;
	if (w->no_stacks && id < DOTNET_COLLECT_TRACING3)
		lost |= DOTNET_LOST_NO_STACKS;
	return lost;
}

static void put_filter(struct strbuf *out, const struct dotnet_provider *p)
{
	put(out, p->n_events && !p->except, 1);
	put(out, p->n_events, 4);
	for (size_t i = 0; i < p->n_events; i++)
		put(out, p->events[i], 4);
}

static int put_providers(struct strbuf *out, unsigned id, const struct dotnet_session_wish *w,
			 struct error *reterr)
{
	if (!w->n_providers || w->n_providers > DOTNET_PROVIDERS_MAX)
		return error_set(reterr, -EINVAL, "a session needs 1 to %d providers, not %zu",
				 DOTNET_PROVIDERS_MAX, w->n_providers);
	put(out, w->n_providers, 4);
	for (size_t i = 0; i < w->n_providers; i++) {
		const struct dotnet_provider *p = &w->providers[i];

		if (!p->name || !*p->name)
			return error_set(reterr, -EINVAL, "a provider without a name");
		if (p->level > 5)
			return error_set(reterr, -EINVAL, "provider %s: level %u is not 0 to 5",
					 p->name, p->level);
		put(out, p->keywords, 8);
		put(out, p->level, 4);
		put_text(out, p->name);
		put_text(out, p->args);
		if (id >= DOTNET_COLLECT_TRACING5)
			put_filter(out, p);
	}
	return 0;
}

int dotnet_command_collect(struct strbuf *out, unsigned id, const struct dotnet_session_wish *w,
			   struct error *reterr)
{
	size_t at = begin(out, id);
	int r;

	if (id >= DOTNET_COLLECT_TRACING5)
		put(out, 0, 4); /* events as a stream on this connection */
	put(out, w->buffer_mb ? w->buffer_mb : 256, 4);
	put(out, 1, 4); /* nettrace, not its predecessor */
	if (id >= DOTNET_COLLECT_TRACING4)
		put(out, w->rundown_keyword, 8);
	else if (id >= DOTNET_COLLECT_TRACING2)
		put(out, w->rundown_keyword != 0, 1);
	if (id >= DOTNET_COLLECT_TRACING3)
		put(out, !w->no_stacks, 1);
	r = put_providers(out, id, w, reterr);
	if (r < 0) {
		strbuf_truncate(out, at);
		return r;
	}
	if (id >= DOTNET_COLLECT_TRACING6)
		put(out, w->block, 4);
	return finish(out, at, reterr);
}

/* ---- reading ---- */

static uint64_t get(struct str bytes, size_t at, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)bytes.ptr[at + i] << (8 * i);
	return v;
}

static bool take(struct str *rest, size_t n, struct str *ret)
{
	if (rest->len < n)
		return false;
	*ret = (struct str){ rest->ptr, n };
	*rest = (struct str){ rest->ptr + n, rest->len - n };
	return true;
}

/* NULL when the bytes end within it. */
static char *take_text(struct str *rest)
{
	CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct utf_decoder d = { .form = UTF_16LE, .keep_bom = true };
	struct str units;
	uint64_t n;

	if (!take(rest, 4, &units))
		return NULL;
	n = get(units, 0, 4);
	if (n > rest->len / 2 || !take(rest, (size_t)n * 2, &units))
		return NULL;
	if (n && !get(units, units.len - 2, 2))
		units.len -= 2;
	utf_decode(&d, units, true, &text);
	return strbuf_detach(&text);
}

int dotnet_header_parse(struct str bytes, struct dotnet_header *ret, struct error *reterr)
{
	size_t all;

	if (bytes.len != DOTNET_HEADER_BYTES || memcmp(bytes.ptr, MAGIC, sizeof(MAGIC)) != 0)
		return error_set(reterr, -EBADMSG,
				 "the answer is not of .NET's diagnostics protocol");
	all = (size_t)get(bytes, 14, 2);
	if (all < DOTNET_HEADER_BYTES)
		return error_set(reterr, -EBADMSG,
				 "the answer says it has %zu bytes, of which %d "
				 "are its header",
				 all, DOTNET_HEADER_BYTES);
	ret->id = (unsigned)(get(bytes, 16, 1) << 8 | get(bytes, 17, 1));
	ret->bytes = all - DOTNET_HEADER_BYTES;
	return 0;
}

void dotnet_process_info_release(struct dotnet_process_info *info)
{
	free(info->command_line);
	free(info->os);
	free(info->arch);
	free(info->entry_assembly);
	free(info->version);
	free(info->rid);
	*info = (struct dotnet_process_info){ 0 };
}

/* The third has its version in front, and says nothing of fields that later versions add. */
static int parse_info(struct str rest, unsigned id, struct dotnet_process_info *info)
{
	char **const texts[] = { &info->command_line,	&info->os,	&info->arch,
				 &info->entry_assembly, &info->version, &info->rid };
	size_t n = id == DOTNET_PROCESS_INFO ? 3 : id == DOTNET_PROCESS_INFO2 ? 5 : 6;
	struct str part;

	if (id == DOTNET_PROCESS_INFO3) {
		if (!take(&rest, 4, &part))
			return -EBADMSG;
		n = get(part, 0, 4) ? 6 : 5;
	}
	if (!take(&rest, 24, &part))
		return -EBADMSG;
	info->pid = get(part, 0, 8);
	memcpy(info->cookie, part.ptr + 8, sizeof(info->cookie));
	for (size_t i = 0; i < n; i++) {
		*texts[i] = take_text(&rest);
		if (!*texts[i])
			return -EBADMSG;
	}
	return 0;
}

int dotnet_process_info_parse(struct str payload, unsigned id, struct dotnet_process_info *ret,
			      struct error *reterr)
{
	struct dotnet_process_info info = { 0 };
	int r = parse_info(payload, id, &info);

	if (r < 0) {
		dotnet_process_info_release(&info);
		return error_set(reterr, r,
				 "the %zu bytes that describe the process are not as "
				 "the protocol says",
				 payload.len);
	}
	*ret = info;
	return 0;
}

static int reply_number(struct str payload, unsigned bytes, uint64_t *ret, struct error *reterr)
{
	if (payload.len < bytes)
		return error_set(reterr, -EBADMSG,
				 "an answer with %zu bytes where a number of %u was expected",
				 payload.len, bytes);
	*ret = get(payload, 0, bytes);
	return 0;
}

int dotnet_reply_u64(struct str payload, uint64_t *ret, struct error *reterr)
{
	return reply_number(payload, 8, ret, reterr);
}

int dotnet_reply_u32(struct str payload, uint32_t *ret, struct error *reterr)
{
	uint64_t v = 0;
	int r = reply_number(payload, 4, &v, reterr);

	if (r == 0)
		*ret = (uint32_t)v;
	return r;
}

int dotnet_advertise_parse(struct str bytes, struct dotnet_advertise *ret, struct error *reterr)
{
	if (bytes.len != DOTNET_ADVERTISE_BYTES ||
	    memcmp(bytes.ptr, ADVERTISE, sizeof(ADVERTISE)) != 0)
		return error_set(reterr, -EBADMSG,
				 "what dialled the diagnostic port is no .NET runtime");
	memcpy(ret->cookie, bytes.ptr + sizeof(ADVERTISE), sizeof(ret->cookie));
	ret->pid = get(bytes, sizeof(ADVERTISE) + sizeof(ret->cookie), 8);
	return 0;
}
