#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "test.h"

static const char *temporary_folder(void)
{
	static char path[] = "/tmp/assay-file-XXXXXX";

	ASSERT_TRUE(mkdtemp(path));
	return path;
}

static int count_entries(const char *path)
{
	DIR *d = opendir(path);
	int n = -2; /* . and .. */

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

TEST(file_is_written_whole_and_read_back)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/a/b", temporary_folder());
	ASSERT_OK_ERR(file_make_dirs(path, &err), err);
	ASSERT_OK_ERR(file_make_dirs(path, &err), err);
	strcat(path, "/f");
	ASSERT_OK_ERR(file_write_atomic(path, STR("one"), &err), err);
	ASSERT_OK_ERR(file_write_atomic(path, STR("two\n"), &err), err);
	ASSERT_OK_ERR(file_read(path, 100, &sb, &err), err);
	ASSERT_STREQ(strbuf_cstr(&sb), "two\n");
	ASSERT_INT(file_read(path, 3, &sb, &err), -E2BIG);
	ASSERT_HAS(err.msg, "larger than the 3 bytes");
	unlink(path);
}

TEST(file_of_proc_has_no_size_but_is_read)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;

	ASSERT_OK_ERR(file_read("/proc/self/stat", 4096, &sb, &err), err);
	ASSERT_TRUE(sb.len > 10);
	ASSERT_INT(file_read("/proc/self/nothing", 10, &sb, &err), -ENOENT);
	ASSERT_STREQ(err.msg, "opening /proc/self/nothing: No such file or directory");
}

/* A rename onto a folder fails after the temporary file was written: it must not stay. */
TEST(file_that_cannot_be_written_leaves_nothing)
{
	const char *folder = temporary_folder();
	struct error err = ERROR_INIT;
	char path[256];

	snprintf(path, sizeof(path), "%s/target", folder);
	ASSERT_OK_ERR(file_make_dirs(path, &err), err);
	ASSERT_TRUE(file_write_atomic(path, STR("x"), &err) < 0);
	ASSERT_INT(count_entries(folder), 1);
	rmdir(path);
}
