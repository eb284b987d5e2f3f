/*
 * Shell completion made from the descriptors. The bash function does the work; zsh loads it through
 * bashcompinit; fish has its own declarative form.
 */
#include "cli/help.h"

#include <errno.h>

static void bash_options(FILE *out, const struct verb *v)
{
	for (const struct opt *o = v->opts; o && o->name; o++)
		fprintf(out, "--%s ", o->name);
	fputs("--help", out);
}

static void bash_answer(FILE *out, const char *completes)
{
	if (completes && !strcmp(completes, "file"))
		fputs("COMPREPLY=($(compgen -f -- \"$cur\"))", out);
	else if (completes && !strcmp(completes, "dir"))
		fputs("COMPREPLY=($(compgen -d -- \"$cur\"))", out);
	else
		fprintf(out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\"))",
			completes ? completes : "");
}

static void bash_verb(FILE *out, const struct verb *v)
{
	fprintf(out, "\t\"%s\")\n\t\tcase \"$prev\" in\n", v->name);
	for (const struct opt *o = v->opts; o && o->name; o++) {
		if (!o->value || o->kind == OPT_MAYBE)
			continue;
		fprintf(out, "\t\t--%s) ", o->name);
		bash_answer(out, o->completes);
		fputs("; return ;;\n", out);
	}
	fputs("\t\tesac\n\t\tif [[ \"$cur\" == -* ]]; then "
	      "COMPREPLY=($(compgen -W \"",
	      out);
	bash_options(out, v);
	fputs("\" -- \"$cur\")); return; fi\n\t\t", out);
	bash_answer(out, v->completes);
	fputs("\n\t\t;;\n", out);
}

/* Some verbs have a name of two words; the first may be a verb of its own. */
static void bash_second_words(FILE *out)
{
	for (const struct verb *const *v = verbs; *v; v++) {
		const char *blank = strchr((*v)->name, ' ');

		if (blank)
			fprintf(out,
				"\t[[ \"$one\" == %.*s ]] && ((COMP_CWORD == 2)) && "
				"COMPREPLY+=($(compgen -W \"%s\" -- \"$cur\"))\n",
				(int)(blank - (*v)->name), (*v)->name, blank + 1);
	}
	fputs("\treturn 0\n", out);
}

static void bash_completion(FILE *out)
{
	fputs("# completion for assay; load it with: source <(assay completion bash)\n"
	      "_assay() {\n"
	      "\tlocal cur=\"${COMP_WORDS[COMP_CWORD]}\" prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
	      "\tlocal one=\"${COMP_WORDS[1]:-}\" two=\"${COMP_WORDS[2]:-}\" verb\n"
	      "\tlocal verbs=\"",
	      out);
	for (const struct verb *const *v = verbs; *v; v++)
		fprintf(out, "%s%.*s", v == verbs ? "" : " ", (int)strcspn((*v)->name, " "),
			(*v)->name);
	fputs("\"\n\tif ((COMP_CWORD == 1)); then "
	      "COMPREPLY=($(compgen -W \"$verbs --help --version\" -- \"$cur\")); return; fi\n"
	      "\tverb=\"$one\"\n",
	      out);
	for (const struct verb *const *v = verbs; *v; v++)
		if (strchr((*v)->name, ' '))
			fprintf(out, "\t[[ \"$one $two\" == \"%s\" ]] && verb=\"%s\"\n", (*v)->name,
				(*v)->name);
	fputs("\tcase \"$verb\" in\n", out);
	for (const struct verb *const *v = verbs; *v; v++)
		bash_verb(out, *v);
	fputs("\tesac\n", out);
	bash_second_words(out);
	fputs("}\ncomplete -F _assay assay\n", out);
}

static void fish_verb(FILE *out, const struct verb *v)
{
	int first = (int)strcspn(v->name, " ");

	fprintf(out, "complete -c assay -n __fish_use_subcommand -a %.*s -d '%s'\n", first, v->name,
		v->summary);
	for (const struct opt *o = v->opts; o && o->name; o++) {
		fprintf(out, "complete -c assay -n '__fish_seen_subcommand_from %.*s' -l %s", first,
			v->name, o->name);
		if (o->letter)
			fprintf(out, " -s %c", o->letter);
		fputs(o->value && o->kind != OPT_MAYBE ? " -r" : "", out);
		for (const char *c = (fputs(" -d '", out), o->help); *c; c++) {
			if (*c == '\'')
				fputc('\\', out);
			fputc(*c, out);
		}
		fputs("'\n", out);
	}
}

int help_completion(FILE *out, const char *shell)
{
	if (!strcmp(shell, "bash")) {
		bash_completion(out);
		return 0;
	}
	if (!strcmp(shell, "zsh")) {
		fputs("#compdef assay\n"
		      "# completion for assay; load it with: source <(assay completion zsh)\n"
		      "autoload -U +X bashcompinit && bashcompinit\n",
		      out);
		bash_completion(out);
		return 0;
	}
	if (!strcmp(shell, "fish")) {
		fputs("# completion for assay; load it with: assay completion fish | source\n",
		      out);
		for (const struct verb *const *v = verbs; *v; v++)
			fish_verb(out, *v);
		return 0;
	}
	return -EINVAL;
}
