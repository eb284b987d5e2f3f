#include <errno.h>

#include "os/file.h"
#include "report/report.h"

static int write_one(const char *dir, const char *name, const struct strbuf *content,
		     struct error *reterr)
{
	CLEANUP(mem_cleanup) char *path = xasprintf("%s/%s", dir, name);

	return file_write_atomic(path, strbuf_str(content), reterr);
}

int report_write_folder(const char *dir, const struct case_finding *f, struct error *reterr)
{
	static const struct {
		const char *name;
		void (*render)(struct strbuf *sb, const struct case_finding *f);
	} files[] = {
		{ "case.json", report_json },
		{ "report.md", report_markdown },
		{ "report.html", report_html },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
		int r;

		files[i].render(&sb, f);
		r = write_one(dir, files[i].name, &sb, reterr);
		if (r < 0)
			return r;
	}
	return 0;
}
