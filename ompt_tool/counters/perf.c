/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back end perf: events of the kernel, opened as groups on each thread, read by rdpmc or read(2).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memsearch/sensor.h"
#include "ompt_tool/counters/counters.h"
#include "ompt_tool/sampling/perf_machine.h"
#include "ompt_tool/counters/perf_names.h"
#include "ompt_tool/counters/perf_page.h"
#include "ompt_tool/counters/perf_times.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "ompt_tool/sampling/privilege.h"

#define WHY_BYTES 160
/* events resolved per process; the portable metrics of a CPU need some 40 */
#define EVENTS_MAX 128
#define SLOTS_MAX (2 * COUNTERS_MAX) /* an event of a hybrid CPU may need one a kind of core */
/* PERF_PMU_TYPE_SHIFT: the kind of core in config, missing in headers before Linux 5.13 */
#define TYPE_SHIFT 32
/*
 * The program may close a descriptor and reuse its number for a file of its own; read(2) would then
 * consume that file's data. Querying the event's id (kernel_event.h) takes a third of the time of a
 * read; querying a mark on the open file (F_SETSIG, a signal that is never sent) a sixth. The id is
 * checked in the data read.
 */
#define MARK 61

/*
 * One or more of the kernel's events whose sum it is: on hybrid CPUs a generic one is opened for
 * each kind of core.
 */
struct counter_event {
	struct perf_encoding encodings[PERF_KINDS_MAX];
	uint8_t kinds[PERF_KINDS_MAX]; /* index + 1 in machine.kinds; 0: counts on all cores */
	uint8_t nr;
};

/* A group of the kernel is a leader and the slots after it up to the next leader. */
struct slot {
	uint64_t id;                       /* the kernel's number of the event */
	struct perf_event_mmap_page *page; /* NULL: read(2) only */
	int fd;
	uint8_t value, kind; /* position of the event's value, and kind of core */
	bool leads : 1, software : 1;
	bool core : 1; /* of the CPU's own PMU, or that of its kind of core */
};

struct counter_group {
	uint8_t nr;
	int64_t missed_ns; /* see perf_times.h */
	struct slot slots[SLOTS_MAX];
};
_Static_assert(sizeof(struct counter_group) <= COUNTER_GROUP_BYTES,
	       "a group must fit the memory of a thread");

static struct counter_event events[EVENTS_MAX];
static size_t nr_events;
static struct perf_machine machine;
static bool has_core;                 /* the CPU's counters are available */
static bool has_pages;                /* and can be read without a system call */
static unsigned int counted_together; /* most events of the CPU that a trial found to count */

/* ----------------------------------------------------------- opening, closing */

/*
 * Leaders are opened disabled: else the kernel stops and restarts the whole group for each member
 * added or removed, 540 us for a group of five in a virtual machine whose counters trap, not 170.
 */
static int open_event(const struct perf_encoding *encoding, int leader)
{
	struct perf_event_attr attr = {
		.disabled = leader < 0,
		.size = sizeof(attr),
		.type = encoding->type,
		.config = encoding->config,
		.config1 = encoding->config1,
		.config2 = encoding->config2,
		.exclude_user = encoding->exclude_user,
		.exclude_kernel = encoding->exclude_kernel,
		.exclude_hv = encoding->exclude_hv,
		.exclude_guest = encoding->exclude_guest,
		.exclude_host = encoding->exclude_host,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -1 : kernel_event_move_up(fd);
}

/* The event's page, if it can be read from there; software events have no counter to read. */
static struct perf_event_mmap_page *map_page(int fd, bool software)
{
	struct perf_event_mmap_page *page;

	if (software || !perf_cpu.counter)
		return NULL;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return NULL;
	if (page->cap_user_rdpmc && page->cap_user_time)
		return page;
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	return NULL;
}

static void switch_leaders(const struct counter_group *group, unsigned long request)
{
	for (unsigned int i = 0; i < group->nr; i++)
		if (group->slots[i].leads &&
		    kernel_event_is(group->slots[i].fd, group->slots[i].id))
			ioctl(group->slots[i].fd, request, 0);
}

static void close_group(struct counter_group *group)
{
	switch_leaders(group, PERF_EVENT_IOC_DISABLE);
	for (unsigned int i = group->nr; i-- > 0;) {
		struct slot *slot = &group->slots[i];

		if (slot->page)
			munmap(slot->page, (size_t)sysconf(_SC_PAGESIZE));
		if (kernel_event_is(slot->fd, slot->id))
			close(slot->fd);
	}
	group->nr = 0;
}

/*
 * As members of a group the kernel's clock events return the value of the thread's last context
 * switch (observed with Linux 6.18).
 */
static bool is_clock(const struct perf_encoding *encoding)
{
	return encoding->type == PERF_TYPE_SOFTWARE &&
	       (encoding->config == PERF_COUNT_SW_CPU_CLOCK ||
		encoding->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_core(const struct perf_encoding *encoding)
{
	return encoding->type == PERF_TYPE_HARDWARE || encoding->type == PERF_TYPE_HW_CACHE ||
	       encoding->type == PERF_TYPE_RAW;
}

/*
 * Opens a slot in the group of `leader` (-1: none) if the kernel allows it, else as the leader of a
 * new group.
 */
static bool open_slot(struct counter_group *group, const struct perf_encoding *encoding,
		      uint8_t kind, uint8_t value, int leader)
{
	struct slot *slot = &group->slots[group->nr];

	*slot = (struct slot){ .value = value,
			       .kind = kind,
			       .software = encoding->type == PERF_TYPE_SOFTWARE,
			       .core = kind || is_core(encoding) };
	leader = is_clock(encoding) ? -1 : leader;
	slot->fd = open_event(encoding, leader);
	if (slot->fd < 0 && leader >= 0 && errno != EMFILE && errno != ENFILE)
		slot->fd = open_event(encoding, leader = -1);
	if (slot->fd < 0)
		return false;
	slot->leads = leader < 0;
	if (ioctl(slot->fd, PERF_EVENT_IOC_ID, &slot->id) ||
	    (slot->leads && fcntl(slot->fd, F_SETSIG, MARK))) {
		close(slot->fd);
		return false;
	}
	slot->page = has_pages ? map_page(slot->fd, slot->software) : NULL;
	group->nr++;
	return true;
}

static int last_leader(const struct counter_group *group, uint8_t kind)
{
	for (unsigned int i = group->nr; i-- > 0;)
		if (group->slots[i].leads)
			return group->slots[i].kind == kind ? group->slots[i].fd : -1;
	return -1;
}

/*
 * Opens all slots of one kind of core, or all software events; these join the group that counts on
 * all cores.
 */
static bool open_kind(struct counter_group *group, struct counter_event *const *wanted, size_t nr,
		      uint8_t kind, bool software)
{
	for (size_t i = 0; i < nr; i++)
		for (uint8_t k = 0; k < wanted[i]->nr; k++) {
			const struct perf_encoding *encoding = &wanted[i]->encodings[k];

			if (wanted[i]->kinds[k] != kind ||
			    (encoding->type == PERF_TYPE_SOFTWARE) != software)
				continue;
			if (group->nr == SLOTS_MAX) {
				errno = E2BIG;
				return false;
			}
			if (!open_slot(group, encoding, kind, (uint8_t)i, last_leader(group, kind)))
				return false;
		}
	return true;
}

/* Opens the group, stopped. */
static bool open_slots(struct counter_group *group, struct counter_event *const *wanted, size_t nr)
{
	bool opened = true;
	int error;

	group->nr = 0;
	group->missed_ns = 0;
	for (uint8_t kind = 1; opened && kind <= machine.nr_kinds; kind++)
		opened = open_kind(group, wanted, nr, kind, false);
	opened = opened && open_kind(group, wanted, nr, 0, false) &&
		 open_kind(group, wanted, nr, 0, true);
	if (opened)
		return true;
	error = errno;
	close_group(group);
	errno = error;
	return false;
}

static bool open_group(struct counter_group *group, struct counter_event *const *wanted, size_t nr)
{
	if (!open_slots(group, wanted, nr))
		return false;
	switch_leaders(group, PERF_EVENT_IOC_ENABLE);
	return true;
}

/* ------------------------------------------------------------------ reading */

/* Number of slots of the group that begins at `first`. */
static unsigned int group_size(const struct counter_group *group, unsigned int first)
{
	unsigned int end = first + 1;

	while (end < group->nr && !group->slots[end].leads)
		end++;
	return end - first;
}

static bool read_pages(const struct slot *slots, unsigned int nr, struct perf_times *times,
		       uint64_t *values)
{
	struct perf_page_reading readings[SLOTS_MAX];

	for (unsigned int i = 0; i < nr; i++)
		if (!slots[i].page || !perf_page_read(slots[i].page, &perf_cpu, &readings[i]))
			return false;
	for (unsigned int i = 0; i < nr; i++)
		values[slots[i].value] += readings[i].value;
	times->enabled_ns = readings[0].enabled_ns;
	times->running_ns = readings[0].running_ns;
	return true;
}

/*
 * Result of read(2) for a group (perf_event_open(2)). The plain system call: libc's read is a
 * cancellation point.
 */
static bool read_kernel(const struct slot *slots, unsigned int nr, struct perf_times *times,
			uint64_t *values)
{
	struct {
		uint64_t nr, enabled_ns, running_ns;
		struct {
			uint64_t value, id;
		} events[SLOTS_MAX];
	} is;
	size_t bytes = 3 * sizeof(uint64_t) + nr * sizeof(is.events[0]);

	if (fcntl(slots[0].fd, F_GETSIG) != MARK ||
	    syscall(SYS_read, slots[0].fd, &is, sizeof(is)) != (long)bytes || is.nr != nr ||
	    is.events[0].id != slots[0].id)
		return false;
	for (unsigned int i = 0; i < nr; i++)
		values[slots[i].value] += is.events[i].value;
	times->enabled_ns = is.enabled_ns;
	times->running_ns = is.running_ns;
	return true;
}

static bool read_group(struct counter_group *group, struct counter_reading *out)
{
	struct perf_times times[SLOTS_MAX];
	size_t groups = 0;

	memset(out->values, 0, sizeof(out->values));
	for (unsigned int i = 0, nr; i < group->nr; i += nr, groups++) {
		const struct slot *slots = &group->slots[i];

		nr = group_size(group, i);
		times[groups].kind = slots->kind;
		if (!read_pages(slots, nr, &times[groups], out->values) &&
		    !read_kernel(slots, nr, &times[groups], out->values))
			return false;
	}
	perf_times_sum(times, groups, &group->missed_ns, &out->enabled_ns, &out->running_ns);
	return groups > 0;
}

/* ---------------------------------------------------------------- resolving */

static uint8_t kind_of(const struct perf_encoding *encoding)
{
	bool generic = encoding->type == PERF_TYPE_HARDWARE || encoding->type == PERF_TYPE_HW_CACHE;
	uint64_t type = generic ? encoding->config >> TYPE_SHIFT : encoding->type;

	for (size_t i = 0; i < machine.nr_kinds; i++)
		if (machine.kinds[i].type == type)
			return (uint8_t)(i + 1);
	return 0;
}

static bool is_generic(const struct perf_encoding *encoding)
{
	return (encoding->type == PERF_TYPE_HARDWARE || encoding->type == PERF_TYPE_HW_CACHE) &&
	       !(encoding->config >> TYPE_SHIFT);
}

static void fill_event(struct counter_event *event, const struct perf_encoding *encoding)
{
	event->nr = is_generic(encoding) && machine.nr_kinds ? (uint8_t)machine.nr_kinds : 1;
	for (uint8_t i = 0; i < event->nr; i++) {
		event->encodings[i] = *encoding;
		if (is_generic(encoding) && machine.nr_kinds)
			event->encodings[i].config |= (uint64_t)machine.kinds[i].type << TYPE_SHIFT;
		event->kinds[i] = kind_of(&event->encodings[i]);
	}
}

static enum ms_status explain_permission(const struct perf_encoding *encoding, int error,
					 const char *name, char *why)
{
	struct sensor_status status = { 0 };

	privilege_open_refused(error, &status);
	if (encoding->exclude_kernel)
		snprintf(why, WHY_BYTES, "%s: %s", name, status.text);
	else
		snprintf(
			why, WHY_BYTES,
			"%s counts in the kernel, too: refused with kernel.perf_event_paranoid %ld, needs 1 or less, or "
			"CAP_PERFMON",
			name, privilege_number("/proc/sys/kernel/perf_event_paranoid", 2));
	return MS_ERR_PERMISSION;
}

/* Why the kernel does not open an event that has an encoding. */
static enum ms_status explain(const struct perf_encoding *encoding, int error, const char *name,
			      char *why)
{
	struct sensor_status status = { 0 };

	switch (error) {
	case EACCES:
	case EPERM: return explain_permission(encoding, error, name, why);
	case EMFILE:
	case ENFILE:
		privilege_open_refused(error, &status);
		snprintf(why, WHY_BYTES, "%s: %s", name, status.text);
		return MS_ERR_FULL;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		snprintf(why, WHY_BYTES,
			 "%s: this CPU, virtual machine or kernel does not offer it (%s)", name,
			 strerrorname_np(error));
		return MS_ERR_UNSUPPORTED;
	case ENOSPC:
	case EBUSY:
		snprintf(why, WHY_BYTES, "%s: all counters that could hold it are in use (%s)",
			 name, strerrorname_np(error));
		return MS_ERR_UNSUPPORTED;
	default:
		snprintf(why, WHY_BYTES, "%s: the kernel does not take this event (%s)", name,
			 strerrorname_np(error));
		return MS_ERR_UNSUPPORTED;
	}
}

/* The kernel counts these only where it is in kernel mode; for user code they are always 0. */
static bool never_counts(const struct perf_encoding *encoding)
{
	return encoding->type == PERF_TYPE_SOFTWARE && encoding->exclude_kernel &&
	       (encoding->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		encoding->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static enum ms_status try_event(struct counter_event *event, const char *name, char *why)
{
	struct counter_group group = { 0 };
	struct counter_reading reading;
	bool readable;

	if (never_counts(&event->encodings[0])) {
		snprintf(why, WHY_BYTES,
			 "%s happens in the kernel and is always 0 for user code: name it %s:u:k",
			 name, name);
		return MS_ERR_UNSUPPORTED;
	}
	if (!open_slots(&group, &event, 1))
		return explain(&event->encodings[0], errno, name, why);
	readable = read_group(&group, &reading);
	close_group(&group);
	if (!readable)
		snprintf(why, WHY_BYTES, "%s opens but cannot be read", name);
	return readable ? MS_OK : MS_ERR_UNSUPPORTED;
}

static enum ms_status resolve(const char *table, const char *name, struct counter_event **event_out,
			      char *why)
{
	struct counter_event *event = &events[nr_events];
	struct perf_encoding encoding;
	char full[128];
	enum ms_status status;

	if (nr_events == EVENTS_MAX) {
		snprintf(why, WHY_BYTES, "more than %d events", EVENTS_MAX);
		return MS_ERR_UNSUPPORTED;
	}
	snprintf(full, sizeof(full), "%s%s%s", table ? table : "", table ? "::" : "", name);
	status = perf_names_encode(table, name, &encoding, why);
	if (status != MS_OK)
		return status;
	*event = (struct counter_event){ 0 };
	fill_event(event, &encoding);
	status = try_event(event, full, why);
	if (status != MS_OK)
		return status;
	nr_events++;
	*event_out = event;
	return MS_OK;
}

/* ---------------------------------------------------------- what is possible */

/* The kernel takes no event into a group that needs more counters than its PMU has. */
static bool is_split(const struct counter_group *group)
{
	unsigned int leaders[PERF_KINDS_MAX + 1] = { 0 };

	for (unsigned int i = 0; i < group->nr; i++)
		if (group->slots[i].leads && group->slots[i].core &&
		    leaders[group->slots[i].kind]++)
			return true;
	return false;
}

/*
 * Whether a stopped group counts all the time. With several kinds of core it is run for three times
 * the slack of their times.
 */
static bool counts_always(struct counter_group *group)
{
	uint64_t needed_ns = machine.nr_kinds ? 3 * PERF_TIMES_SLACK_NS : 20000;
	struct counter_reading before, now;
	bool readable;

	switch_leaders(group, PERF_EVENT_IOC_ENABLE);
	readable = read_group(group, &before);
	now = before;
	for (int i = 0; readable && i < 1000000 && now.enabled_ns - before.enabled_ns < needed_ns;
	     i++)
		readable = read_group(group, &now);
	return readable && now.enabled_ns > before.enabled_ns &&
	       now.enabled_ns - before.enabled_ns == now.running_ns - before.running_ns;
}

/*
 * The kernel opens more events than there are counters and multiplexes them, which splits groups;
 * and it ignores the NMI watchdog's counter, which only the times show. So a group is run unless as
 * many events of the CPU did count together before (of its one kind of core): running one takes 160 us in a virtual machine
 * whose counters trap. Where its events are restricted to fewer counters, and others hold one of
 * these, its readings will show that.
 */
static bool fits(struct counter_event *const *wanted, size_t nr)
{
	struct counter_group group = { 0 };
	unsigned int core = 0;
	bool fitting;

	if (!open_slots(&group, wanted, nr))
		return false;
	for (unsigned int i = 0; i < group.nr; i++)
		core += group.slots[i].core;
	fitting = !is_split(&group);
	if (fitting && (machine.nr_kinds || core < group.nr || core > counted_together)) {
		fitting = counts_always(&group);
		if (fitting && core > counted_together)
			counted_together = core;
	}
	close_group(&group);
	return fitting;
}

/*
 * errno of opening an event alone; 0: success, and whether it has a page. Where the kernel's clock
 * is not the CPU's, as in virtual machines, it never has one: mapping each costs an interrupt of
 * all CPUs.
 */
static int try_type(uint32_t type, uint64_t config, bool *page_out)
{
	struct perf_event_mmap_page *page;
	struct perf_encoding encoding = {
		.type = type, .config = config, .exclude_kernel = true, .exclude_hv = true
	};
	int fd = open_event(&encoding, -1);

	if (fd < 0)
		return errno;
	page = map_page(fd, type == PERF_TYPE_SOFTWARE);
	*page_out = page;
	if (page)
		munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	close(fd);
	return 0;
}

/* Describes the limits of this machine; the last one that applies is the most severe. */
static void describe(struct sensor_status *status, int core_error)
{
	const char *table;
	char why[WHY_BYTES];

	if (!has_core) {
		snprintf(status->text, sizeof(status->text),
			 "no hardware counters here (perf_event_open: %s), as in most virtual "
			 "machines: the kernel's software events only",
			 strerrorname_np(core_error));
	} else if (!perf_names_start(why)) {
		snprintf(status->text, sizeof(status->text),
			 "%.90s: the kernel's software events only", why);
	} else if (!perf_names_tables(&table, 1)) {
		snprintf(status->text, sizeof(status->text),
			 "libpfm4 does not know this CPU: the kernel's generic events only");
	} else if (machine.nmi_watchdog) {
		snprintf(status->text, sizeof(status->text),
			 "the NMI watchdog holds one of the CPU's counters");
		snprintf(status->mend, sizeof(status->mend), "sudo sysctl kernel.nmi_watchdog=0");
	}
}

static void start(struct sensor_status *status)
{
	int error = try_type(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, &has_pages);

	if (error) {
		privilege_open_refused(error, status);
		return;
	}
	error = try_type(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, &has_pages);
	has_core = !error || error == EBUSY || error == ENOSPC;
	if (has_core)
		perf_machine_read(&machine, "");
	status->works = true;
	describe(status, error);
}

static size_t tables(struct counter_table *out, size_t room)
{
	const char *names[8];
	size_t nr = has_core ? perf_names_tables(names, room - 1 < 8 ? room - 1 : 8) : 0;

	for (size_t i = 0; i < nr; i++)
		out[i] = (struct counter_table){ .name = names[i], .core = true };
	out[nr] = (struct counter_table){ .name = "perf" };
	return nr + 1;
}

const struct counter_backend counter_backend_perf = {
	.name = "perf",
	.start = start,
	.tables = tables,
	.resolve = resolve,
	.fits = fits,
	.open = open_group,
	.read = read_group,
	.close = close_group,
};
