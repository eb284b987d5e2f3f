#include "convert/percent.h"

#include "convert/js.h"

void convert_percent(struct strbuf *out, struct str s, const char *plain, bool blank_is_plus)
{
	bool mark = false;

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		bool stays = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
			     (c && strchr(plain, c));

		mark |= s.ptr[i] == CONVERT_VAR_BEGIN;
		if (mark || stays)
			strbuf_addch(out, s.ptr[i]);
		else if (c == ' ' && blank_is_plus)
			strbuf_addch(out, '+');
		else
			strbuf_addf(out, "%%%02X", c);
		mark &= s.ptr[i] != CONVERT_VAR_END;
	}
}
