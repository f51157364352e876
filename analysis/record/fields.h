/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_FIELDS_H
#define MEMSEARCH_RECORD_FIELDS_H

#include <stddef.h>
#include <stdint.h>

/*
 * What struct run consists of, once, as data: the record's writer and reader and the store's tables
 * are all driven by these lists. Not here: how anything is encoded.
 *
 * To add a field to struct run: 1. its row in fields.c, at the end of its list, with its rule
 * (below) and `.since` = the next STORE_VERSION (analysis/store/schema.h); 2. raise STORE_VERSION.
 * In a list that others contain (source, code_address, reading) also raise RECORD_VERSION
 * (format.h): only rows of whole tables may grow without that.
 */
enum field_type {
	FIELD_STRING,
	FIELD_BOOL,
	FIELD_INT,
	FIELD_U32,
	FIELD_U64,
	FIELD_DOUBLE,
	/* u32 in memory; its name in files, or a number that a list of names explains */
	FIELD_ENUM,
	FIELD_STRUCT, /* lies inside */
	/* pointer, with a size_t count in another field; two arrays may share a count */
	FIELD_ARRAY,
};

/*
 * What a value read from a file must be; run_check (run_check.h) enforces it, so that no later code
 * checks again. Without a rule: a string that is missing reads as "", an INT is not negative, a
 * DOUBLE is finite.
 */
enum field_rule {
	RULE_PLAIN,
	/*
	 * STRING: may be missing (NULL); STRUCT: not filled in (all zero) while its first string is
	 * missing
	 */
	RULE_OPTIONAL,
	RULE_SIZE,    /* DOUBLE: finite, not negative */
	RULE_UNKNOWN, /* DOUBLE: any; NAN: not known */
	RULE_OWN,     /* U32: the number of its row */
	/* U32: an earlier row of the same table; UINT32_MAX in row 0 */
	RULE_EARLIER,
	RULE_EARLIER_OR_NONE, /* U32: an earlier row of the same table, or UINT32_MAX */
	/* U32: a row of the table whose length lies at `rows`; or UINT32_MAX */
	RULE_ROW,
	RULE_ROW_OR_NONE,
};

/* Names of an enumeration: stable identifiers, never reused for something else. */
struct field_names {
	uint32_t id; /* in records; never reused */
	uint32_t nr;
	const char *(*name)(unsigned int value);
	uint32_t fallback; /* stands for a name that this version does not know */
};

struct fields;

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
	size_t count_offset;             /* ARRAY */
	const struct fields *of;         /* STRUCT, ARRAY */
	const struct field_names *names; /* ENUM */
	uint32_t since;                  /* schema version of the store; 0 is 1 */
	enum field_rule rule;
	/* RULE_ROW, RULE_ROW_OR_NONE: offset of that table's length in struct run */
	size_t rows;
};

struct fields {
	size_t bytes; /* of one struct */
	size_t nr;
	const struct field *list;
};

/* One array of struct run. */
struct run_table {
	const char *name; /* of the store's table */
	uint32_t id;      /* in records; never reused */
	uint32_t since;   /* schema version of the store; 0 is 1 */
	const struct fields *fields;
	size_t items, nr, room; /* offsets in struct run */
};

extern const struct fields run_fields; /* all of struct run but its tables */
/* in an order in which rows refer to earlier tables only */
extern const struct run_table run_tables[];
extern const size_t nr_run_tables;
extern const struct field_names *const field_name_lists[];
extern const size_t nr_field_name_lists;

struct run;
/* one table of one run */
struct run_table_view {
	void **items;
	size_t *nr, *room;
};
struct run_table_view run_table_of(const struct run_table *table, const struct run *run);

/* Value of a name; the list's fallback for one it does not have (NULL too). */
uint32_t field_names_value(const struct field_names *names, const char *name);

#endif
