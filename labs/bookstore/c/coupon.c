/*
 * The pattern is one alternative per code, "^(SPRING-05|SPRING-10|...)$", as it comes out of code
 * that joins a list. Its size is why compiling it is worth a few per cent of the slow checkout.
 */
#include "coupon.h"

#include <errno.h>
#include <stdlib.h>

static const char *const words[COUPON_WORDS] = {
	"SPRING",  "SUMMER", "AUTUMN",	"WINTER",  "READER",
	"STUDENT", "FAMILY", "HOLIDAY", "WELCOME", "CLASSIC",
};

void coupon_write(FILE *f, int word, int number)
{
	fprintf(f, "%s-%02d", words[word], 5 + 5 * number);
}

static char *pattern_text(void)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;

	fputs("^(", f);
	for (int i = 0; i < COUPON_WORDS * COUPON_NUMBERS; i++) {
		if (i > 0)
			fputc('|', f);
		coupon_write(f, i / COUPON_NUMBERS, i % COUPON_NUMBERS);
	}
	fputs(")$", f);

	if (fclose(f) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

int coupon_pattern_init(struct coupon_pattern *p)
{
	char *text = pattern_text();
	int rc;

	if (!text)
		return -ENOMEM;

	rc = regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB);
	free(text);
	return rc == 0 ? 0 : -ENOMEM;
}

bool coupon_pattern_match(const struct coupon_pattern *p, const char *code)
{
	return regexec(&p->regex, code, 0, NULL, 0) == 0;
}

void coupon_pattern_release(struct coupon_pattern *p)
{
	regfree(&p->regex);
}
