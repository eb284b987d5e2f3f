#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
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

/* The buffer's own maximum is below what one read may bring. */
TEST(file_that_the_buffer_cannot_take_is_refused)
{
	CLEANUP(strbuf_release) struct strbuf sb = { .max = 20000 };
	struct error err = ERROR_INIT;

	ASSERT_INT(file_read("/dev/zero", 20000, &sb, &err), -E2BIG);
	ASSERT_TRUE(sb.len <= 20000);
}

TEST(file_that_is_a_device_is_written_to_and_stays)
{
	struct error err = ERROR_INIT;
	struct stat st;

	ASSERT_OK_ERR(file_write_atomic("/dev/null", STR("x"), &err), err);
	ASSERT_INT(file_write_atomic("/dev/full", STR("x"), &err), -ENOSPC);
	ASSERT_STREQ(err.msg, "writing /dev/full: No space left on device");
	ASSERT_TRUE(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
	ASSERT_TRUE(stat("/dev/full", &st) == 0 && S_ISCHR(st.st_mode));
}

TEST(file_behind_a_link_is_written_and_the_link_stays)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const char *folder = temporary_folder();
	struct error err = ERROR_INIT;
	char path[256], link[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/real", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	ASSERT_OK_ERR(file_write_atomic(path, STR("old"), &err), err);
	ASSERT_TRUE(symlink(path, link) == 0);
	ASSERT_OK_ERR(file_write_atomic(link, STR("new"), &err), err);
	ASSERT_TRUE(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
	ASSERT_OK_ERR(file_read(path, 100, &sb, &err), err);
	ASSERT_STREQ(strbuf_cstr(&sb), "new");
	unlink(link);
	unlink(path);
}

/* Someone holds the writing end open and has written: what is there comes, then the end. */
TEST(file_that_is_a_pipe_is_read)
{
	CLEANUP(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct error err = ERROR_INIT;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/pipe", temporary_folder());
	ASSERT_TRUE(mkfifo(path, 0600) == 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ASSERT_TRUE(fd >= 0 && write(fd, "abc", 3) == 3);
	ASSERT_INT(file_read(path, 2, &sb, &err), -E2BIG);
	close(fd);
	unlink(path);
}
