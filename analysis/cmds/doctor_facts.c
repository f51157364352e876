/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows about a machine: what it is, what its limits suffice for, which OpenMP runtimes are there.
 */
#include "analysis/cmds/doctor.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/calibrate.h"
#include "analysis/cmds/core_queries.h"
#include "analysis/cmds/environment.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/launch_elf.h"
#include "analysis/cmds/launch_runtime.h"
#include "analysis/cmds/setups.h"

extern char **environ;

/*
 * What the levels of kernel.perf_event_paranoid leave to users without privilege,
 * perf_event_open(2); 3 is Debian's and Ubuntu's own.
 */
static const char *paranoid_meaning(long level)
{
	static const char *const meanings[] = {
		"raw tracepoints are refused to users",
		"users measure their own threads, in the kernel too",
		"users measure the user code of their own threads: all that memsearch needs",
		"refused to users altogether",
	};

	return level < 0 ? "nothing is refused" : meanings[level > 3 ? 3 : level];
}

static const char *perf_text(struct arena *arena, const struct doctor_machine *machine)
{
	if (!machine->has_perf)
		return machine->kernel ? "the kernel has none" : NULL;
	return arena_printf(arena, "kernel.perf_event_paranoid %ld: %s%s", machine->paranoid,
			    paranoid_meaning(machine->paranoid),
			    doctor_machine_privileged(machine) ? "; this process may do all of it"
							       : "");
}

static const char *seccomp_text(long mode)
{
	return mode == 2   ? "a filter is active"
	       : mode == 1 ? "strict"
	       : mode == 0 ? "no filter"
			   : NULL;
}

static const char *switch_text(long value)
{
	return value < 0 ? NULL : value ? "on" : "off";
}

static const char *cpus_text(struct arena *arena, const struct doctor_machine *machine)
{
	const char *quota = machine->cpu_quota > 0
				    ? arena_printf(arena,
						   "; a cgroup allows the time of %.3g of them",
						   machine->cpu_quota)
				    : "; no limit of their time";

	if (!machine->cpus_online && !machine->cpus_allowed)
		return NULL;
	return arena_printf(arena, "%" PRIu64 " of %" PRIu64 " may be used%s",
			    machine->cpus_allowed, machine->cpus_online, quota);
}

static const char *pmu_text(struct arena *arena, const struct doctor_machine *machine)
{
	if (!machine->core_pmu)
		return machine->pmus_known ? "none is shown" : NULL;
	return arena_printf(arena, "%s%s%s%s%s%s", machine->core_pmu,
			    machine->hybrid ? " (cores of several kinds)" : "",
			    machine->sampling_pmu ? "; samples addresses: " : "",
			    machine->sampling_pmu ? machine->sampling_pmu : "",
			    machine->uncore_pmu ? "; outside of the cores: " : "",
			    machine->uncore_pmu ? machine->uncore_pmu : "");
}

static void add_machine(struct doctor *doctor, const struct doctor_machine *machine)
{
	struct arena *arena = doctor->arena;

	doctor_add_fact(doctor, DOCTOR_MACHINE, "processor", machine->cpu_model);
	doctor_add_fact(doctor, DOCTOR_MACHINE, "architecture", machine->architecture);
	doctor_add_fact(doctor, DOCTOR_MACHINE, "hypervisor",
			machine->hypervisor ? machine->hypervisor : "none is recognised");
	doctor_add_fact(doctor, DOCTOR_MACHINE, "container",
			machine->container ? machine->container : "none is recognised");
	doctor_add_fact(doctor, DOCTOR_MACHINE, "seccomp", seccomp_text(machine->seccomp));
	doctor_add_fact(doctor, DOCTOR_MACHINE, "Linux", machine->kernel);
	doctor_add_fact(doctor, DOCTOR_MACHINE, "perf events", perf_text(arena, machine));
	doctor_add_fact(doctor, DOCTOR_MACHINE, "PMU", pmu_text(arena, machine));
	/* of this one the sensor's own row tells more */
	if (machine->recorded && machine->pmus_known)
		doctor_add_fact(doctor, DOCTOR_MACHINE, "data addresses", machine->addresses);
	doctor_add_fact(doctor, DOCTOR_MACHINE, "NMI watchdog", switch_text(machine->nmi_watchdog));
	doctor_add_fact(doctor, DOCTOR_MACHINE, "CPUs", cpus_text(arena, machine));
	doctor_add_fact(doctor, DOCTOR_MACHINE, "NUMA nodes",
			machine->nodes
				? arena_printf(arena, "%" PRIu64 " with memory", machine->nodes)
				: NULL);
	doctor_add_fact(doctor, DOCTOR_MACHINE, "NUMA balancing",
			switch_text(machine->numa_balancing));
	doctor_add_fact(doctor, DOCTOR_MACHINE, "huge pages", machine->huge_pages);
}

/* What BandwidthBound compares with. */
static void add_bandwidth(struct doctor *doctor)
{
	struct doctor_row row = { .topic = DOCTOR_MACHINE,
				  .name = "memory delivers",
				  .command = "memsearch doctor --calibrate" };
	struct bandwidth_place place;
	struct bandwidth bandwidth;

	bandwidth_find(doctor->arena, NULL, &place);
	switch (bandwidth_load(&place, &bandwidth)) {
	case MS_OK:
		return doctor_add_fact(doctor, DOCTOR_MACHINE, row.name,
				       calibration_text(doctor->arena, &bandwidth));
	case MS_ERR_FORMAT:
		row.text = arena_printf(
			doctor->arena,
			"'%s' is damaged, so that BandwidthBound and WorkingSetBeyondCaches have no answer",
			place.path);
		break;
	default:
		row.text =
			"not measured yet, so that BandwidthBound and WorkingSetBeyondCaches have no answer";
	}
	doctor_add(doctor, &row);
}

/* "enough for 269 threads" */
static const char *suffices(struct arena *arena, uint64_t threads)
{
	return threads == DOCTOR_UNLIMITED ? "enough for any number of threads"
					   : arena_printf(arena, "enough for %" PRIu64 " thread%s",
							  threads, threads == 1 ? "" : "s");
}

static void add_limits(struct doctor *doctor, const struct doctor_machine *machine)
{
	struct arena *arena = doctor->arena;
	const char *files = machine->descriptors == DOCTOR_UNLIMITED
				    ? "no limit"
				    : arena_printf(arena, "%" PRIu64, machine->descriptors);
	const char *memory = machine->lockable == DOCTOR_UNLIMITED
				     ? "no limit"
				     : arena_printf(arena, "%" PRIu64 " KiB",
						    machine->lockable / 1024);

	if (!machine->limits_known)
		return;
	doctor_add_fact(doctor, DOCTOR_LIMIT, "descriptors",
			arena_printf(arena, "%s (ulimit -n): %s", files,
				     suffices(arena, machine->threads_with_descriptors)));
	doctor_add_fact(doctor, DOCTOR_LIMIT, "locked memory",
			arena_printf(arena, "%s (ulimit -l, kernel.perf_event_mlock_kb): %s",
				     memory, suffices(arena, machine->threads_with_rings)));
}

static const char *version_text(struct arena *arena, const struct launch_file *library)
{
	long version = launch_runtime_version(library->path);

	if (version)
		return arena_printf(arena, "LLVM %ld", version);
	return library->has_dispatch_deinit ? "LLVM 19 or newer" : "version unknown";
}

const char *doctor_runtime_text(struct arena *arena, const struct launch_file *library)
{
	return arena_printf(arena, "%s (%s), %s its interface for tools", library->path,
			    version_text(arena, library), library->has_tools ? "with" : "without");
}

static void add_runtimes(struct doctor *doctor)
{
	struct environment environment;
	struct launch_file library;
	const char *path;

	environment_init(&environment, doctor->arena, environ);
	path = launch_runtime_find(doctor->arena, &environment,
				   installation_path(doctor->arena, INSTALLATION_GOMP));
	if (path && launch_read(doctor->arena, path, &library))
		doctor_add_fact(doctor, DOCTOR_RUNTIME, "libomp",
				doctor_runtime_text(doctor->arena, &library));
	doctor_add_fact(
		doctor, DOCTOR_RUNTIME, "libgomp",
		"has no interface for tools; libmemsearch-gomp.so, which `memsearch run` preloads, produces its events");
}

static void count(const struct doctor *doctor, enum doctor_topic topic, unsigned int *works_out,
		  unsigned int *nr_out)
{
	*works_out = *nr_out = 0;
	for (size_t i = 0; i < doctor->nr; i++) {
		if (doctor->rows[i].topic != topic)
			continue;
		*works_out += doctor->rows[i].state == DOCTOR_WORKS ||
			      doctor->rows[i].state == DOCTOR_LIMITED;
		(*nr_out)++;
	}
}

static const char *machine_answer(const struct doctor *doctor, const char *why_not)
{
	unsigned int sensors_work, nr_sensors, metrics_work, nr_metrics;

	if (why_not)
		return arena_printf(doctor->arena, "memsearch does not work here: %s.", why_not);
	count(doctor, DOCTOR_SENSOR, &sensors_work, &nr_sensors);
	count(doctor, DOCTOR_METRIC, &metrics_work, &nr_metrics);
	return arena_printf(doctor->arena,
			    "memsearch works here, with %u of %u sensors and %u of %u metrics.",
			    sensors_work, nr_sensors, metrics_work, nr_metrics);
}

static const char *recorded_answer(const struct doctor *doctor)
{
	unsigned int works, nr;

	count(doctor, DOCTOR_SETUP, &works, &nr);
	return arena_printf(
		doctor->arena,
		"Judged by the files alone (nothing was opened), memsearch works on that machine%s",
		nr ? ", with limits." : "; as far as they tell, nothing is missing.");
}

static enum doctor_known perf_opens(const struct ms_probe *probe)
{
	return probe->sensors[MS_SENSOR_SAMPLES].works ? DOCTOR_YES
	       : probe->sensors[MS_SENSOR_SAMPLES].why == MS_MISSING_NOT_PERMITTED
		       ? DOCTOR_NO
		       : DOCTOR_NOT_KNOWN;
}

static void add_missing_core(struct doctor *doctor, const char *why)
{
	doctor_add(doctor, &(struct doctor_row){ .topic = DOCTOR_SENSOR,
						 .state = DOCTOR_FAILS,
						 .name = "memsearch-core.so",
						 .text = why,
						 .advice = "build or install memsearch anew" });
}

/* Opens what the tool would open. NULL, or why nothing could be. */
static const char *look_inside(struct doctor *doctor, struct doctor_machine *machine)
{
	struct ms_probe probe;
	const char *why = NULL;

	if (core_query_probe(doctor->arena, NULL, &probe, &why)) {
		doctor_add_sensors(doctor, &probe);
		machine->perf_opens = perf_opens(&probe);
		why = NULL;
	} else {
		add_missing_core(doctor, why);
	}
	add_runtimes(doctor);
	return why;
}

bool doctor_look_at_machine(struct doctor *doctor, const char *root)
{
	const char *why_not = NULL;
	struct doctor_machine machine;
	const struct setup_case about = { .machine = &machine };

	doctor->subject = "machine";
	if (!doctor_machine_read(doctor->arena, root, &machine) && *root)
		return false;
	if (!machine.recorded)
		why_not = look_inside(doctor, &machine);
	else if (machine.core_missing)
		add_missing_core(doctor, machine.core_missing);
	doctor_add_setups(doctor, &about, NULL, NULL);
	add_machine(doctor, &machine);
	if (!machine.recorded)
		add_bandwidth(doctor);
	add_limits(doctor, &machine);
	doctor->answer = machine.recorded ? recorded_answer(doctor)
					  : machine_answer(doctor, why_not);
	return true;
}
