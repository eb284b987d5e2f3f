#include "base/utf.h"

#include <errno.h>

#define REPLACEMENT	0xfffd
#define BYTE_ORDER_MARK 0xfeff

static void add_utf8(struct strbuf *out, uint32_t c)
{
	if (c < 0x80) {
		strbuf_addch(out, (char)c);
		return;
	}
	if (c < 0x800) {
		strbuf_addch(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			strbuf_addch(out, (char)(0xe0 | c >> 12));
		} else {
			strbuf_addch(out, (char)(0xf0 | c >> 18));
			strbuf_addch(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		strbuf_addch(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	strbuf_addch(out, (char)(0x80 | (c & 0x3f)));
}

static int emit(struct utf_decoder *d, uint32_t c, struct strbuf *out)
{
	bool mark = !d->begun && c == BYTE_ORDER_MARK && !d->keep_bom;

	d->begun = true;
	if (!mark)
		add_utf8(out, c);
	return 0;
}

static int fault(struct utf_decoder *d, struct strbuf *out)
{
	return d->fatal ? -EILSEQ : emit(d, REPLACEMENT, out);
}

/* ---- UTF-8 ---- */

static void expect(struct utf_decoder *d, uint8_t missing, uint32_t bits)
{
	d->missing = missing;
	d->character = bits;
	d->low = 0x80;
	d->high = 0xbf;
}

static int first_byte(struct utf_decoder *d, uint8_t b, struct strbuf *out)
{
	if (b < 0x80)
		return emit(d, b, out);
	if (b < 0xc2 || b > 0xf4)
		return fault(d, out);
	if (b < 0xe0) {
		expect(d, 1, b & 0x1f);
	} else if (b < 0xf0) {
		expect(d, 2, b & 0xf);
		d->low = b == 0xe0 ? 0xa0 : 0x80;
		d->high = b == 0xed ? 0x9f : 0xbf; /* no surrogates */
	} else {
		expect(d, 3, b & 7);
		d->low = b == 0xf0 ? 0x90 : 0x80;
		d->high = b == 0xf4 ? 0x8f : 0xbf;
	}
	return 0;
}

static int utf8_byte(struct utf_decoder *d, uint8_t b, struct strbuf *out)
{
	int r;

	if (!d->missing)
		return first_byte(d, b, out);
	if (b < d->low || b > d->high) {
		d->missing = 0;
		r = fault(d, out);
		return r ? r : first_byte(d, b, out);
	}
	expect(d, d->missing - 1, d->character << 6 | (b & 0x3f));
	return d->missing ? 0 : emit(d, d->character, out);
}

/* ---- UTF-16 ---- */

static bool is_lead(uint32_t unit)
{
	return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_trail(uint32_t unit)
{
	return unit >= 0xdc00 && unit < 0xe000;
}

static int utf16_unit(struct utf_decoder *d, uint16_t unit, struct strbuf *out)
{
	uint32_t lead = d->lead;
	int r = 0;

	d->lead = 0;
	if (lead && is_trail(unit))
		return emit(d, 0x10000 + ((lead - 0xd800) << 10) + (unit - 0xdc00u), out);
	if (lead)
		r = fault(d, out);
	if (r)
		return r;
	if (is_lead(unit)) {
		d->lead = unit;
		return 0;
	}
	return is_trail(unit) ? fault(d, out) : emit(d, unit, out);
}

static int utf16_byte(struct utf_decoder *d, uint8_t b, struct strbuf *out)
{
	if (!d->half) {
		d->half = true;
		d->first = b;
		return 0;
	}
	d->half = false;
	return utf16_unit(
		d, (uint16_t)(d->form == UTF_16LE ? b << 8 | d->first : d->first << 8 | b), out);
}

/* ---- both ---- */

static void begin_anew(struct utf_decoder *d)
{
	*d = (struct utf_decoder){ .form = d->form, .fatal = d->fatal, .keep_bom = d->keep_bom };
}

int utf_decode(struct utf_decoder *d, struct str bytes, bool last, struct strbuf *out)
{
	int r = 0;

	for (size_t i = 0; i < bytes.len && !r; i++)
		r = d->form == UTF_8 ? utf8_byte(d, (uint8_t)bytes.ptr[i], out)
				     : utf16_byte(d, (uint8_t)bytes.ptr[i], out);
	if (!r && last && (d->missing || d->half || d->lead))
		r = fault(d, out);
	if (r || last)
		begin_anew(d);
	return r;
}
