/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CMDS_DOCTOR_MACHINE_H
#define MEMSEARCH_CMDS_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Facts of /proc and /sys that decide what can be measured. Read below a root folder, so that
 * copied files of another machine can be examined. Unreadable ones are NULL, 0 or DOCTOR_NOT_KNOWN,
 * never a guess.
 */
struct arena;

enum doctor_known { DOCTOR_NOT_KNOWN, DOCTOR_NO, DOCTOR_YES };

#define DOCTOR_UNLIMITED UINT64_MAX

struct doctor_machine {
	const char *architecture; /* "x86-64", "aarch64", "ppc64le" … */
	const char *cpu_model;
	const char *kernel; /* "6.1.0-18-amd64" */
	/* its name, as far as known; NULL: no virtual machine, as far as known */
	const char *hypervisor;
	const char *container; /* "docker" …; NULL: none is recognised */
	/* /proc/self/status: 0 none, 1 strict, 2 filter; -1 unknown */
	long seccomp;
	uint64_t capabilities; /* effective ones */
	long paranoid;         /* kernel.perf_event_paranoid, if has_perf */
	bool has_perf;
	long nmi_watchdog;      /* -1 unknown */
	long numa_balancing;    /* -1 unknown */
	const char *huge_pages; /* "always", "madvise", "never" */
	/* cpus_allowed: of this process (affinity, cgroup cpuset) */
	uint64_t cpus_online, cpus_allowed;
	double cpu_quota; /* CPUs' worth of time that a cgroup allows; 0: no limit */
	uint64_t nodes;   /* with memory */
	/* why memsearch-core.so did not say what sampling takes; NULL: it did */
	const char *core_missing;
	bool limits_known;    /* the next four are known */
	uint64_t descriptors; /* RLIMIT_NOFILE */
	/* bytes of rings without privilege: RLIMIT_MEMLOCK and kernel.perf_event_mlock_kb */
	uint64_t lockable;
	/* for how many threads the sensors' descriptors suffice … */
	uint64_t threads_with_descriptors;
	uint64_t threads_with_rings; /* … and their smallest rings */
	bool pmus_known;             /* the list below could be read */
	/* of /sys/bus/event_source/devices, separated by blanks; NULL: none */
	const char *core_pmu;
	const char *uncore_pmu;   /* of sockets, memory controllers, links */
	const char *sampling_pmu; /* that sample addresses: ibs_op, arm_spe_0 */
	/* how sensor addresses samples, as far as the files tell, or why it cannot */
	const char *addresses;
	bool hybrid; /* cores of several kinds, each with a PMU of its own */
	/* of another machine's files: nothing was opened, and the two below are not known */
	bool recorded;
	enum doctor_known perf_opens; /* whether the sensors' events could be opened */
};

/*
 * `root`: "" is this machine; else the folder below which the files of another stand. False: there
 * are none.
 */
bool doctor_machine_read(struct arena *arena, const char *root, struct doctor_machine *machine_out);

/*
 * Kernel events of one's own threads are allowed whatever kernel.perf_event_paranoid says:
 * CAP_PERFMON, CAP_SYS_ADMIN.
 */
bool doctor_machine_privileged(const struct doctor_machine *machine);

#endif
