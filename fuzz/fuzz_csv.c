/*
 * CSV: the first byte is the delimiter. Reading ends, every record is as wide as the first one, its
 * fields are terminated, and together they are no longer than the input.
 */
#include "load/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(load_csv_release) struct load_csv csv;
	struct error err = ERROR_INIT;
	size_t width = 0, total = 0;
	int r;

	load_csv_init(&csv, (struct str){ size ? (const char *)data + 1 : "", size ? size - 1 : 0 },
		      size ? (char)data[0] : ',');
	while ((r = load_csv_next(&csv, &err)) > 0) {
		BUG_ON(!csv.fields.len || (width && csv.fields.len != width));
		width = csv.fields.len;
		vec_for_each (&csv.fields, f) {
			BUG_ON(f->ptr[f->len]);
			total += f->len;
		}
	}
	BUG_ON(total > size);
	BUG_ON(r < 0 && !err.msg[0]);
	return 0;
}
