/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: options, operands, mistakes, help and completion from the tables. */
#include "analysis/cmds/command.h"
#include "analysis/cmds/command_help.h"

#include <stdlib.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/report/text.h"
#include "tests/unit/test.h"

struct values {
	const char *format, *file, *checked;
	bool all, brief;
	uint64_t most;
};

static bool check(const char *name, const char *value, char *error)
{
	snprintf(error, 160, "%s does not like '%s'", name, value);
	return !strcmp(value, "good");
}

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct values),
	{ .name = "all",
	  .letter = 'a',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct values, all),
	  .help = "all of it" },
	{ .name = "brief",
	  .letter = 'b',
	  .type = COMMAND_FLAG,
	  .offset = offsetof(struct values, brief),
	  .help = "less" },
	{ .name = "most",
	  .letter = 'n',
	  .type = COMMAND_UNSIGNED,
	  .metavariable = "N",
	  .offset = offsetof(struct values, most),
	  .help = "at most N",
	  .initial = "9" },
	{ .letter = 'o',
	  .type = COMMAND_STRING,
	  .metavariable = "FILE",
	  .offset = offsetof(struct values, file),
	  .help = "to FILE" },
	{ .name = "checked",
	  .type = COMMAND_CHECKED,
	  .metavariable = "WORD",
	  .offset = offsetof(struct values, checked),
	  .check = check,
	  .help = "a help text that is so long that it cannot stand on one line of the help, which has eighty columns" },
	{ 0 }
};

static const struct command sample = {
	.name = "sample", .operands = "FILE", .summary = "an example", .options = options
};

/* Words separated by blanks; the result holds code, values and operands. */
struct result {
	struct values values;
	int code, nr;
	char line[256], *argv[32];
	char error[512];
};

static void parse(struct result *result, const struct command *command, const char *line)
{
	int argc = 0, pipes[2], saved = dup(STDERR_FILENO);
	ssize_t length;

	memset(result, 0, sizeof(*result));
	snprintf(result->line, sizeof(result->line), "sample %s", line);
	for (char *word = result->line, *next; word && *word && argc < 31; word = next) {
		next = strchr(word, ' ');
		if (next)
			*next++ = '\0';
		result->argv[argc++] = word;
	}
	CHECK_THAT(pipe(pipes), ==, 0);
	dup2(pipes[1], STDERR_FILENO);
	result->code = command_parse(command, &result->values, argc, result->argv, &result->nr);
	dup2(saved, STDERR_FILENO);
	close(pipes[1]);
	length = read(pipes[0], result->error, sizeof(result->error) - 1);
	close(pipes[0]);
	close(saved);
	CHECK_THAT(length, >=, 0);
}

TEST(command__options_in_all_their_forms)
{
	static const struct {
		int line;
		const char *words;
		const char *format, *file;
		bool all, brief;
		uint64_t most;
		const char *operands;
	} rows[] = {
		{ __LINE__, "", NULL, NULL, false, false, 0, "" },
		{ __LINE__, "--format json x", "json", NULL, false, false, 0, "x " },
		{ __LINE__, "--format=csv", "csv", NULL, false, false, 0, "" },
		{ __LINE__, "--json", "json", NULL, false, false, 0, "" },
		{ __LINE__, "a --all b", NULL, NULL, true, false, 0, "a b " },
		{ __LINE__, "-ab -n 3", NULL, NULL, true, true, 3, "" },
		{ __LINE__, "-abn3", NULL, NULL, true, true, 3, "" },
		{ __LINE__, "-oname -b", NULL, "name", false, true, 0, "" },
		{ __LINE__, "-o -b", NULL, "-b", false, false, 0, "" },
		{ __LINE__, "-- --all -b", NULL, NULL, false, false, 0, "--all -b " },
		{ __LINE__, "- -a", NULL, NULL, true, false, 0, "- " },
		{ __LINE__, "--most=18446744073709551615", NULL, NULL, false, false, UINT64_MAX,
		  "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char operands[128] = "";
		struct result result;

		parse(&result, &sample, rows[i].words);
		for (int j = 0; j < result.nr; j++) {
			strncat(operands, result.argv[j], 60);
			strncat(operands, " ", 2);
		}
		if (result.code != COMMAND_GO_ON || strcmp(operands, rows[i].operands) != 0 ||
		    result.argv[result.nr] ||
		    strcmp(result.values.format ? result.values.format : "",
			   rows[i].format ? rows[i].format : "") != 0 ||
		    strcmp(result.values.file ? result.values.file : "",
			   rows[i].file ? rows[i].file : "") != 0 ||
		    result.values.all != rows[i].all || result.values.brief != rows[i].brief ||
		    result.values.most != rows[i].most)
			test_fail(__FILE__, rows[i].line, "'%s' gives %d, operands '%s', %s",
				  rows[i].words, result.code, operands, result.error);
	}
}

TEST(command__mistakes_are_named)
{
	static const struct {
		int line;
		const char *words, *error;
	} rows[] = {
		{ __LINE__, "--fromat json",
		  "memsearch: unknown option '--fromat'; did you mean '--format'?\n" },
		{ __LINE__, "--xyzxyzxyz=3",
		  "memsearch: unknown option '--xyzxyzxyz'; see `memsearch sample -h`\n" },
		{ __LINE__, "-az", "memsearch: unknown option '-z'; see `memsearch sample -h`\n" },
		{ __LINE__, "--format xml",
		  "memsearch: --format: 'xml' is not one of text|json|csv; see `memsearch sample -h`\n" },
		{ __LINE__, "--format jso",
		  "memsearch: --format: 'jso' is not one of text|json|csv; see `memsearch sample -h`\n" },
		{ __LINE__, "--all=1",
		  "memsearch: --all takes no value; see `memsearch sample -h`\n" },
		{ __LINE__, "--most",
		  "memsearch: --most needs a value: N; see `memsearch sample -h`\n" },
		{ __LINE__, "-n", "memsearch: -n needs a value: N; see `memsearch sample -h`\n" },
		{ __LINE__, "-n -1",
		  "memsearch: -n: '-1' is not a whole number; see `memsearch sample -h`\n" },
		{ __LINE__, "--most=18446744073709551616",
		  "memsearch: --most: '18446744073709551616' is not a whole number; see `memsearch sample -h`\n" },
		{ __LINE__, "--checked bad",
		  "memsearch: --checked: checked does not like 'bad'; see `memsearch sample -h`\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct result result;

		parse(&result, &sample, rows[i].words);
		if (result.code != COMMAND_USAGE || strcmp(result.error, rows[i].error) != 0)
			test_fail(__FILE__, rows[i].line, "%d: %s", result.code, result.error);
	}
}

TEST(command__lists_take_values_again)
{
	static const struct command_option lists[] = { { .name = "word",
							 .type = COMMAND_LIST_OF,
							 .metavariable = "WORDS",
							 .offset = offsetof(struct values,
									    checked) },
						       { .name = "line",
							 .type = COMMAND_LINES_OF,
							 .metavariable = "LINE",
							 .offset = offsetof(struct values, file) },
						       { 0 } };
	static const struct command command = {
		.name = "sample", .operands = "", .summary = "an example", .options = lists
	};
	struct result result;

	parse(&result, &command, "--word a,b --line X=1,2 --word c --line=Y=3,4 --line Z");
	CHECK_INT(result.code, COMMAND_GO_ON);
	CHECK_STR(result.values.checked, "a,b,c");
	CHECK_STR(result.values.file, "X=1,2\nY=3,4\nZ");
	parse(&result, &command, "--line a\nb");
	CHECK_INT(result.code, COMMAND_USAGE);
	CHECK_STR(result.error,
		  "memsearch: --line: 'a?b' has a line break; see `memsearch sample -h`\n");
}

TEST(command__the_first_operand_can_end_our_options)
{
	const struct command run = {
		.name = "run", .operands = "PROGRAM", .options = options, .stop_at_operand = true
	};
	struct result result;

	parse(&result, &run, "-a prog -b -- --most x");
	CHECK_INT(result.code, COMMAND_GO_ON);
	CHECK(result.values.all && !result.values.brief);
	CHECK_INT(result.nr, 5);
	CHECK_STR(result.argv[2], "--");
	parse(&result, &run, "-- -a");
	CHECK_INT(result.nr, 1);
	CHECK_STR(result.argv[0], "-a");
}

static struct text new_text(void)
{
	struct text text;

	text_init(&text, arena_new());
	return text;
}

TEST(command__help_comes_from_the_table)
{
	struct text out = new_text();

	command_help(&out, &sample);
	CHECK_STR(
		out.bytes,
		"usage: memsearch sample [OPTIONS] FILE\n\nan example\n\n"
		"      --format text|json|csv\n                            how to print the result (default: text)\n"
		"      --json                short for --format json\n"
		"  -a, --all                 all of it\n"
		"  -b, --brief               less\n"
		"  -n, --most N              at most N (default: 9)\n"
		"  -o FILE                   to FILE\n"
		"      --checked WORD        a help text that is so long that it cannot stand on\n"
		"                            one line of the help, which has eighty columns\n"
		"  -h, --help                print this help\n");
	out = new_text();
	command_list_options(&out, &sample);
	CHECK(strstr(out.bytes, "--most\t-n\tN\tat most N (default: 9)\n\t-o\tFILE\tto FILE\n") !=
	      NULL);
}

TEST(command__completion)
{
	static const struct {
		int line;
		const char *words[6];
		const char *offers;
	} rows[] = {
		{ __LINE__, { "rep" }, "report\n" },
		{ __LINE__, { "nothing" }, "" },
		{ __LINE__, { "nothing", "" }, "" },
		{ __LINE__, { "help", "li" }, "list\n" },
		{ __LINE__, { "report", "--f" }, "--format\n" },
		{ __LINE__,
		  { "report", "--format", "" },
		  "text\njson\ncsv\nhtml\ngithub\nsarif\n" },
		{ __LINE__, { "report", "--format", "c" }, "csv\n" },
		{ __LINE__, { "report", "--html", "" }, ":records\n" },
		{ __LINE__, { "report", "" }, ":records\n" },
		{ __LINE__, { "list", "re" }, "regions\n" },
		{ __LINE__, { "list", "regions", "" }, ":records\n" },
		{ __LINE__, { "run", "prog", "--" }, ":files\n" },
		{ __LINE__, { "run", "-o", "" }, ":files\n" },
		{ __LINE__, { "run", "--restarts", "3", "--quie" }, "--quiet\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct text out = new_text();
		char *words[6];
		int nr = 0;

		for (; nr < 6 && rows[i].words[nr]; nr++)
			words[nr] = (char *)rows[i].words[nr];
		command_complete(&out, nr, words);
		if (strcmp(out.bytes ? out.bytes : "", rows[i].offers) != 0)
			test_fail(__FILE__, rows[i].line, "offers \"%s\"", out.bytes);
	}
}

/* What the tables of all commands have in common. */
TEST(command__every_command_is_complete)
{
	for (size_t i = 0; commands[i]; i++) {
		CHECK_THAT(command_find(commands[i]->name), ==, commands[i]);
		CHECK(commands[i]->summary && commands[i]->operands && commands[i]->run &&
		      commands[i]->options);
		for (const struct command_option *option = command_option_next(commands[i], NULL);
		     option; option = command_option_next(commands[i], option)) {
			CHECK(option->help && option->help[0]);
			CHECK(option->type != COMMAND_CHECKED || option->check);
			CHECK(option->type != COMMAND_CONSTANT || option->constant);
			CHECK_THAT(
				!option->metavariable, ==,
				(option->type == COMMAND_FLAG || option->type == COMMAND_CONSTANT));
		}
	}
}
