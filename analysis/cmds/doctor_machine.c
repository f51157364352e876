/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what /proc and /sys tell of a machine. */
#include "analysis/cmds/doctor_machine.h"

#include <linux/capability.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/system_text.h"
#include "analysis/cmds/core_queries.h"
#include "analysis/cmds/doctor_files.h"

#define NR(array) (sizeof(array) / sizeof(*(array)))

static bool begins(const char *text, const char *start)
{
	return text && !strncmp(text, start, strlen(start));
}

static bool has_capability(const struct doctor_machine *machine, unsigned int capability)
{
	return machine->capabilities >> capability & 1;
}

bool doctor_machine_privileged(const struct doctor_machine *machine)
{
	return has_capability(machine, CAP_PERFMON) || has_capability(machine, CAP_SYS_ADMIN);
}

/* -- the processor */

/* /proc/sys/kernel/arch is there since Linux 6.1; before, the form of cpuinfo tells. */
static const char *architecture_of(const struct doctor_files *files, const char *cpuinfo)
{
	const char *name = doctor_files_text(files, "/proc/sys/kernel/arch");

	if (name)
		return !strcmp(name, "x86_64") ? "x86-64" : name;
	if (system_text_value(files->arena, cpuinfo, "vendor_id"))
		return "x86-64";
	if (system_text_value(files->arena, cpuinfo, "CPU implementer"))
		return "aarch64";
	return begins(system_text_value(files->arena, cpuinfo, "cpu"), "POWER") ? "ppc64le" : NULL;
}

static const char *x86_model(struct arena *arena, const char *cpuinfo)
{
	const char *name = system_text_value(arena, cpuinfo, "model name"),
		   *family = system_text_value(arena, cpuinfo, "cpu family");
	const char *model = system_text_value(arena, cpuinfo, "model\t");

	return name && family && model
		       ? arena_printf(arena, "%s (family %s, model %s)", name, family, model)
		       : name;
}

static const char *model_of(struct arena *arena, const char *cpuinfo)
{
	const char *implementer = system_text_value(arena, cpuinfo, "CPU implementer"),
		   *part = system_text_value(arena, cpuinfo, "CPU part");
	const char *name = x86_model(arena, cpuinfo);

	if (!name && implementer && part)
		name = arena_printf(arena, "implementer %s, part %s", implementer, part);
	return name ? name : system_text_value(arena, cpuinfo, "cpu");
}

/* -- virtual machines and containers */

/* Whether the firmware's vendor name is that of a hypervisor. */
static bool is_hypervisors(const char *maker)
{
	static const char *const makers[] = { "QEMU",    "VMware",     "Xen",
					      "innotek", "Amazon EC2", "Google",
					      "KVM",     "Parallels",  "OpenStack" };

	for (size_t i = 0; maker && i < NR(makers); i++)
		if (strstr(maker, makers[i]))
			return true;
	return false;
}

static const char *firmware_name(const struct doctor_files *files, const char *maker)
{
	const char *product = doctor_files_text(files, "/sys/class/dmi/id/product_name");

	return maker && product ? arena_printf(files->arena, "%s %s", maker, product) : maker;
}

static const char *hypervisor_of(const struct doctor_files *files, const char *cpuinfo)
{
	const char *flags = system_text_value(files->arena, cpuinfo, "flags"),
		   *flag = flags ? strstr(flags, " hypervisor") : NULL;
	const char *maker = doctor_files_text(files, "/sys/class/dmi/id/sys_vendor"),
		   *type = doctor_files_text(files, "/sys/hypervisor/type");
	const char *tree = doctor_files_text(files, "/proc/device-tree/hypervisor/compatible");
	const char *machine = system_text_value(files->arena, cpuinfo, "machine");

	if (flag && (flag[11] == ' ' || !flag[11]))
		return maker ? firmware_name(files, maker) : type ? type : "of unknown kind";
	/* On x86 the CPU's flag decides; other CPUs have none. */
	if (flags)
		return type;
	if (is_hypervisors(maker))
		return firmware_name(files, maker);
	if (machine && strstr(machine, "qemu"))
		return "QEMU";
	return tree ? tree : type;
}

static const char *container_of_cgroup(const char *cgroup)
{
	static const char *const kinds[][2] = {
		{ "kubepods", "kubernetes" },   { "docker", "docker" }, { "libpod", "podman" },
		{ "containerd", "containerd" }, { "lxc", "lxc" },
	};

	for (size_t i = 0; cgroup && i < NR(kinds); i++)
		if (strstr(cgroup, kinds[i][0]))
			return kinds[i][1];
	return NULL;
}

static const char *container_of(const struct doctor_files *files)
{
	const char *kind = container_of_cgroup(doctor_files_text(files, "/proc/self/cgroup"));

	if (kind)
		return kind;
	if (doctor_files_exist(files, "/run/.containerenv"))
		return "podman";
	return doctor_files_exist(files, "/.dockerenv") ? "docker" : NULL;
}

static void read_process(const struct doctor_files *files, struct doctor_machine *machine)
{
	const char *status = doctor_files_text(files, "/proc/self/status"), *seccomp, *capabilities;

	seccomp = system_text_value(files->arena, status, "Seccomp:");
	capabilities = system_text_value(files->arena, status, "CapEff");
	machine->seccomp = seccomp ? strtol(seccomp, NULL, 10) : -1;
	machine->capabilities = capabilities ? strtoull(capabilities, NULL, 16) : 0;
	machine->cpus_allowed = system_text_count(
		system_text_value(files->arena, status, "Cpus_allowed_list"));
}

/* -- CPUs, nodes, memory */

/* "150000 100000" of cgroup 2: so much time in a period; "max …": no limit. */
static double quota_in(const char *text)
{
	double quota, period;
	char *end;

	if (!text || begins(text, "max"))
		return 0;
	quota = strtod(text, &end);
	period = strtod(end, NULL);
	return quota > 0 && period > 0 ? quota / period : 0;
}

/* Of the process's own group, and of the topmost that it sees: in a container that is its own. */
static double quota_of(const struct doctor_files *files)
{
	const char *group = system_text_value(files->arena,
					      doctor_files_text(files, "/proc/self/cgroup"), "0:");
	const char *own = group && *group == '/'
				  ? arena_printf(files->arena, "/sys/fs/cgroup%s/cpu.max", group)
				  : NULL;
	double quota = own ? quota_in(doctor_files_text(files, own)) : 0,
	       top = quota_in(doctor_files_text(files, "/sys/fs/cgroup/cpu.max"));

	return quota > 0 && (!(top > 0) || quota < top) ? quota : top;
}

/* "always [madvise] never" */
static const char *chosen_in(struct arena *arena, const char *text)
{
	const char *open = text ? strchr(text, '[') : NULL;

	return open ? arena_strndup(arena, open + 1, strcspn(open + 1, "]")) : NULL;
}

static void read_kernel(const struct doctor_files *files, struct doctor_machine *machine)
{
	machine->kernel = doctor_files_text(files, "/proc/sys/kernel/osrelease");
	machine->has_perf = doctor_files_exist(files, "/proc/sys/kernel/perf_event_paranoid");
	machine->paranoid = doctor_files_number(files, "/proc/sys/kernel/perf_event_paranoid", 0);
	machine->nmi_watchdog = doctor_files_number(files, "/proc/sys/kernel/nmi_watchdog", -1);
	machine->numa_balancing = doctor_files_number(files, "/proc/sys/kernel/numa_balancing", -1);
	machine->huge_pages = chosen_in(
		files->arena,
		doctor_files_text(files, "/sys/kernel/mm/transparent_hugepage/enabled"));
	machine->cpus_online = system_text_count(
		doctor_files_text(files, "/sys/devices/system/cpu/online"));
	machine->nodes = system_text_count(
		doctor_files_text(files, "/sys/devices/system/node/has_memory"));
	machine->cpu_quota = quota_of(files);
}

/* -- limits, and for how many threads they suffice */

/* The soft limit in a line of /proc/self/limits. */
static uint64_t limit_of(struct arena *arena, const char *limits, const char *name)
{
	const char *value = system_text_value(arena, limits, name);

	return value && !begins(value, "unlimited") ? strtoull(value, NULL, 10) : DOCTOR_UNLIMITED;
}

/* As kernel_event.c takes them. */
static uint64_t threads_of_descriptors(const struct doctor_machine *machine,
				       const struct ms_sampling *sampling)
{
	uint64_t limit = machine->descriptors, half = limit / 2;
	uint64_t first = half < sampling->first_descriptor ? half : sampling->first_descriptor;
	uint64_t taken = first + sampling->spare_descriptors, each = sampling->descriptors;

	return limit == DOCTOR_UNLIMITED || !each ? DOCTOR_UNLIMITED
	       : limit < taken                    ? 0
						  : (limit - taken) / each;
}

/* A machine's files do not tell the size of its pages: where kernels differ, the largest. */
static uint64_t page_bytes(const struct doctor_machine *machine)
{
	if (!machine->recorded)
		return (uint64_t)sysconf(_SC_PAGESIZE);
	return machine->architecture && !strcmp(machine->architecture, "x86-64") ? 4096 : 65536;
}

static uint64_t threads_of_rings(const struct doctor_machine *machine,
				 const struct ms_sampling *sampling)
{
	uint64_t each = (uint64_t)sampling->rings * (sampling->ring_pages + 1) *
			page_bytes(machine);

	return machine->lockable == DOCTOR_UNLIMITED || !each ? DOCTOR_UNLIMITED
							      : machine->lockable / each;
}

/* A PMU that cannot leave the kernel out takes a privilege (sensors/addresses.c). */
static void read_sampling(const struct doctor_files *files, struct doctor_machine *machine)
{
	struct ms_sampling sampling;
	bool refused;

	machine->threads_with_descriptors = machine->threads_with_rings = DOCTOR_UNLIMITED;
	if (!core_query_sampling(files->arena, files->root, &sampling, &machine->core_missing)) {
		machine->limits_known = false;
		return;
	}
	refused = sampling.samples_kernel && machine->paranoid >= 2 &&
		  !doctor_machine_privileged(machine);
	machine->addresses = arena_printf(
		files->arena, "%s%s", sampling.addresses,
		refused ? "; it samples the kernel, too, which takes kernel.perf_event_paranoid=1 or CAP_PERFMON"
			: "");
	machine->threads_with_descriptors = threads_of_descriptors(machine, &sampling);
	machine->threads_with_rings = threads_of_rings(machine, &sampling);
}

static void read_limits(const struct doctor_files *files, struct doctor_machine *machine)
{
	const char *limits = doctor_files_text(files, "/proc/self/limits");
	uint64_t per_cpu_kib = (uint64_t)doctor_files_number(
		files, "/proc/sys/kernel/perf_event_mlock_kb", 516);

	machine->limits_known = limits != NULL;
	machine->descriptors = limit_of(files->arena, limits, "Max open files");
	machine->lockable = limit_of(files->arena, limits, "Max locked memory");
	if (machine->paranoid < 0 || has_capability(machine, CAP_IPC_LOCK))
		machine->lockable = DOCTOR_UNLIMITED;
	if (machine->lockable != DOCTOR_UNLIMITED)
		machine->lockable += per_cpu_kib * 1024 * machine->cpus_online;
	read_sampling(files, machine);
}

/* -- performance monitoring units */

static const char *joined(struct arena *arena, const char *list, const char *name)
{
	return list ? arena_printf(arena, "%s %s", list, name) : name;
}

static bool is_core_pmu(const char *name)
{
	return !strcmp(name, "cpu") || !strcmp(name, "cpu_core") || !strcmp(name, "cpu_atom") ||
	       begins(name, "armv") || begins(name, "apple_");
}

static bool is_sampling_pmu(const char *name)
{
	return begins(name, "ibs_") || begins(name, "arm_spe");
}

static bool is_uncore_pmu(const char *name)
{
	static const char *const starts[] = { "uncore_", "amd_", "arm_",   "hisi_",
					      "nest_",   "hv_",  "nvidia_" };

	for (size_t i = 0; i < NR(starts); i++)
		if (begins(name, starts[i]))
			return true;
	return false;
}

static void read_pmus(const struct doctor_files *files, struct doctor_machine *machine)
{
	const char **names;
	size_t nr = doctor_files_names(files, "/sys/bus/event_source/devices", &names), nr_core = 0;

	machine->pmus_known = nr > 0;
	for (size_t i = 0; i < nr; i++) {
		if (is_core_pmu(names[i])) {
			machine->core_pmu = joined(files->arena, machine->core_pmu, names[i]);
			nr_core++;
		} else if (is_sampling_pmu(names[i])) {
			machine->sampling_pmu = joined(files->arena, machine->sampling_pmu,
						       names[i]);
		} else if (is_uncore_pmu(names[i])) {
			machine->uncore_pmu = joined(files->arena, machine->uncore_pmu, names[i]);
		}
	}
	machine->hybrid = nr_core > 1;
}

bool doctor_machine_read(struct arena *arena, const char *root, struct doctor_machine *machine)
{
	const struct doctor_files files = { arena, root };
	const char *cpuinfo = doctor_files_text(&files, "/proc/cpuinfo");

	*machine = (struct doctor_machine){ .recorded = *root != '\0' };
	machine->architecture = architecture_of(&files, cpuinfo);
	machine->cpu_model = model_of(arena, cpuinfo);
	machine->hypervisor = hypervisor_of(&files, cpuinfo);
	machine->container = container_of(&files);
	read_process(&files, machine);
	read_kernel(&files, machine);
	read_limits(&files, machine);
	read_pmus(&files, machine);
	return cpuinfo || machine->kernel;
}
