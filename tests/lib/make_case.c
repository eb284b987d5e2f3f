/*
 * make_case FOLDER - writes the case of case_rig.h as assay case run would: a run file a run and
 * case.json. For tests of the verbs that read such a folder.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "case_rig.h"
#include "report/report.h"
#include "store/writer.h"
#include "test.h"

/* The rig's way out; here there is no harness. */
void test_fail(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "%s:%d: ", file, line);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	exit(1);
}

static void write_run(const char *dir, const struct rig_spec *spec, size_t order)
{
	CLEANUP(mem_cleanup)
	char *path = xasprintf("%s/%s-%u.assay", dir, spec->variant, spec->index);
	struct error err = ERROR_INIT;
	struct store_writer *w;

	ASSERT_OK_ERR(store_writer_open(path, &w, &err), err);
	rig_write(store_writer_sink(w), spec, order);
	ASSERT_OK_ERR(store_writer_close(w, &err), err);
}

int main(int argc, char **argv)
{
	CLEANUP(cleanup_rig) struct rig *r = rig_new();
	CLEANUP(cleanup_case_finding) struct case_finding *f = rig_judge(r);
	struct error err = ERROR_INIT;

	if (argc != 2)
		return 2;
	for (size_t i = 0; i < rig_spec_count; i++)
		write_run(argv[1], &rig_specs[i], i + 1);
	ASSERT_OK_ERR(report_write_folder(argv[1], f, &err), err);
	return 0;
}
