/* SPDX-License-Identifier: Apache-2.0 */
/* The set-ups that memsearch supports or refuses, each with how it is recognised. */
#include "analysis/cmds/setups.h"

#include <string.h>

#include "analysis/cmds/doctor_machine.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"
#include "analysis/report/text.h"

/* Versions of LLVM whose libomp was tried: whole programs; sequences of events. */
#define TESTED_VERSION 19
#define SEQUENCES_VERSION 14

/* -- programs */

static bool has_file(const struct setup_case *about)
{
	return about->file != NULL;
}

static bool is_elf(const struct setup_case *about)
{
	return has_file(about) && about->file->elf;
}

static bool is_set_id(const struct setup_case *about)
{
	return has_file(about) && (about->file->set_id || about->file->capabilities);
}

static bool is_foreign(const struct setup_case *about)
{
	return is_elf(about) && about->file->foreign;
}

static bool is_script(const struct setup_case *about)
{
	return has_file(about) && !about->file->elf;
}

/* Can be looked into. */
static bool is_ours(const struct setup_case *about)
{
	return is_elf(about) && !about->file->foreign;
}

static bool is_static(const struct setup_case *about)
{
	return is_ours(about) && about->file->is_static;
}

static bool has_static_libgomp(const struct setup_case *about)
{
	return is_ours(about) && about->file->contains_libgomp;
}

static bool has_static_libomp(const struct setup_case *about)
{
	return is_ours(about) && about->file->contains_libomp;
}

static bool has_static_libomp_with_tools(const struct setup_case *about)
{
	return has_static_libomp(about) && about->file->has_tools;
}

static bool has_static_libomp_without_tools(const struct setup_case *about)
{
	return has_static_libomp(about) && !about->file->has_tools;
}

static bool has_no_openmp(const struct setup_case *about)
{
	return is_ours(about) && !about->not_asked && !about->runtime->libomp &&
	       !about->runtime->libgomp && !about->runtime->libiomp &&
	       !about->file->contains_libomp && !about->file->contains_libgomp;
}

/* It asks for one that the loader does not find. */
static bool lacks_openmp(const struct setup_case *about)
{
	static const char *const names[] = { "libomp.so", "libiomp5.so", "libgomp.so" };

	for (size_t i = 0; has_no_openmp(about) && i < about->file->nr_needed; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			if (!strncmp(about->file->needed[i], names[j], strlen(names[j])))
				return true;
	return false;
}

static bool asks_for_no_openmp(const struct setup_case *about)
{
	return has_no_openmp(about) && !lacks_openmp(about);
}

static bool has_no_lines(const struct setup_case *about)
{
	return is_ours(about) && about->no_lines;
}

static bool is_flang(const struct setup_case *about)
{
	return is_ours(about) && about->file->flang;
}

/* -- runtimes */

static bool swapped(const struct setup_case *about)
{
	return has_file(about) && (about->runtime->swap == LAUNCH_SWAP_LINK ||
				   about->runtime->swap == LAUNCH_SWAP_PRELOAD);
}

static bool keeps_libgomp(const struct setup_case *about)
{
	return has_file(about) && about->runtime->swap == LAUNCH_SWAP_KEPT;
}

/* Each answers calls of its own. */
static bool has_two_runtimes(const struct setup_case *about)
{
	return keeps_libgomp(about) && (about->runtime->libomp || about->runtime->libiomp);
}

static bool has_no_libomp(const struct setup_case *about)
{
	return has_file(about) && about->runtime->swap == LAUNCH_SWAP_NO_LIBOMP;
}

static bool has_no_folder(const struct setup_case *about)
{
	return has_file(about) && about->runtime->swap == LAUNCH_SWAP_NO_FOLDER;
}

static bool swap_is_refused(const struct setup_case *about)
{
	return has_file(about) && about->runtime->swap == LAUNCH_SWAP_REFUSED;
}

static bool is_on_libomp(const struct setup_case *about)
{
	return has_file(about) && about->runtime->libomp &&
	       (!about->runtime->libgomp || about->runtime->swap == LAUNCH_SWAP_NOT_NEEDED);
}

static bool is_on_libiomp(const struct setup_case *about)
{
	return has_file(about) && about->runtime->libiomp && !about->runtime->libomp &&
	       !about->runtime->libgomp;
}

/* A compiler's own function that this libomp does not have: found by asking the loader. */
static bool is_too_old(const struct setup_case *about)
{
	return is_on_libomp(about) && about->runtime->first_missing &&
	       !strncmp(about->runtime->first_missing, "__kmpc_", 7);
}

static bool library_without_tools(const struct setup_case *about)
{
	return about->library && !about->library->has_tools;
}

static bool rpath_without_tools(const struct setup_case *about)
{
	return library_without_tools(about) && about->file->rpath;
}

static bool found_without_tools(const struct setup_case *about)
{
	return library_without_tools(about) && !about->file->rpath;
}

static bool is_version(const struct setup_case *about, long version)
{
	return about->library && about->library->has_tools &&
	       launch_runtime_version(about->library->path) == version;
}

static bool is_tested_version(const struct setup_case *about)
{
	return is_version(about, TESTED_VERSION);
}

static bool is_sequences_version(const struct setup_case *about)
{
	return is_version(about, SEQUENCES_VERSION);
}

static bool is_other_version(const struct setup_case *about)
{
	return about->library && about->library->has_tools && !is_on_libiomp(about) &&
	       !is_tested_version(about) && !is_sequences_version(about);
}

/* -- machines */

static bool is_paranoid(const struct setup_case *about)
{
	return about->machine && about->machine->has_perf && about->machine->paranoid > 2 &&
	       !doctor_machine_privileged(about->machine) &&
	       about->machine->perf_opens != DOCTOR_YES;
}

/*
 * Whether a filter lets perf_event_open through cannot be read; the usual ones do only with the
 * capability.
 */
static bool is_filtered(const struct setup_case *about)
{
	const struct doctor_machine *machine = about->machine;

	return machine && machine->seccomp == 2 && machine->paranoid <= 2 &&
	       machine->perf_opens != DOCTOR_YES &&
	       (machine->perf_opens == DOCTOR_NO || !doctor_machine_privileged(machine));
}

static bool has_no_core_pmu(const struct setup_case *about)
{
	return about->machine && about->machine->pmus_known && !about->machine->core_pmu;
}

static bool is_vm_without_pmu(const struct setup_case *about)
{
	return has_no_core_pmu(about) && about->machine->hypervisor;
}

static bool has_no_pmu(const struct setup_case *about)
{
	return has_no_core_pmu(about) && !about->machine->hypervisor;
}

static bool has_watchdog(const struct setup_case *about)
{
	return about->machine && about->machine->core_pmu && about->machine->nmi_watchdog == 1;
}

static bool is_architecture(const struct setup_case *about, const char *name)
{
	return about->machine && about->machine->architecture &&
	       !strcmp(about->machine->architecture, name);
}

static bool is_arm_or_power(const struct setup_case *about)
{
	return is_architecture(about, "aarch64") || is_architecture(about, "ppc64le");
}

/* Those without a table in registers.c. */
static bool is_other_architecture(const struct setup_case *about)
{
	return about->machine && about->machine->architecture &&
	       !is_architecture(about, "x86-64") && !is_arm_or_power(about);
}

static bool has_few_descriptors(const struct setup_case *about)
{
	return about->machine &&
	       about->machine->threads_with_descriptors < about->machine->cpus_allowed;
}

static bool has_little_lockable(const struct setup_case *about)
{
	return about->machine && about->machine->threads_with_rings < about->machine->cpus_allowed;
}

const struct setup setups[] = {
	{ "libomp", "clang, flang programs (LLVM's libomp)", SETUP_YES, SETUP_YES,
	  .why = "runs on LLVM's OpenMP runtime", .applies = is_on_libomp },
	{ "libgomp", "gcc, gfortran programs (GNU's libgomp)", SETUP_YES, SETUP_YES,
	  "by `LD_PRELOAD=…/lib/libmemsearch-gomp.so`; `OMP_TOOL_LIBRARIES` does nothing there",
	  "on their own runtime",
	  .why = "runs on GNU's OpenMP runtime (libgomp), which has no interface for tools: libmemsearch-gomp.so produces its events",
	  .applies = keeps_libgomp },
	{ "libgomp swapped", "gcc, gfortran programs on libomp in libgomp's place", SETUP_NO,
	  SETUP_YES, "nothing happens",
	  "by `--runtime libomp`, and with gcc's sanitizers, which no library may be loaded before; the report says so",
	  .why = "built for GNU's OpenMP runtime (libgomp), which has no interface for tools, and nothing can be preloaded: `memsearch run` puts LLVM's in its "
		 "place, OMP_TOOL_LIBRARIES alone does nothing",
	  .command = "memsearch run -- PROGRAM", .applies = swapped },
	{ "two runtimes", "programs with libgomp and libomp (gcc's code and clang's libraries)",
	  SETUP_LIMITED, SETUP_YES,
	  "by `LD_PRELOAD` of libmemsearch-gomp.so, beside `OMP_TOOL_LIBRARIES`",
	  "regions of both; where libomp comes first, it answers libgomp's functions, too",
	  .why = "has a second OpenMP runtime beside libgomp: the regions of both are seen",
	  .applies = has_two_runtimes },
	{ "late libgomp", "programs that load libgomp later (`dlopen`, Python's modules)",
	  SETUP_LIMITED, SETUP_LIMITED, "by `LD_PRELOAD` of libmemsearch-gomp.so",
	  .run_note = "the same, before `memsearch run`" },
	{ "deep binding", "libraries with libgomp that are loaded with RTLD_DEEPBIND",
	  SETUP_LIMITED, SETUP_LIMITED,
	  "their parallel regions are not seen; the report names them where others are",
	  .run_note = "the same" },
	{ "gcc loops", "static loops of gcc as regions of their own", SETUP_LIMITED, SETUP_LIMITED,
	  "compiled inline, so the runtime does not see them: recognised in the machine code where what lies between two barriers of a parallel region of the phase is one loop and nothing else; else the parallel "
	  "region, with its hot line",
	  "the same",
	  "gcc compiles static loops inline, so the runtime does not see them: where a parallel region is not one loop and nothing else, the region is named, "
	  "with its hot line",
	  .applies = keeps_libgomp },
	{ "gcc loops", "… with `--runtime libomp`", SETUP_NO, SETUP_LIMITED,
	  .run_note = "the parallel region, with its hot line",
	  .why = "gcc compiles static loops inline, so the runtime does not see them: the parallel region is named, with its hot line",
	  .applies = swapped },
	{ "script", "a script that starts the program", SETUP_YES, SETUP_YES, NULL,
	  "gcc, gfortran programs on their own runtime only; for `--runtime libomp` write `memsearch run` before the program inside the script",
	  .why = "a script: the OpenMP programs that it starts are measured, each on its own runtime",
	  .applies = is_script },
	{ "libomp 19", "libomp of LLVM 19", SETUP_YES, SETUP_YES, "tested", "tested",
	  "the version of libomp that memsearch is tested with", .applies = is_tested_version },
	{ "libgomp versions", "libgomp of GCC 12, 14 and 16", SETUP_YES, SETUP_YES, "tested",
	  .run_note = "tested" },
	{ "libgomp versions", "other versions of libgomp", SETUP_UNTESTED, SETUP_UNTESTED,
	  "its newer entries are passed on, and named in the report", .run_note = "the same" },
	{ "libomp 14", "libomp of LLVM 14", SETUP_UNTESTED, SETUP_UNTESTED,
	  "its event sequences are tested, not the library", "the same",
	  "of libomp 14 only the event sequences are tested",
	  "update it, if anything looks wrong (Debian: libomp-19-dev)",
	  "sudo apt install libomp-19-dev", is_sequences_version },
	{ "libomp", "other versions of libomp", SETUP_UNTESTED, SETUP_UNTESTED,
	  .why = "memsearch is not tested with this version of libomp",
	  .applies = is_other_version },
	{ "libiomp5", "Intel's libiomp5", SETUP_UNTESTED, SETUP_UNTESTED,
	  .why = "runs on Intel's OpenMP runtime, with which memsearch is not tested",
	  .applies = is_on_libiomp },
	{ "static libomp", "libomp linked into the program", SETUP_UNTESTED, SETUP_UNTESTED,
	  "if it was built with its tool interface", "the same",
	  "LLVM's OpenMP runtime is linked into the program, with its interface for tools; memsearch is not tested with that",
	  "link it dynamically (without -static-openmp), if nothing is measured",
	  .applies = has_static_libomp_with_tools },
	{ "flang", "flang: lines of regions", SETUP_LIMITED, SETUP_LIMITED,
	  "function and offset, marked approximate", "the same",
	  "built by flang: regions have function and offset, marked approximate",
	  .applies = is_flang },
	{ "flang", "flang, `--runtime libomp`: libomp's own warnings while the program runs",
	  SETUP_LIMITED, SETUP_LIMITED,
	  "turned off in flang's programs, unless `KMP_WARNINGS` is set: with any tool, libomp warns about their loops (#189)",
	  .run_note = "the same; in those of gcc, too, as libgomp would not warn" },
	{ "no lines", "programs without debug lines (no `-g`, stripped)", SETUP_LIMITED,
	  SETUP_LIMITED, "function and offset instead of lines", "the same",
	  "there are no debug lines in it and no debug file beside it: places have function and offset, if anything",
	  "compile with -g, beside -O2 or -O3: it makes nothing slower", .applies = has_no_lines },
	{ "killed", "report although the program was killed", SETUP_LIMITED, SETUP_YES,
	  "the record is there: `memsearch report`", .run_note = "printed at the end" },
	{ "attach", "says when the tool did not attach, and why", SETUP_NO, SETUP_YES,
	  .bare_note = "ask `memsearch doctor PROGRAM`" },
	{ "restarts", "run again for further experiments (`--restarts N`)", SETUP_NO,
	  .run = SETUP_YES },

	{ "no libomp", "`--runtime libomp` where no libomp is installed", SETUP_NO, SETUP_NO,
	  .why = "the program uses GNU's OpenMP runtime (libgomp), LLVM's (libomp) is to take its place, and there is "
		 "none here",
	  .advice =
		  "leave --runtime libomp away, if you gave it; else install it (Debian: apt install libomp-19-dev) or name its folder in LD_LIBRARY_PATH",
	  .command = "sudo apt install libomp-19-dev", .applies = has_no_libomp },
	{ "no folder",
	  "`--runtime libomp` with another libomp than that of the installation, where the user has no private folder",
	  SETUP_NO, SETUP_NO,
	  .why = "the program uses GNU's OpenMP runtime (libgomp); to run it on LLVM's (libomp), a link is needed in a folder that only you can write to, "
		 "and there is none",
	  .advice = "name one in XDG_CACHE_HOME, neither in /tmp nor in a folder of a group",
	  .applies = has_no_folder },
	{ "libgomp only",
	  "`--runtime libomp`, programs that name what libomp lacks: `target` regions, OpenACC, `scan`, conditional `lastprivate`, newer OpenMP",
	  SETUP_NO, SETUP_NO,
	  .why = "the program uses GNU's OpenMP runtime (libgomp), which has no interface for tools, and LLVM's (libomp) lacks functions that "
		 "the program names",
	  .advice =
		  "leave --runtime libomp away, if you gave it; else build the program without sanitizers, or use a newer libomp",
	  .applies = swap_is_refused },
	{ "setuid", "setuid and setgid programs, programs with file capabilities", SETUP_NO,
	  SETUP_NO,
	  .why = "the program runs as another user or group (setuid, setgid) or with capabilities, and is not let know of tools",
	  .advice = "run a copy of it that belongs to you",
	  .command = "cp PROGRAM ./copy && memsearch run -- ./copy", .applies = is_set_id },
	{ "processor", "32-bit programs, programs for another processor", SETUP_NO, SETUP_NO,
	  .why = "the program is for another kind of processor, or 32-bit",
	  .advice = "build it for this one", .applies = is_foreign },
	{ "static libgomp", "libgomp linked into the program", SETUP_NO, SETUP_NO,
	  .why = "GNU's OpenMP runtime (libgomp) is linked into the program, and has no interface for tools",
	  .advice =
		  "link libgomp dynamically (without -static), or build the program with clang or flang",
	  .applies = has_static_libgomp },
	{ "static", "programs linked with `-static`", SETUP_NO, SETUP_NO,
	  .why = "the program is linked statically, so nothing can be loaded into it",
	  .advice = "link it without -static", .applies = is_static },
	{ "static libomp", "libomp without tool interface linked into the program", SETUP_NO,
	  SETUP_NO,
	  .why = "LLVM's OpenMP runtime is linked into the program, and was built without tool support",
	  .advice = "link it dynamically (without -static-openmp)",
	  .applies = has_static_libomp_without_tools },
	{ "old libomp", "libomp older than the compiler", SETUP_NO, SETUP_NO,
	  .why = "the OpenMP runtime that the program finds lacks functions that its compiler calls: it is too old, the program may not even start",
	  .advice = "use the libomp of the compiler: name its folder in LD_LIBRARY_PATH",
	  .command = "LD_LIBRARY_PATH=LIBOMP memsearch run -- PROGRAM", .applies = is_too_old },
	{ "RPATH",
	  "libomp built without its tool interface that a DT_RPATH in the program finds first",
	  SETUP_NO, SETUP_NO,
	  .why = "the program's DT_RPATH, which goes before LD_LIBRARY_PATH, finds an OpenMP runtime without the interface for tools (OMPT)",
	  .advice = "link it without that -rpath, or change it",
	  .command = "patchelf --set-rpath LIBOMP PROGRAM", .applies = rpath_without_tools },
	{ "no tools", "libomp built without its tool interface", SETUP_NO, SETUP_NO,
	  .why = "the OpenMP runtime that the program finds was built without its interface for tools (OMPT)",
	  .advice = "let it find another libomp by LD_LIBRARY_PATH",
	  .command = "LD_LIBRARY_PATH=LIBOMP memsearch run -- PROGRAM",
	  .applies = found_without_tools },
	{ "not found", "programs whose OpenMP runtime is not found", SETUP_NO, SETUP_NO,
	  .why = "the program asks for an OpenMP runtime that the loader does not find, so it does not even start",
	  .advice =
		  "install it (Debian: apt install libomp-19-dev) or name its folder in LD_LIBRARY_PATH",
	  .command = "LD_LIBRARY_PATH=LIBOMP memsearch run -- PROGRAM", .applies = lacks_openmp },
	{ "no OpenMP", "programs that load no OpenMP runtime at their start", SETUP_NO, SETUP_NO,
	  .why = "the program does not load an OpenMP runtime when it starts",
	  .advice =
		  "compile and link it with -fopenmp; if it loads libraries with libgomp later, preload libmemsearch-gomp.so",
	  .applies = asks_for_no_openmp },

	{ "perf", "`kernel.perf_event_paranoid` 3 (Debian's default), not root", SETUP_LIMITED,
	  SETUP_LIMITED, "no samples and no counters: serial code is found, without its hot line",
	  "the same",
	  "kernel.perf_event_paranoid is above 2: ordinary users get no samples and no counters, so serial code is found without its hot line",
	  "let users measure their own programs", "sudo sysctl kernel.perf_event_paranoid=2",
	  is_paranoid },
	{ "perf", "containers whose seccomp filter refuses `perf_event_open`", SETUP_LIMITED,
	  SETUP_LIMITED, "no samples and no counters", "the same",
	  "a seccomp filter (of a container) is active, and such filters refuse perf_event_open: then there are no samples and no counters",
	  "start the container with the capability", "docker run --cap-add PERFMON …",
	  is_filtered },
	{ "counters", "virtual machines that show no PMU", SETUP_LIMITED, SETUP_LIMITED,
	  "no hardware counters", "the same",
	  "this virtual machine shows no performance monitoring unit (PMU): no hardware counters",
	  "use the machine itself or a kind of virtual machine that shows it (QEMU: -cpu host,pmu=on)",
	  .applies = is_vm_without_pmu },
	{ "counters", "machines whose PMU the kernel has no driver for", SETUP_LIMITED,
	  SETUP_LIMITED, "no hardware counters", "the same",
	  "the kernel shows no performance monitoring unit (PMU) of the cores: no hardware counters",
	  "use a kernel that knows this processor", .applies = has_no_pmu },
	{ "NMI watchdog", "the kernel's NMI watchdog (`kernel.nmi_watchdog` 1)", SETUP_LIMITED,
	  SETUP_LIMITED, "one hardware counter fewer", "the same",
	  "the kernel's NMI watchdog keeps one hardware counter of each CPU for itself",
	  "switch it off while measuring", "sudo sysctl kernel.nmi_watchdog=0", has_watchdog },
	{ "architecture", "aarch64, ppc64le", SETUP_LIMITED, SETUP_LIMITED,
	  "tested in emulated machines only; lines of constructs are approximate", "the same",
	  "memsearch was tested on such processors in emulated machines only; lines of constructs are approximate, because the code "
	  "around calls of the runtime is understood on x86-64 only",
	  .applies = is_arm_or_power },
	{ "architecture", "other processors than x86-64, aarch64, ppc64le", SETUP_LIMITED,
	  SETUP_LIMITED, "untested; samples without stacks, so not traced out of libraries",
	  "the same",
	  "memsearch was not tested on such processors; samples carry no stacks there, so those inside libraries are not traced to the "
	  "program's lines",
	  .applies = is_other_architecture },
	{ "descriptors", "`ulimit -n` too small for the threads", SETUP_LIMITED, SETUP_LIMITED,
	  "the last threads have no samples", "the same",
	  "a thread takes file descriptors of its own, and the limit has not enough for one thread a CPU: the last ones have no samples",
	  "raise the limit", "ulimit -n 4096", has_few_descriptors },
	{ "locked memory", "`ulimit -l` too small for the threads", SETUP_LIMITED, SETUP_LIMITED,
	  "the last threads have no samples", "the same",
	  "a thread's samples need memory that counts as locked, and the limits have not enough for one thread a CPU: the last ones have none",
	  "raise the limit", "ulimit -l unlimited", has_little_lockable },
	{ "little memory",
	  "limits that leave less than 512 MB of addresses (`ulimit -v`, `ulimit -d`), or 32 MB of a control group's memory",
	  SETUP_LIMITED, SETUP_LIMITED,
	  "nothing is measured, the program runs as alone, and one line says so",
	  .run_note = "the same" },
	{ "some memory", "limits that leave less than 256 MB of a control group's memory",
	  SETUP_LIMITED, SETUP_LIMITED, "no accesses are recorded", .run_note = "the same" },
	{ "seccomp",
	  "programs under a seccomp filter that kills them for system calls of memsearch",
	  SETUP_LIMITED, SETUP_LIMITED,
	  "measured until the program installs the filter; not at all where that is before the first parallel region",
	  .run_note = "the same" },
};

const size_t nr_setups = sizeof(setups) / sizeof(*setups);

const struct setup *setup_refusing(const struct setup_case *about)
{
	for (size_t i = 0; i < nr_setups; i++)
		if (setups[i].run == SETUP_NO && setups[i].applies && setups[i].applies(about))
			return &setups[i];
	return NULL;
}

/* A word of a command as a shell takes it for one. */
static const char *quoted(struct arena *arena, const char *word)
{
	struct text text;

	if (*word &&
	    !word[strspn(
		    word,
		    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-:@%=,")])
		return word;
	text_init(&text, arena);
	text_add(&text, "'");
	for (; *word; word++)
		if (*word == '\'')
			text_add(&text, "'\\''");
		else
			text_add_bytes(&text, word, 1);
	text_add(&text, "'");
	return text.bytes ? text.bytes : "";
}

const char *setup_command(struct arena *arena, const char *command, const char *program,
			  const char *libomp)
{
	const struct {
		const char *word, *value;
	} words[] = { { "PROGRAM", program }, { "LIBOMP", libomp } };
	struct text text;

	text_init(&text, arena);
	for (size_t i; *command; command++) {
		for (i = 0; i < 2 && strncmp(command, words[i].word, strlen(words[i].word)); i++)
			;
		if (i == 2) {
			text_add_bytes(&text, command, 1);
			continue;
		}
		if (!words[i].value)
			return NULL;
		text_add_plain(&text, quoted(arena, words[i].value));
		command += strlen(words[i].word) - 1;
	}
	return text.bytes;
}

static void table_cell(struct text *out, enum setup_verdict verdict, const char *note)
{
	static const char *const words[] = {
		[SETUP_YES] = "yes",
		[SETUP_LIMITED] = "limited",
		[SETUP_UNTESTED] = "untested",
		[SETUP_NO] = "no",
	};

	if (note && !strcmp(note, "the same"))
		text_add(out, " the same |");
	else
		text_printf(out, " %s%s%s |", words[verdict], note ? ": " : "", note ? note : "");
}

void setups_table(struct text *out)
{
	text_add(out, "| set-up | bare `OMP_TOOL_LIBRARIES` | `memsearch run` |\n|---|---|---|\n");
	for (size_t i = 0; i < nr_setups; i++) {
		text_printf(out, "| %s |", setups[i].what);
		table_cell(out, setups[i].bare, setups[i].bare_note);
		table_cell(out, setups[i].run, setups[i].run_note);
		text_add(out, "\n");
	}
}
