/* SPDX-License-Identifier: Apache-2.0 */
/* Opens, enables and decodes one sampling event of the kernel. */
#include "ompt_tool/sampling/kernel_event.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/descriptor.h"
#include "ompt_tool/sampling/registers.h"
#include "ompt_tool/sampling/site_table.h"

#define FORMAT_LOST (1u << 4)  /* PERF_FORMAT_LOST, missing in headers before Linux 6.0 */
#define SAMPLE_PAGE (1u << 22) /* PERF_SAMPLE_DATA_PAGE_SIZE, in those before 5.11 */
/*
 * PERF_SAMPLE_WEIGHT_STRUCT, before 5.12: a latency of 32 bits and two shorter ones, in the place
 * of WEIGHT
 */
#define SAMPLE_WEIGHT_STRUCT (1u << 24)
#define PAGE_SHIFT_MIN 12
#define PAGE_SHIFT_MAX 34 /* 16 GB, the largest there is (POWER, ARM) */

/* Requests the PMU's data about an access other than its address. */
static void describe_data(const struct kernel_event_spec *spec, struct perf_event_attr *attr)
{
	if (!spec->data_source)
		return;
	attr->sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_DATA_SRC |
			     SAMPLE_WEIGHT_STRUCT;
	/*
	 * pinned: always scheduled, or never: otherwise partial time would look like few accesses
	 */
	attr->pinned = !spec->leader;
	attr->exclude_guest = !spec->everywhere;
}

/* Requests the fields that the kernel adds to the records of a sampling event. */
static void describe_sample(const struct kernel_event_spec *spec, struct perf_event_attr *attr)
{
	if (spec->address)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (spec->page)
		attr->sample_type |= SAMPLE_PAGE | PERF_SAMPLE_TIME;
	if (spec->stack) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = register_map.mask;
		attr->sample_stack_user = SAMPLE_STACK_BYTES;
	}
	describe_data(spec, attr);
}

static void describe(const struct kernel_event_spec *spec, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = spec->type ? spec->type : PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = spec->config,
		.config1 = spec->config1,
		.config2 = spec->config2,
		.sample_period = spec->period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP,
		.read_format = FORMAT_LOST,
		.disabled = 1,
		/* the maximum that kernel.perf_event_paranoid=2 allows */
		.exclude_kernel = !spec->everywhere,
		.exclude_hv = !spec->everywhere,
		.precise_ip = spec->precise,
		/*
		 * The same clock on all CPUs, and for all events of a ring. With a user-selected
		 * clock, PEBS also cannot collect samples in a buffer of the CPU, which would
		 * deliver them after the end of their region.
		 */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	attr->pinned = spec->packets != 0; /* always scheduled, or never, as above */
	if (!spec->packets)
		describe_sample(spec, attr);
}

static int open_once(struct perf_event_attr *attr, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, group, PERF_FLAG_FD_CLOEXEC);
}

/*
 * Older kernels do not support counting losses, page sizes or split latencies, or only some of
 * these.
 */
static int open_self(struct perf_event_attr *attr, int group)
{
	int fd = open_once(attr, group);

	if (fd < 0 && errno == EINVAL) {
		attr->read_format = 0;
		fd = open_once(attr, group);
	}
	if (fd < 0 && errno == EINVAL && attr->sample_type & SAMPLE_PAGE) {
		attr->sample_type &= ~(uint64_t)SAMPLE_PAGE;
		fd = open_once(attr, group);
	}
	if (fd < 0 && errno == EINVAL && attr->sample_type & SAMPLE_WEIGHT_STRUCT) {
		attr->sample_type ^= SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_WEIGHT;
		fd = open_once(attr, group);
	}
	return fd;
}

int kernel_event_move_up(int low)
{
	struct rlimit limit = { .rlim_cur = 1024 };
	int room, high;

	getrlimit(RLIMIT_NOFILE, &limit);
	room = limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
	high = descriptor_beyond_limit(low);
	if (high >= 0)
		return high;
	high = fcntl(low, F_DUPFD_CLOEXEC,
		     room / 2 < KERNEL_EVENT_FD_FIRST ? room / 2 : KERNEL_EVENT_FD_FIRST);
	if (high >= room - KERNEL_EVENT_FD_SPARE) {
		close(high);
		high = -1;
	}
	close(low);
	if (high < 0)
		errno = EMFILE;
	return high;
}

static enum ms_status open_status(int error)
{
	switch (error) {
	case EACCES:
	case EPERM: return MS_ERR_PERMISSION;
	case EMFILE:
	case ENFILE: return MS_ERR_FULL;
	case EINVAL:
	case ENOENT:
	case ENOSYS:
	case EOPNOTSUPP: return MS_ERR_UNSUPPORTED;
	default: return MS_ERR_IO;
	}
}

bool kernel_event_is(int fd, uint64_t id)
{
	uint64_t now = 0;

	return fd >= 0 && id && !ioctl(fd, PERF_EVENT_IOC_ID, &now) && now == id;
}

static bool still_ours(const struct kernel_event *event)
{
	return kernel_event_is(event->fd, event->id);
}

int kernel_event_keep(int fd, uint64_t *id_out)
{
	if (fd >= 0)
		fd = kernel_event_move_up(fd);
	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_ID, id_out))
		return fd;
	close(fd);
	errno = EIO;
	return -1;
}

/* The leader only counts: without a period it samples nothing. */
static bool open_leader(struct kernel_event *event, const struct kernel_event_spec *spec)
{
	struct kernel_event_spec leader = { .type = spec->type, .config = spec->leader };
	struct perf_event_attr attr;

	event->leader = -1;
	if (!spec->leader)
		return true;
	describe(&leader, &attr);
	attr.sample_type = 0;
	attr.pinned = 1;
	attr.exclude_guest = 1;
	event->leader = kernel_event_keep(open_self(&attr, -1), &event->leader_id);
	return event->leader >= 0;
}

enum ms_status kernel_event_open(struct kernel_event *event, const struct kernel_event_spec *spec)
{
	struct perf_event_attr attr;
	int error;

	*event = (struct kernel_event){ .fd = -1 };
	if (!open_leader(event, spec))
		return open_status(errno);
	describe(spec, &attr);
	event->fd = kernel_event_keep(open_self(&attr, event->leader), &event->id);
	if (event->fd >= 0) {
		event->counts_lost = attr.read_format != 0;
		return MS_OK;
	}
	error = errno;
	kernel_event_close(event);
	errno = error;
	return open_status(error);
}

void kernel_event_close(struct kernel_event *event)
{
	if (still_ours(event))
		close(event->fd);
	if (kernel_event_is(event->leader, event->leader_id))
		close(event->leader);
	*event = (struct kernel_event){ .fd = -1 };
}

bool kernel_event_switch(const struct kernel_event *event, bool on)
{
	unsigned long what = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;

	if (event->leader_id &&
	    (!kernel_event_is(event->leader, event->leader_id) || ioctl(event->leader, what, 0)))
		return false;
	return still_ours(event) && !ioctl(event->fd, what, 0);
}

bool kernel_event_runs(const struct kernel_event *event)
{
	uint64_t value_and_lost[2];

	return still_ours(event) && read(event->fd, value_and_lost, sizeof(value_and_lost)) > 0;
}

bool kernel_event_allow(const struct kernel_event *event, uint32_t samples)
{
	return still_ours(event) && !ioctl(event->fd, PERF_EVENT_IOC_REFRESH, samples);
}

bool kernel_event_set_period(const struct kernel_event *event, uint64_t period)
{
	return still_ours(event) && !ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &period);
}

bool kernel_event_lost(const struct kernel_event *event, uint64_t *lost_out)
{
	uint64_t value_and_lost[2];

	if (!event->counts_lost || !still_ours(event) ||
	    read(event->fd, value_and_lost, sizeof(value_and_lost)) != sizeof(value_and_lost))
		return false;
	*lost_out = value_and_lost[1];
	return true;
}

bool kernel_event_redirect(const struct kernel_event *event, const struct kernel_event *to)
{
	return still_ours(event) && still_ours(to) &&
	       !ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd);
}

uint64_t kernel_event_of(const struct perf_event_header *record)
{
	uint64_t id = 0;

	if (record->type == PERF_RECORD_SAMPLE && record->size >= sizeof(*record) + sizeof(id))
		memcpy(&id, record + 1, sizeof(id));
	return id;
}

/* The rest of a record. */
struct rest {
	const uint8_t *at, *end;
};

static bool next_word(struct rest *rest, uint64_t *out)
{
	if (rest->end - rest->at < 8)
		return false;
	memcpy(out, rest->at, 8);
	rest->at += 8;
	return true;
}

/* abi, registers[nr] if abi, size, stack[size] and bytes valid of it if size */
static bool next_stack(struct rest *rest, struct kernel_sample *out)
{
	uint64_t abi, size, valid, registers_bytes = register_map.nr * 8;

	if (!next_word(rest, &abi))
		return false;
	if (abi) {
		if ((uint64_t)(rest->end - rest->at) < registers_bytes)
			return false;
		out->registers = rest->at;
		rest->at += registers_bytes;
	}
	if (!next_word(rest, &size))
		return false;
	if (!size)
		return true;
	if (size > (uint64_t)(rest->end - rest->at))
		return false;
	out->stack = rest->at;
	rest->at += size;
	if (!next_word(rest, &valid))
		return false;
	out->stack_bytes = (uint32_t)(valid < size ? valid : size);
	return true;
}

/* Pid and tid are two numbers of 32 bits in the machine's order. */
static bool next_thread(struct rest *rest, struct kernel_sample *out)
{
	uint64_t word;
	uint32_t both[2];

	if (!next_word(rest, &word))
		return false;
	memcpy(both, &word, sizeof(both));
	out->thread = both[1];
	return true;
}

/* In both layouts of the weight the latency is the low 32 bits. */
static bool next_data(struct rest *rest, struct kernel_sample *out)
{
	uint64_t weight, source;

	if (!next_word(rest, &weight) || !next_word(rest, &source))
		return false;
	out->latency = (uint32_t)weight;
	out->source = data_source_of(source);
	return true;
}

/* The last field, if the event was opened with it. */
static uint64_t page_bytes(struct rest *rest)
{
	uint64_t bytes;

	if (!next_word(rest, &bytes) || bytes & (bytes - 1) || bytes < 1ull << PAGE_SHIFT_MIN ||
	    bytes > 1ull << PAGE_SHIFT_MAX)
		return 0;
	return bytes;
}

/* Fields in the order of perf_event_open(2). */
bool kernel_event_parse(const struct perf_event_header *record,
			const struct kernel_event_spec *spec, struct kernel_sample *out)
{
	struct rest rest = { (const uint8_t *)(record + 1),
			     (const uint8_t *)record + record->size };
	uint64_t id;

	*out = (struct kernel_sample){ .in_user = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
						  PERF_RECORD_MISC_USER };
	if (record->type != PERF_RECORD_SAMPLE || record->size < sizeof(*record) ||
	    !next_word(&rest, &id) || !next_word(&rest, &out->ip))
		return false;
	if (spec->data_source && !next_thread(&rest, out))
		return false;
	if ((spec->page || spec->data_source) && !next_word(&rest, &out->when_ns))
		return false;
	if (spec->address && !next_word(&rest, &out->address))
		return false;
	if (spec->stack && !next_stack(&rest, out))
		return false;
	if (spec->data_source && !next_data(&rest, out))
		return false;
	if (spec->page)
		out->page_bytes = page_bytes(&rest);
	return true;
}
