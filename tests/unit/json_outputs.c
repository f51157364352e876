/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program's commands print as JSON, by the schemas that are installed: every command that
 * prints JSON has one, and every schema a command.
 */
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/cmds/command.h"
#include "tests/host/scratch.h"
#include "tests/unit/json_value.h"

#define SCHEMAS "analysis/report/schema/"

/*
 * `words` NULL: needs recorded accesses or a parallel program; the test of the writer checks it
 * (numa.c, remedies.c), or it is another command's document.
 */
static const struct {
	const char *command, *words, *schema;
} outputs[] = {
	{ "run", NULL, "report-1" },
	{ "report", "--all sample.ms", "report-1" },
	{ "report", "sample.ms modelled.ms searched.ms", "report-1" },
	{ "arrays", "modelled.ms", "arrays-1" },
	{ "numa", NULL, "numa-1" },
	{ "try", NULL, "try-1" },
	{ "sweep", "--threads 1,2 --machine none --dry-run -- /bin/true", "sweep-steps-1" },
	{ "sweep", "--threads 1 --machine none --repeat 1 -o $S/x.db -- /bin/true", "sweep-1" },
	{ "diff", "before.ms after.ms", "diff-1" },
	{ "diff", "swept_2_close.ms swept_2_spread.ms", "diff-1" },
	{ "graph", "--foci sample.ms", "graph-1" },
	{ "search", "searched.ms", "search-1" },
	{ "search", "--compare searched.ms", "search-compare-1" },
	{ "list", "runs sample.ms", "list-runs-1" },
	{ "list", "regions sample.ms", "list-regions-1" },
	{ "list", "intervals sample.ms", "list-intervals-1" },
	{ "list", "counts sample.ms", "list-counts-1" },
	{ "list", "traces sample.ms", "list-traces-1" },
	{ "list", "sync sample.ms", "list-sync-1" },
	{ "list", "metrics sample.ms", "list-metrics-1" },
	{ "list", "metrics", "list-metrics-1" },
	{ "list", "events", "list-event-tables-1" },
	{ "list", "events cycles", "list-events-1" },
	{ "list", "events arm_a64fx", "list-events-1" },
	{ "list", "properties", "list-properties-1" },
	{ "list", "strategies", "list-strategies-1" },
	{ "list", "sensors sample.ms", "list-sensors-1" },
	{ "list", "machines", "list-machines-1" },
	{ "properties", "", "properties-1" },
	{ "properties", "SerialWork", "property-1" },
	{ "properties", "--check ../../properties", "mistakes-1" },
	{ "properties", "--check sampled.txt", "mistakes-1" },
	{ "machine", "altix-bx2", "machine-1" },
	{ "machine", "--list", "list-machines-1" },
	{ "machine", "--check sampled.txt", "mistakes-1" },
	{ "doctor", "", "doctor-1" },
	{ "help", "", "help-1" },
	{ "help", "run", "help-options-1" },
	{ "import", "-o $S/y.db sample.ms killed.ms", "import-1" },
};

#define NR (sizeof(outputs) / sizeof(outputs[0]))

/* Files are named from tests/experiments. */
static char *print(const char *command, const char *words, const char *scratch)
{
	const char *build = getenv("BUILD");
	char line[4096], *text = json_alloc(1 << 22);
	size_t nr;
	FILE *pipe;

	snprintf(line, sizeof(line),
		 "S='%s'; program=$(realpath '%s/bin/memsearch') && cd tests/experiments && "
		 "exec \"$program\" %s --json %s 2>/dev/null",
		 scratch, build ? build : "build", command, words);
	pipe = popen(line, "r");
	CHECK(pipe != NULL);
	nr = fread(text, 1, (1 << 22) - 1, pipe);
	text[nr] = '\0';
	pclose(pipe);
	if (!nr)
		test_fail(__FILE__, __LINE__, "prints nothing: %s %s", command, words);
	return text;
}

static const struct json_value *parse(const char *text)
{
	const char *error;
	const struct json_value *value = json_parse(text, &error);

	if (!value)
		test_fail(__FILE__, __LINE__, "not JSON (%s):\n%s", error, text);
	return value;
}

/* Members that the schema does not name would be checked by nothing. */
static void check_members(const struct json_value *root, const struct json_value *schema,
			  const struct json_value *value, const char *document)
{
	const struct json_value *reference = json_member(schema, "$ref"), *inner;

	if (reference)
		schema = json_refer(root, reference->string);
	for (const struct json_value *one = value->first; one; one = one->next) {
		inner = json_member(schema, "items");
		if (value->type == JSON_OBJECT)
			inner = json_member(json_member(schema, "properties"), one->key);
		if (inner)
			check_members(root, inner, one, document);
		else if (one->key && !json_member(schema, "additionalProperties"))
			test_fail(__FILE__, __LINE__, "the schema of '%s' has no member '%s'",
				  document, one->key);
	}
}

TEST(json_outputs__are_by_their_schemas)
{
	char root[4096], path[256], name[128];
	const struct json_value *schema;
	const char *scratch;

	CHECK(getcwd(root, sizeof(root)) != NULL);
	scratch = scratch_enter();
	CHECK(!chdir(root));

	for (size_t i = 0; i < NR; i++) {
		const char *text;

		if (!outputs[i].words)
			continue;
		text = print(outputs[i].command, outputs[i].words, scratch);
		snprintf(path, sizeof(path), SCHEMAS "memsearch-%s.schema.json", outputs[i].schema);
		snprintf(name, sizeof(name), "memsearch-%s", outputs[i].schema);
		if (!strstr(text, name))
			test_fail(__FILE__, __LINE__, "%s %s: not %s", outputs[i].command,
				  outputs[i].words, name);
		json_must_keep(path, text);
		schema = parse(json_read_file(path));
		check_members(schema, schema, parse(text), name);
	}
}

/* -- none without */

static bool prints_json(const struct command *command)
{
	const struct command_option *option = command->options;

	for (; option && (option->name || option->letter); option++)
		if (option->type == COMMAND_CHOICE && strstr(option->metavariable, "json"))
			return true;
	return false;
}

/* `word`: the first; NULL: any. */
static bool is_tested(const char *command, const char *word, size_t length)
{
	for (size_t i = 0; i < NR; i++)
		if (!strcmp(outputs[i].command, command) &&
		    (!word || (!strncmp(outputs[i].words, word, length) &&
			       strchr(" ", outputs[i].words[length]))))
			return true;
	return false;
}

TEST(json_outputs__no_command_is_without)
{
	const char *word = cmd_list.operand_words;
	size_t nr = 0;

	for (size_t i = 0; commands[i]; i++) {
		if (!prints_json(commands[i]))
			continue;
		nr++;
		if (!is_tested(commands[i]->name, NULL, 0))
			test_fail(__FILE__, __LINE__, "'%s' has no row here", commands[i]->name);
	}
	CHECK_THAT(nr, >, 10);
	for (size_t length; *word; word += length + (word[length] == '|')) {
		length = strcspn(word, "|");
		if (!is_tested("list", word, length))
			test_fail(__FILE__, __LINE__, "'list %.*s' has no row here", (int)length,
				  word);
	}
}

/* -- the schemas themselves */

/* Members have a description, or are constants, or described where they are defined. */
static size_t check_descriptions(const struct json_value *schema, const char *file)
{
	const struct json_value *properties = json_member(schema, "properties");
	size_t nr = 0;

	for (const struct json_value *one = properties ? properties->first : NULL; one;
	     one = one->next) {
		nr += json_member(one, "description") != NULL;
		nr += check_descriptions(one, file);
	}
	if (json_member(schema, "items"))
		nr += check_descriptions(json_member(schema, "items"), file);
	return nr;
}

static void check_schema(const char *file)
{
	char path[512], id[256], name[128];
	const struct json_value *schema;
	bool known = false;

	snprintf(path, sizeof(path), SCHEMAS "%s", file);
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(file) - strlen(".schema.json")), file);
	snprintf(id, sizeof(id), "urn:memsearch:%s", name + strlen("memsearch-"));
	schema = parse(json_read_file(path));
	if (!json_member(schema, "$id") || strcmp(json_member(schema, "$id")->string, id) != 0)
		test_fail(__FILE__, __LINE__, "%s: not $id %s", file, id);
	CHECK_STR(json_member(schema, "title")->string, name);
	CHECK(json_member(schema, "description") != NULL);
	CHECK_THAT(check_descriptions(schema, file), >, 0);
	for (size_t i = 0; i < NR; i++)
		known |= !strcmp(outputs[i].schema, name + strlen("memsearch-"));
	if (!known)
		test_fail(__FILE__, __LINE__, "%s: no command has it", file);
}

TEST(json_outputs__schemas_have_names_and_descriptions)
{
	DIR *folder = opendir(SCHEMAS);
	const struct dirent *entry;
	size_t nr = 0;

	CHECK(folder != NULL);
	while ((entry = readdir(folder)) != NULL) {
		if (!strstr(entry->d_name, ".schema.json"))
			continue;
		check_schema(entry->d_name);
		nr++;
	}
	closedir(folder);
	CHECK_THAT(nr, >, 20);
}
