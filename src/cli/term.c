#include "cli/term.h"

#include <langinfo.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static bool env_is_set(const char *name)
{
	const char *v = getenv(name);

	return v && *v;
}

bool term_is_live(FILE *f)
{
	const char *term = getenv("TERM");

	return isatty(fileno(f)) && term && strcmp(term, "dumb") != 0 && !env_is_set("CI");
}

bool term_has_colour(FILE *f)
{
	const char *force = getenv("CLICOLOR_FORCE");
	const char *term = getenv("TERM");

	if (env_is_set("NO_COLOR"))
		return false;
	if (force && *force && strcmp(force, "0") != 0)
		return true;
	return isatty(fileno(f)) && term && strcmp(term, "dumb") != 0;
}

bool term_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", NULL);
	bool utf8 = locale && !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");

	if (locale)
		freelocale(locale);
	return utf8;
}

unsigned term_columns(FILE *f)
{
	struct winsize size;

	if (ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return 80;
}

void term_error(const char *verb, const struct error *e)
{
	term_progress_end();
	fprintf(stderr, "assay%s%s: %s\n", *verb ? " " : "", verb, e->msg);
}

static bool line_shown;

/* Width in cells of text that is ASCII or narrow UTF-8: bytes that begin a character. */
static int cut_to_cells(const char *text, unsigned cells)
{
	int n = 0;

	for (; text[n]; n++)
		if ((text[n] & 0xc0) != 0x80 && cells-- == 0)
			break;
	return n;
}

void term_progress(const char *fmt, ...)
{
	static time_t last;
	char line[1024];
	time_t now = time(NULL);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (term_is_live(stderr)) {
		fprintf(stderr, "\r\033[K%.*s", cut_to_cells(line, term_columns(stderr) - 1), line);
		line_shown = true;
	} else if (now - last >= 5) {
		fprintf(stderr, "%s\n", line);
		last = now;
	}
}

void term_progress_end(void)
{
	if (line_shown)
		fputs("\r\033[K", stderr);
	line_shown = false;
}
