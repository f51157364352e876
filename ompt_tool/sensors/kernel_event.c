/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, switching and reading one sampling event of the kernel as a polite guest. */
#include "ompt_tool/sensors/kernel_event.h"

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

#include "ompt_tool/sensors/registers.h"
#include "ompt_tool/sensors/samples.h"

#define FORMAT_LOST (1u << 4)            /* PERF_FORMAT_LOST, missing in headers before Linux 6.0 */
#define SAMPLE_PAGE (1u << 22)           /* PERF_SAMPLE_DATA_PAGE_SIZE, in those before 5.11 */
#define PAGE_SHIFT_MIN 12
#define PAGE_SHIFT_MAX 34                /* 16 GB, the largest there is (POWER, ARM) */

static void describe(const struct kernel_event_spec *spec, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = spec->config,
		.sample_period = spec->period,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP,
		.read_format = FORMAT_LOST,
		.disabled = 1,
		.exclude_kernel = 1,     /* all that kernel.perf_event_paranoid=2 allows */
		.exclude_hv = 1,
		.use_clockid = 1,        /* the same on all CPUs, and for all events of a ring */
		.clockid = CLOCK_MONOTONIC,
	};
	if (spec->address)
		attr->sample_type |= PERF_SAMPLE_ADDR;
	if (spec->page)
		attr->sample_type |= SAMPLE_PAGE | PERF_SAMPLE_TIME;
	if (spec->stack) {
		attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr->sample_regs_user = register_map.mask;
		attr->sample_stack_user = SAMPLE_STACK_BYTES;
	}
}

static int open_once(struct perf_event_attr *attr)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Older kernels know neither losses nor pages, or only pages. */
static int open_self(struct perf_event_attr *attr)
{
	int fd = open_once(attr);

	if (fd < 0 && errno == EINVAL) {
		attr->read_format = 0;
		fd = open_once(attr);
	}
	if (fd < 0 && errno == EINVAL && attr->sample_type & SAMPLE_PAGE) {
		attr->sample_type &= ~(uint64_t)SAMPLE_PAGE;
		fd = open_once(attr);
	}
	return fd;
}

int kernel_event_move_up(int low)
{
	struct rlimit limit = { .rlim_cur = 1024 };
	int room, high;

	getrlimit(RLIMIT_NOFILE, &limit);
	room = limit.rlim_cur > INT_MAX ? INT_MAX : (int)limit.rlim_cur;
	high = fcntl(low, F_DUPFD_CLOEXEC, room / 2 < KERNEL_EVENT_FD_FIRST ? room / 2 : KERNEL_EVENT_FD_FIRST);
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
	case EPERM:
		return MS_ERR_PERMISSION;
	case EMFILE:
	case ENFILE:
		return MS_ERR_FULL;
	case EINVAL:
	case ENOENT:
	case ENOSYS:
	case EOPNOTSUPP:
		return MS_ERR_UNSUPPORTED;
	default:
		return MS_ERR_IO;
	}
}

enum ms_status kernel_event_open(struct kernel_event *event, const struct kernel_event_spec *spec)
{
	struct perf_event_attr attr;
	int fd;

	*event = (struct kernel_event){ .fd = -1 };
	describe(spec, &attr);
	fd = open_self(&attr);
	if (fd >= 0)
		fd = kernel_event_move_up(fd);
	if (fd < 0)
		return open_status(errno);
	event->fd = fd;
	event->knows_lost = attr.read_format != 0;
	if (!ioctl(fd, PERF_EVENT_IOC_ID, &event->id))
		return MS_OK;
	close(fd);
	event->fd = -1;
	return MS_ERR_IO;
}

/* The program may have closed our descriptor and got its number for a file of its own. */
static bool still_ours(const struct kernel_event *event)
{
	uint64_t id = 0;

	return event->fd >= 0 && event->id && !ioctl(event->fd, PERF_EVENT_IOC_ID, &id) && id == event->id;
}

void kernel_event_close(struct kernel_event *event)
{
	if (still_ours(event))
		close(event->fd);
	*event = (struct kernel_event){ .fd = -1 };
}

bool kernel_event_switch(const struct kernel_event *event, bool on)
{
	return still_ours(event) && !ioctl(event->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

bool kernel_event_set_period(const struct kernel_event *event, uint64_t period)
{
	return still_ours(event) && !ioctl(event->fd, PERF_EVENT_IOC_PERIOD, &period);
}

bool kernel_event_lost(const struct kernel_event *event, uint64_t *lost_out)
{
	uint64_t value_and_lost[2];

	if (!event->knows_lost || !still_ours(event) ||
	    read(event->fd, value_and_lost, sizeof(value_and_lost)) != sizeof(value_and_lost))
		return false;
	*lost_out = value_and_lost[1];
	return true;
}

bool kernel_event_redirect(const struct kernel_event *event, const struct kernel_event *to)
{
	return still_ours(event) && still_ours(to) && !ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT, to->fd);
}

uint64_t kernel_event_of(const struct perf_event_header *record)
{
	uint64_t id = 0;

	if (record->type == PERF_RECORD_SAMPLE && record->size >= sizeof(*record) + sizeof(id))
		memcpy(&id, record + 1, sizeof(id));
	return id;
}

/*
 * { header, id, ip, address?, abi, registers[nr] if abi, size, stack[size] and bytes valid of it if size }
 */
static bool parse_stack(const uint8_t *at, const uint8_t *end, struct kernel_sample *out)
{
	uint64_t abi, size, valid;
	uint64_t registers_bytes = register_map.nr * 8;

	if (end - at < 16)
		return false;
	memcpy(&abi, at, 8);
	at += 8;
	if (abi) {
		if ((uint64_t)(end - at) < registers_bytes + 8)
			return false;
		out->registers = at;
		at += registers_bytes;
	}
	memcpy(&size, at, 8);
	at += 8;
	if (!size)
		return true;
	if ((uint64_t)(end - at) < 8 || size > (uint64_t)(end - at) - 8)
		return false;
	memcpy(&valid, at + size, 8);
	out->stack = at;
	out->stack_bytes = (uint32_t)(valid < size ? valid : size);
	return true;
}

/* Behind the address, where the event was opened with it. */
static uint64_t page_bytes(const struct perf_event_header *record, size_t plain)
{
	uint64_t bytes;

	if (record->size < plain + sizeof(bytes))
		return 0;
	memcpy(&bytes, (const uint8_t *)record + plain, sizeof(bytes));
	return bytes & (bytes - 1) || bytes < 1ull << PAGE_SHIFT_MIN || bytes > 1ull << PAGE_SHIFT_MAX ? 0 : bytes;
}

bool kernel_event_parse(const struct perf_event_header *record, const struct kernel_event_spec *spec, struct kernel_sample *out)
{
	const uint8_t *at = (const uint8_t *)(record + 1) + 8, *end = (const uint8_t *)record + record->size;
	size_t plain = sizeof(*record) + 16 + (spec->page ? 8 : 0) + (spec->address ? 8 : 0);

	*out = (struct kernel_sample){ 0 };
	if (record->type != PERF_RECORD_SAMPLE || record->size < plain)
		return false;
	memcpy(&out->ip, at, 8);
	if (spec->page)
		memcpy(&out->when_ns, at += 8, 8);
	if (spec->address)
		memcpy(&out->address, at + 8, 8);
	if (spec->page)
		out->page_bytes = page_bytes(record, plain);
	return !spec->stack || parse_stack((const uint8_t *)record + plain, end, out);
}
