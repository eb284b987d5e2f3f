#include "cli/help.h"

#include <errno.h>

void help_overview(FILE *out)
{
	int width = 0;

	for (const struct verb *const *v = verbs; *v; v++)
		width = MAX(width, (int)strlen((*v)->name));
	fputs("assay takes a slow service from alarm to proof.\n\n"
	      "Usage: assay VERB [options] [arguments]\n\nVerbs:\n",
	      out);
	for (const struct verb *const *v = verbs; *v; v++)
		fprintf(out, "  %-*s %s\n", width, (*v)->name, (*v)->summary);
	fputs("\nassay VERB --help shows a verb's options and examples.\n"
	      "assay --version prints the version.\n"
	      "\nStart here: assay get http://127.0.0.1:8080/\n",
	      out);
}

static void option_line(FILE *out, const struct opt *o)
{
	char left[64];

	bool maybe = o->kind == OPT_MAYBE;

	snprintf(left, sizeof(left), "%c%c%s--%s%s%s%s", o->letter ? '-' : ' ',
		 o->letter ? o->letter : ' ', o->letter ? ", " : "  ", o->name,
		 maybe	    ? "[="
		 : o->value ? " "
			    : "",
		 o->value ? o->value : "", maybe ? "]" : "");
	if (strlen(left) <= 28)
		fprintf(out, "  %-28s  %s\n", left, o->help);
	else
		fprintf(out, "  %s\n  %-28s  %s\n", left, "", o->help);
}

void help_verb(FILE *out, const struct verb *v)
{
	fprintf(out, "assay %s - %s\n\nUsage: assay %s %s\n", v->name, v->summary, v->name,
		v->usage);
	if (v->about)
		fprintf(out, "\n%s\n", v->about);
	fputs("\nOptions:\n", out);
	for (const struct opt *o = v->opts; o && o->name; o++)
		option_line(out, o);
	fprintf(out, "  %-28s  %s\n", "-h, --help", "This text");
	if (v->examples)
		fputs("\nExamples:\n", out);
	for (const struct example *e = v->examples; e && e->command; e++)
		fprintf(out, "  %s\n      %s\n", e->command, e->says);
	fprintf(out, "\nMore: man assay-%.*s\n", (int)strcspn(v->name, " "), v->name);
}
