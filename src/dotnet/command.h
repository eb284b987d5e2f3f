/*
 * command.h - the messages of the .NET runtime's diagnostics protocol, made and read: no I/O here.
 *
 * Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md; where the runtimes and
 * the official tools do otherwise, as they do (an empty text is sent with its terminator,
 * ProcessInfo3 takes no payload). All numbers are little-endian, texts UTF-16.
 *
 *	header:  "DOTNET_IPC_V1\0", u16 bytes in all, u8 set, u8 id, u16 0
 *	reply:   set 0xff, id 0 (done) or 0xff (refused, with an HRESULT)
 */
#ifndef ASSAY_DOTNET_COMMAND_H
#define ASSAY_DOTNET_COMMAND_H

#include "base/error.h"
#include "base/strbuf.h"

#define DOTNET_HEADER_BYTES  20
#define DOTNET_MESSAGE_MAX   65535
#define DOTNET_PROVIDERS_MAX 1000

/* Set and id of a command as one number, as they follow each other in the header. */
enum dotnet_command_id {
	DOTNET_STOP_TRACING = 0x0201,
	DOTNET_COLLECT_TRACING = 0x0202,  /* .NET Core 3.0; the whole rundown, always */
	DOTNET_COLLECT_TRACING2 = 0x0203, /* 5: with or without rundown */
	DOTNET_COLLECT_TRACING3 = 0x0204, /* 8: without stacks */
	DOTNET_COLLECT_TRACING4 = 0x0205, /* 9: a rundown of chosen keywords */
	DOTNET_COLLECT_TRACING5 = 0x0206, /* 10: chosen events of a provider */
	DOTNET_COLLECT_TRACING6 = 0x0207, /* 11: a full buffer makes the runtime wait */
	DOTNET_PROCESS_INFO = 0x0400,	  /* 5 */
	DOTNET_RESUME = 0x0401,		  /* 5 */
	DOTNET_SET_ENVIRONMENT = 0x0403,  /* 6 */
	DOTNET_PROCESS_INFO2 = 0x0404,	  /* 6 */
	DOTNET_ENABLE_PERF_MAP = 0x0405,  /* 8 */
	DOTNET_DISABLE_PERF_MAP = 0x0406, /* 8 */
	DOTNET_PROCESS_INFO3 = 0x0408,	  /* 8 */
	DOTNET_REPLY_OK = 0xff00,
	DOTNET_REPLY_ERROR = 0xffff,
};

enum {
	DOTNET_E_FAIL = 0x80004005,
	DOTNET_E_BAD_ENCODING = 0x80131384,
	DOTNET_E_UNKNOWN_COMMAND = 0x80131385,
	DOTNET_E_BAD_MAGIC = 0x80131386,
	DOTNET_E_NOT_SUPPORTED = 0x80131515,
	DOTNET_E_NOT_YET_AVAILABLE = 0x8013135b,
	DOTNET_E_UNINITIALISED = 0x80131371,
};

/* What a runtime's error number means, in words; NULL when it is none that we know. */
const char *dotnet_error_words(uint32_t hresult);

/* ---- commands ---- */

#define DOTNET_PERF_MAP_ONLY 3 /* EnablePerfMap: perf's map, no jit dump beside it */

/* Without a payload, or with one of a number. */
void dotnet_command_bare(struct strbuf *out, unsigned id);
void dotnet_command_u32(struct strbuf *out, unsigned id, uint32_t v);
void dotnet_command_stop(struct strbuf *out, uint64_t session);
int dotnet_command_set_environment(struct strbuf *out, const char *name, const char *value,
				   struct error *reterr);

struct dotnet_provider {
	const char *name;
	const char *args; /* "Key=Value;Key=Value"; NULL = none */
	uint64_t keywords;
	uint32_t level; /* 0 to 5 */
	/* Only these events, or with `except` all but these; none = all events. */
	const uint32_t *events;
	size_t n_events;
	bool except;
};

/* The rundown that CollectTracing2 stands for: methods, modules and their names. */
#define DOTNET_RUNDOWN_DEFAULT UINT64_C(0x80020139)

/* What a session is wished to be. Zeroed: 256 MB, no rundown. All is borrowed. */
struct dotnet_session_wish {
	const struct dotnet_provider *providers; /* each name once */
	size_t n_providers;
	uint32_t buffer_mb;	  /* in the target, used as needed; 0 = 256 */
	uint64_t rundown_keyword; /* 0 = none */
	bool no_stacks;
	bool block; /* a full buffer stops the target's threads instead of losing events */
};

/* The parts of a wish that a command of an older runtime cannot express. */
enum dotnet_lost {
	DOTNET_LOST_BLOCK = 1 << 0,    /* events may be lost when the buffer is full */
	DOTNET_LOST_FILTER = 1 << 1,   /* all events of the providers come */
	DOTNET_LOST_RUNDOWN = 1 << 2,  /* the default rundown comes instead of the chosen one */
	DOTNET_LOST_NO_STACKS = 1 << 3 /* stacks come though nobody wants them */
};

/* The lowest command that expresses all of the wish. */
unsigned dotnet_session_command(const struct dotnet_session_wish *w);

/* What is lost when `id` is sent for the wish: bits of enum dotnet_lost. */
unsigned dotnet_session_lost(const struct dotnet_session_wish *w, unsigned id);

/* Any CollectTracing; -EINVAL for a provider without name or a level above 5, -E2BIG above 64 KiB.
 */
int dotnet_command_collect(struct strbuf *out, unsigned id, const struct dotnet_session_wish *w,
			   struct error *reterr);

/* ---- replies ---- */

struct dotnet_header {
	unsigned id;  /* set and id */
	size_t bytes; /* of the payload */
};

/* Exactly DOTNET_HEADER_BYTES; -EBADMSG when they are not of this protocol. */
int dotnet_header_parse(struct str bytes, struct dotnet_header *ret, struct error *reterr);

struct dotnet_process_info {
	uint64_t pid; /* in the process's own namespace */
	uint8_t cookie[16];
	/* Owned UTF-8. The last three are NULL where the runtime has not told. */
	char *command_line, *os, *arch;
	char *entry_assembly, *version, *rid;
};

void dotnet_process_info_release(struct dotnet_process_info *info);

/* The payload of a reply to ProcessInfo, 2 or 3. */
int dotnet_process_info_parse(struct str payload, unsigned id, struct dotnet_process_info *ret,
			      struct error *reterr);

/* The number that a reply begins with: a session's id, a result. */
int dotnet_reply_u64(struct str payload, uint64_t *ret, struct error *reterr);
int dotnet_reply_u32(struct str payload, uint32_t *ret, struct error *reterr);

/* "ADVR_V1\0", cookie, u64 pid, u16 0: what a runtime says when it dials a port of ours. */
#define DOTNET_ADVERTISE_BYTES 34

struct dotnet_advertise {
	uint8_t cookie[16];
	uint64_t pid; /* in the process's own namespace */
};

int dotnet_advertise_parse(struct str bytes, struct dotnet_advertise *ret, struct error *reterr);

#endif
