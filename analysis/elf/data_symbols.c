/* SPDX-License-Identifier: Apache-2.0 */
/* Data objects in the symbol tables of a file. */
#include "analysis/elf/data_symbols.h"

#include <ctype.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/elf/binary.h"
#include "analysis/elf/function_names.h"

static bool is_data(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_OBJECT || type == STT_TLS || type == STT_COMMON) &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS && symbol->st_size &&
	       symbol->st_value + symbol->st_size > symbol->st_value;
}

static void add_table(struct data_symbols *symbols, struct arena *arena, Elf *elf, Elf_Scn *section,
		      const GElf_Shdr *header, size_t *room)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < nr && i < INT_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
		const char *name = is_data(&symbol)
					   ? elf_strptr(elf, header->sh_link, symbol.st_name)
					   : NULL;

		if (!name || !*name)
			continue;
		if (!ARENA_GROW(arena, symbols->items, symbols->nr, *room))
			return;
		symbols->items[symbols->nr++] = (struct data_symbol){
			symbol.st_value, symbol.st_size, name,
			GELF_ST_TYPE(symbol.st_info) == STT_TLS
		};
	}
}

static void add_section(struct data_symbols *symbols, struct arena *arena, const GElf_Shdr *header,
			size_t *room)
{
	bool tls = header->sh_flags & SHF_TLS;
	uint64_t low = header->sh_addr - (tls ? symbols->tls_start : 0);

	if (!(header->sh_flags & SHF_ALLOC) || header->sh_flags & SHF_EXECINSTR ||
	    !header->sh_size || low + header->sh_size < low)
		return;
	if (ARENA_GROW(arena, symbols->sections, symbols->nr_sections, *room))
		symbols->sections[symbols->nr_sections++] = (struct data_section){
			low, low + header->sh_size, tls
		};
}

/* Where the TLS image begins: offsets count from there. */
static uint64_t tls_begin(Elf *elf)
{
	uint64_t begin = UINT64_MAX;
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_flags & SHF_TLS &&
		    header.sh_addr < begin)
			begin = header.sh_addr;
	return begin;
}

static void read_file(struct data_symbols *symbols, struct arena *arena, Elf *elf, bool own,
		      size_t rooms[2])
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (own)
		symbols->tls_start = tls_begin(elf);
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (own)
			add_section(symbols, arena, &header, &rooms[1]);
		if (header.sh_type == SHT_SYMTAB || (own && header.sh_type == SHT_DYNSYM))
			add_table(symbols, arena, elf, section, &header, &rooms[0]);
		symbols->complete |= header.sh_type == SHT_SYMTAB;
	}
}

/*
 * Of one address the largest first; of as large ones the name that sorts first, so that the order
 * of the file does not matter.
 */
static int by_address(const void *a, const void *b)
{
	const struct data_symbol *left = a, *right = b;

	if (left->thread_private != right->thread_private)
		return left->thread_private ? 1 : -1;
	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	if (left->bytes != right->bytes)
		return left->bytes > right->bytes ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int by_name(const void *a, const void *b)
{
	const struct data_symbol *left = *(const struct data_symbol *const *)a,
				 *right = *(const struct data_symbol *const *)b;

	return strcmp(left->name, right->name);
}

static void index_names(struct data_symbols *symbols, struct arena *arena)
{
	struct data_symbol *copies = arena_alloc(arena, (symbols->nr + 1) * sizeof(*copies));

	symbols->by_name = arena_alloc(arena, (symbols->nr + 1) * sizeof(*symbols->by_name));
	if (!copies || !symbols->by_name)
		return;
	for (size_t i = 0; i < symbols->nr; i++) {
		copies[i] = symbols->items[i];
		symbols->by_name[i] = &copies[i];
	}
	symbols->nr_names = symbols->nr;
	sort(symbols->by_name, symbols->nr_names, sizeof(*symbols->by_name), by_name);
}

static void keep_one_of_each_address(struct data_symbols *symbols)
{
	size_t kept = 0;

	for (size_t i = 0; i < symbols->nr; i++) {
		const struct data_symbol *last = kept ? &symbols->items[kept - 1] : NULL,
					 *symbol = &symbols->items[i];

		if (!last || last->address != symbol->address ||
		    last->thread_private != symbol->thread_private)
			symbols->items[kept++] = *symbol;
	}
	symbols->nr = kept;
}

struct data_symbols data_symbols_read(struct arena *arena, struct binary *binary)
{
	struct data_symbols symbols = { .complete = false };
	size_t rooms[2] = { 0, 0 };

	read_file(&symbols, arena, binary->file.elf, true, rooms);
	if (binary->debug.elf)
		read_file(&symbols, arena, binary->debug.elf, false, rooms);
	if (symbols.nr)
		sort(symbols.items, symbols.nr, sizeof(*symbols.items), by_address);
	index_names(&symbols, arena);
	keep_one_of_each_address(&symbols);
	return symbols;
}

static bool is_before(const struct data_symbol *symbol, uint64_t address, bool thread_private)
{
	return symbol->thread_private < thread_private ||
	       (symbol->thread_private == thread_private && symbol->address < address);
}

const struct data_symbol *data_symbols_at(const struct data_symbols *symbols, uint64_t address,
					  bool thread_private)
{
	size_t low = BISECT(i, symbols->nr, is_before(&symbols->items[i], address, thread_private));

	if (low == symbols->nr || symbols->items[low].address != address ||
	    symbols->items[low].thread_private != thread_private)
		return NULL;
	return &symbols->items[low];
}

const struct data_symbol *data_symbols_named(const struct data_symbols *symbols, const char *name)
{
	size_t low = BISECT(i, symbols->nr_names, strcmp(symbols->by_name[i]->name, name) < 0);

	return low < symbols->nr_names && !strcmp(symbols->by_name[low]->name, name)
		       ? symbols->by_name[low]
		       : NULL;
}

bool data_symbols_has_place(const struct data_symbols *symbols, uint64_t address, uint64_t bytes,
			    bool thread_private)
{
	for (size_t i = 0; i < symbols->nr_sections; i++) {
		const struct data_section *section = &symbols->sections[i];

		if (section->thread_private == thread_private && address >= section->low &&
		    address < section->high && bytes <= section->high - address)
			return true;
	}
	return false;
}

static bool begins_with_any(const char *text, const char *const *starts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(text, starts[i], strlen(starts[i])))
			return true;
	return false;
}

#define BEGINS_WITH_ANY(text, starts) \
	begins_with_any((text), (starts), sizeof(starts) / sizeof((starts)[0]))

/*
 * Names that begin with a dot, with two underscores or with one and a capital are not the
 * programmer's (C11, 7.1.3), except Fortran's modules and blank COMMON, flang's and C++'s mangled
 * names.
 */
static bool is_reserved(const char *name)
{
	if (name[0] == '.' || name[0] == '$')
		return true;
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_Q", 2) || !strcmp(name, "__BLNK__"))
		return false;
	return name[0] == '_' &&
	       (isupper((unsigned char)name[1]) || (name[1] == '_' && !strstr(name, "_MOD_")));
}

/*
 * Tables and guards of C++ (Itanium ABI, 5.1.4), string and array constants, what a run-time
 * library linked in has.
 */
static bool is_made(const char *name)
{
	static const char *const starts[] = {
		"_ZTV",          "_ZTI",           "_ZTS",
		"_ZTT",          "_ZGV",           "_ZGR",
		"_ZN7Fortran",   "_ZNK7Fortran",   "_ZZN7Fortran",
		"_ZZNK7Fortran", "_ZNSt",          "_ZSt",
		"_ZNKSt",        "_ZZNSt",         "_ZZNKSt",
		"_ZN9__gnu_cxx", "_ZZN9__gnu_cxx", "_ZN10__cxxabiv1",
		"_QQ",           "_QM__fortran",   "gomp_critical_user_",
		"switch.table.", "llvm.",          "anon.",
		"str.",          "CSWTCH.",        "completed.",
		"DW.ref.",
	};
	size_t length = strlen(name);

	if (BEGINS_WITH_ANY(name, starts) || strstr(name, "_FortranA") || strstr(name, "_MOD___") ||
	    !strcmp(name, "str"))
		return true;
	/* flang: copies of threadprivate variables */
	return length > 6 && !strcmp(name + length - 6, ".cache");
}

/*
 * gcc and gfortran: constants "C.1.2", "A.3.4567", "options.10.0"; a variable in a function has one
 * number.
 */
static bool has_two_numbers(const char *name)
{
	const char *first = strchr(name, '.'), *second = first ? strchr(first + 1, '.') : NULL;

	return second && isdigit((unsigned char)first[1]) && isdigit((unsigned char)second[1]);
}

/*
 * What optimizers put behind a variable's name: clang's tables of relative addresses, memory that
 * was allocated once, link-time optimization.
 */
static bool is_suffix(const char *text)
{
	static const char *const suffixes[] = { "llvm.", "lto_priv." };

	return isdigit((unsigned char)text[0]) || !strcmp(text, "rel") || !strcmp(text, "body") ||
	       BEGINS_WITH_ANY(text, suffixes);
}

/*
 * clang names a variable in a function "function.variable", and both compilers number those of one
 * name.
 */
static const char *in_function(struct arena *arena, const char *symbol)
{
	const char *dot = strchr(symbol, '.');
	size_t length;

	if (!dot || is_suffix(dot + 1))
		return arena_strndup(arena, symbol, strcspn(symbol, ".@"));
	length = strcspn(dot + 1, ".@");
	return length ? arena_printf(arena, "%.*s::%.*s", (int)(dot - symbol), symbol, (int)length,
				     dot + 1)
		      : NULL;
}

/*
 * flang: _Q, then for each scope a letter and a lower-case name: M module, S submodule, F the
 * procedure around or the main program without a name, E the variable, EC a constant.
 *
 *     _QMfieldsFrelaxEkept → fields::relax::kept        _QFElocal → local
 */
static const char *flang_variable(struct arena *arena, const char *symbol, bool *module_out)
{
	const char *at = symbol + 2, *name = "";

	while (name && (*at == 'M' || *at == 'S' || *at == 'F')) {
		size_t length = strcspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ.");

		*module_out |= *at == 'M';
		if (length)
			name = arena_printf(arena, "%s%.*s::", name, (int)length, at + 1);
		at += 1 + length;
	}
	if (!name || at[0] != 'E')
		return NULL;
	at += at[1] == 'C' ? 2 : 1;
	return *at && *at != '.' ? arena_printf(arena, "%s%.*s", name, (int)strcspn(at, "."), at)
				 : NULL;
}

static const char *without_anonymous(struct arena *arena, const char *name)
{
	static const char mark[] = "(anonymous namespace)::";
	const char *at = name ? strstr(name, mark) : NULL;

	return at ? arena_printf(arena, "%.*s%s", (int)(at - name), name, at + sizeof(mark) - 1)
		  : name;
}

const char *data_symbol_name(struct arena *arena, const char *symbol, bool fortran,
			     bool *common_out, bool *module_out)
{
	size_t length = strcspn(symbol, "@");

	*common_out = *module_out = false;
	if (is_reserved(symbol) || is_made(symbol) || has_two_numbers(symbol))
		return NULL;
	if (!strcmp(symbol, "__BLNK__")) {
		*common_out = true;
		return "//";
	}
	if (!strncmp(symbol, "_Z", 2))
		return without_anonymous(arena, name_user(arena, symbol, fortran));
	if (!strncmp(symbol, "_Q", 2))
		return flang_variable(arena, symbol, module_out);
	*module_out = strstr(symbol, "_MOD_") != NULL;
	if (*module_out)
		return name_user(arena, symbol, fortran);
	*common_out = fortran && length > 1 && symbol[length - 1] == '_' && !strchr(symbol, '.');
	return *common_out ? arena_strndup(arena, symbol, length - 1) : in_function(arena, symbol);
}
