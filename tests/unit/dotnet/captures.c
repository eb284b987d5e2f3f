#include "captures.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static void read_stream(FILE *f, const char *path, struct strbuf *ret)
{
	char buf[65536];
	size_t n;

	if (!f)
		test_fail(__FILE__, __LINE__, "cannot open %s", path);
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		strbuf_add(ret, buf, n);
}

void capture_fixture(const char *name, struct strbuf *ret)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "dotnet/%s", name);
	f = fopen(test_fixture(path), "rb");
	read_stream(f, path, ret);
	fclose(f);
}

void capture_shared(const char *name, struct strbuf *ret)
{
	const char *root = getenv("ASSAY_SHARED"), *dot = strrchr(name, '.');
	const char *tool = !strcmp(dot, ".zst")	  ? "zstd -dcq"
			   : !strcmp(dot, ".zip") ? "unzip -p"
						  : "cat";
	char path[4096], command[4200];
	FILE *f;

	if (root)
		snprintf(path, sizeof(path), "%s/data/%s", root, name);
	else
		snprintf(path, sizeof(path), "%s/%s", test_fixture("../../../shared/data"), name);
	if (access(path, R_OK) != 0)
		test_skip("%s is not there", path);
	snprintf(command, sizeof(command), "%s '%s'", tool, path);
	f = popen(command, "r");
	read_stream(f, command, ret);
	if (pclose(f) != 0)
		test_skip("%s failed", command);
}
