/* What a runtime answers: a header and its payload, taken as each kind of reply. */
#include "dotnet/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_info(struct str payload, unsigned id)
{
	struct dotnet_process_info info;

	if (dotnet_process_info_parse(payload, id, &info, NULL) < 0)
		return;
	BUG_ON(!info.command_line || !info.os || !info.arch);
	BUG_ON(!info.version != !info.entry_assembly);
	BUG_ON(strlen(info.command_line) > payload.len * 2);
	dotnet_process_info_release(&info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str input = { (const char *)data, size };
	struct str head = { input.ptr, MIN(size, (size_t)DOTNET_HEADER_BYTES) };
	struct str payload = { head.ptr + head.len, size - head.len };
	struct dotnet_advertise a;
	struct dotnet_header h;
	uint64_t number;

	if (dotnet_header_parse(head, &h, NULL) == 0)
		BUG_ON(h.bytes > DOTNET_MESSAGE_MAX);
	dotnet_advertise_parse(input, &a, NULL);
	dotnet_reply_u64(payload, &number, NULL);
	parse_info(payload, DOTNET_PROCESS_INFO);
	parse_info(payload, DOTNET_PROCESS_INFO2);
	parse_info(payload, DOTNET_PROCESS_INFO3);
	return 0;
}
