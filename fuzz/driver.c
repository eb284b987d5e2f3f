/*
 * driver.c - runs a fuzz target without libFuzzer: over every file of the folders and files given,
 * and over every shorter beginning of each (the cheapest mutation there is, and the one that finds
 * most reads past the end). Prints TAP. Each input lies in a heap block of its own size, so that
 * the address sanitizer sees a read past it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_BYTES    (1 << 20)
#define MAX_PREFIXES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned number;

static int fail(const char *what, const char *path)
{
	printf("not ok %u - %s %s: %s\n", ++number, what, path, strerror(errno));
	return 1;
}

static void run_one(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + !size);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int run_file(const char *path)
{
	static uint8_t data[MAX_BYTES];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f)
		return fail("opening", path);
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	for (size_t n = 0; n < size && n < MAX_PREFIXES; n++)
		run_one(data, n);
	run_one(data, size);
	printf("ok %u - %s\n", ++number, path);
	fflush(stdout);
	return 0;
}

static int is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static int run_folder(const char *path)
{
	struct dirent **names;
	int n = scandir(path, &names, is_visible, alphasort), bad = 0;
	char file[4096];

	if (n < 0)
		return fail("listing", path);
	for (int i = 0; i < n; i++) {
		snprintf(file, sizeof(file), "%s/%s", path, names[i]->d_name);
		bad |= run_file(file);
		free(names[i]);
	}
	free(names);
	return bad;
}

int main(int argc, char **argv)
{
	struct stat st;
	int bad = 0;

	for (int i = 1; i < argc; i++) {
		if (stat(argv[i], &st) < 0)
			bad |= fail("finding", argv[i]);
		else
			bad |= S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i]);
	}
	printf("1..%u\n", number);
	return bad || !number;
}
