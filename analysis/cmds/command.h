/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_COMMAND_H
#define MEMSEARCH_CMDS_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The commands of the `memsearch` program: one const struct each, with one table of
 * options from which parsing, help, completion and the check of the man page come.
 *
 * To add a command: 1. cmds/NAME.c with `const struct command cmd_NAME`; 2. its row
 * in COMMAND_LIST; 3. analysis/man/memsearch-NAME.1; 4. a case in tests/cli/; 5. of its JSON, a
 * schema in report/schema/ and a row in tests/unit/json_outputs.c.
 */
struct arena;
struct text;

/* clang-format off */
#define COMMAND_LIST(X) \
	X(run) \
	X(report) \
	X(explain) \
	X(arrays) \
	X(numa) \
	X(try) \
	X(sweep) \
	X(diff) \
	X(export) \
	X(graph) \
	X(watch) \
	X(search) \
	X(agent) \
	X(list) \
	X(trace) \
	X(properties) \
	X(sir) \
	X(machine) \
	X(doctor) \
	X(import) \
	X(help)
/* clang-format on */

/* of every command; `run` gives the program's own status instead */
enum command_exit {
	COMMAND_OK = 0,
	COMMAND_REGRESSION = 1, /* only of a comparison with limits */
	COMMAND_USAGE = 2,
	COMMAND_BAD_DATA = 3, /* also when the result cannot be written */
};
#define COMMAND_GO_ON (-1) /* no exit code: the command continues */

/* what the offset of a row points at */
enum command_option_type {
	COMMAND_FLAG,   /* bool */
	COMMAND_STRING, /* const char *, any value; it stays in argv */
	/* const char *, one of the words of the metavariable: "text|json|csv" */
	COMMAND_CHOICE,
	/*
	 * const char *; the value is behind "=", or the next word if that ends with `constant`;
	 * else it is ""
	 */
	COMMAND_OPTIONAL,
	COMMAND_CONSTANT, /* const char *, takes no value and stores `constant` */
	COMMAND_UNSIGNED, /* uint64_t */
	COMMAND_CHECKED,  /* const char *, if `check` accepts it */
	/* the same; given again, its values are put together with commas, in memory that is kept */
	COMMAND_LIST_OF,
	/*
	 * the same with line breaks, for values that may have commas; one with a line break is
	 * refused
	 */
	COMMAND_LINES_OF,
};

struct command_option {
	const char *name; /* without dashes; NULL: has a letter only */
	char letter;      /* 0: none */
	enum command_option_type type;
	const char *metavariable; /* NULL where no value is taken */
	size_t offset;            /* of its place in the command's struct of values */
	const char *help;         /* lower case, no full stop */
	const char *initial;      /* the default where help is to name it; NULL, "": not */
	const char *constant;
	/* False: `error` (160 bytes) says why `value` is refused. NULL, of lists: none is. */
	bool (*check)(const char *name, const char *value, char *error);
};

struct command {
	const char *name;     /* as typed; the file's name */
	const char *operands; /* "[FILE]"; "" none */
	const char *summary;  /* one line, lower case, no full stop */
	const char *details;  /* paragraphs below the usage line, or NULL */
	/* "runs|regions": what completion offers as first operand; "": nothing; NULL: files */
	const char *operand_words;
	/* ended by a row without name and letter; -h is added to every table */
	const struct command_option *options;
	bool stop_at_operand; /* what follows the first operand is not ours: `run PROG -x` */
	/* argv[0] is the command's name. Returns the exit code. */
	int (*run)(const struct command *self, int argc, char **argv);
};

#define X(name) extern const struct command cmd_##name;
COMMAND_LIST(X)
#undef X

/*
 * The two rows every command has; `type` is its struct of values, with `const char *format` (NULL:
 * text).
 */
#define COMMAND_FORMAT_ROWS(values) \
	{ .name = "format", \
	  .type = COMMAND_CHOICE, \
	  .metavariable = "text|json|csv", \
	  .offset = offsetof(values, format), \
	  .help = "how to print the result (default: text)" }, \
		{ .name = "json", \
		  .type = COMMAND_CONSTANT, \
		  .constant = "json", \
		  .offset = offsetof(values, format), \
		  .help = "short for --format json" }

/* Ended by NULL, in the order of COMMAND_LIST. */
extern const struct command *const commands[];
const struct command *command_find(const char *name);
/* Says that there is no command of that name, and the nearest; returns COMMAND_USAGE. */
int command_none(const char *name);

/*
 * Parses argv[1 … argc) into `values`, which holds the defaults; the operands are moved to
 * argv[0 … *nr_operands_out), followed by NULL. COMMAND_GO_ON, or the exit code: help was
 * printed on stdout (0), or an error with the nearest name on stderr (2).
 */
int command_parse(const struct command *command, void *values, int argc, char **argv,
		  int *nr_operands_out);
/* A decimal number without sign; false: it is none, or too large. */
bool command_parse_unsigned(const char *value, uint64_t *out);

/* Says on stderr what is wrong and where help is; returns COMMAND_USAGE. */
int command_usage(const struct command *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/*
 * "unknown KIND 'WORD'; did you mean 'NAME'?" with the nearest of `names`; returns COMMAND_USAGE.
 */
int command_unknown(const struct command *command, const char *kind, const char *word,
		    const char *const *names, size_t nr);

/*
 * Writes all of it to stdout, on a terminal through a pager (pager.h); COMMAND_OK, or
 * COMMAND_BAD_DATA with one line on stderr.
 */
int command_print(const struct text *text);

#endif
