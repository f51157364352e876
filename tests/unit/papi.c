/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back end papi, with software events of the kernel and known answers. PAPI counts nothing where
 * libpfm4 knows no PMU of type core (virtual machines whose CPU it does not know): this program
 * stands in front of libpfm4's pfm_get_pmu_info, calls the kernel's own one, and hides what libpfm4
 * takes a CPU of that family to have, which a virtual machine need not.
 */
#define _GNU_SOURCE
#include "tests/unit/test.h"

#ifdef HAVE_LIBPAPI
#include <dlfcn.h>
#include <dirent.h>
#include <papi.h>
#include <perfmon/pfmlib.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/options/options.h"
#include "analysis/properties/property.h"
#include "memsearch/sensor.h"
#include "ompt_tool/counters/counters.h"
#include "ompt_tool/counters/papi_library.h"
#include "tests/unit/fake_counters.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))
#define THREADS 4
/* Sanitizers keep what is freed for a while. */
#define GROWTH_KIB (SANITIZED ? 1000000 : 2048)
/* in the memory the sanitizer keeps */
#define SHADOW_FAULTS (__has_feature(thread_sanitizer) ? 10 : 0)

static const struct counter_backend *const papi = &counter_backend_papi;
static bool presents_core = true;

/* What PAPI's library finds instead of libpfm4's. */
__attribute__((visibility("default"))) pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu,
								  pfm_pmu_info_t *info)
{
	static __typeof__(pfm_get_pmu_info) *real;
	void *library = real ? NULL : dlopen("libpfm.so.4", RTLD_LAZY | RTLD_NOLOAD);
	pfm_err_t error;

	if (library)
		real = dlsym(library, "pfm_get_pmu_info");
	CHECK(real);
	error = real(pmu, info);
	if (error == PFM_SUCCESS && info->type != PFM_PMU_TYPE_OS_GENERIC)
		info->is_present = 0;
	if (error == PFM_SUCCESS && presents_core && strcmp(info->name, "perf") == 0)
		info->type = PFM_PMU_TYPE_CORE;
	return error;
}

/* Before PAPI, whose imports are else bound to the libpfm4 that is loaded with it. */
__attribute__((constructor)) static void load_pfm(void)
{
	dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
}

static void start_papi(void)
{
	struct sensor_status status = { 0 };

	if (!dlopen(papi_library_name(), RTLD_LAZY | RTLD_NOLOAD) &&
	    access("/usr/include/papi.h", R_OK) != 0)
		test_skip("PAPI is not installed");
	papi->start(&status);
	if (!status.works)
		test_fail(__FILE__, __LINE__, "%s", status.text);
}

static struct counter_event *resolve(const char *table, const char *name)
{
	struct counter_event *event = NULL;
	char why[160] = "";
	enum ms_status status = papi->resolve(table, name, &event, why);

	if (status == MS_ERR_PERMISSION)
		test_skip("%s", why);
	if (status != MS_OK)
		test_fail(__FILE__, __LINE__, "%s::%s: %s", table, name, why);
	return event;
}

/* A sanitizer's own memory for it would fault, too. */
__attribute__((no_sanitize("address", "thread"))) static void touch(char *memory, size_t pages)
{
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * PAGE] = 1;
}

/* Page by page: no huge ones. */
static char *fresh_memory(size_t pages)
{
	char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	CHECK(memory != MAP_FAILED && !madvise(memory, pages * PAGE, MADV_NOHUGEPAGE));
	return memory;
}

/* What the events count while `pages` fresh pages are touched. */
static void count_faults(struct counter_event *const *events, size_t nr, size_t pages,
			 uint64_t *counts)
{
	_Alignas(16) unsigned char memory[COUNTER_GROUP_BYTES];
	struct counter_group *group = (struct counter_group *)memory;
	struct counter_reading before, after;
	char *fresh = fresh_memory(pages);

	CHECK(papi->open(group, events, nr));
	/* the first one touches pages of its own */
	CHECK(papi->read(group, &before) && papi->read(group, &before));
	touch(fresh, pages);
	CHECK(papi->read(group, &after));
	papi->close(group);
	for (size_t i = 0; i < nr; i++)
		counts[i] = after.values[i] - before.values[i];
	CHECK(after.enabled_ns > before.enabled_ns &&
	      after.running_ns - before.running_ns == after.enabled_ns - before.enabled_ns);
	munmap(fresh, pages * PAGE);
}

/* -- what is there */

TEST(papi__tables_and_names)
{
	struct counter_table tables[8];
	struct counter_event *event;
	char why[160];
	size_t nr;

	start_papi();
	nr = papi->tables(tables, 8);
	CHECK_THAT(nr, >=, 2);
	CHECK_STR(tables[nr - 2].name, "papi");
	CHECK_STR(tables[nr - 1].name, "perf");
	CHECK(tables[nr - 2].stands_in && !tables[nr - 1].stands_in && !tables[nr - 1].core);
	CHECK(resolve("perf", "PAGE-FAULTS") && resolve(NULL, "perf::MINOR-FAULTS"));
	CHECK_INT(papi->resolve("papi", "PAPI_TOT_CIC", &event, why), MS_ERR_NOT_FOUND);
	CHECK_STR(why, "PAPI has no preset 'PAPI_TOT_CIC'; did you mean 'PAPI_TOT_CYC'?");
	CHECK_INT(papi->resolve("perf", "PAGE-FALTS", &event, why), MS_ERR_NOT_FOUND);
	CHECK(strstr(why, "PAGE-FAULTS"));
	CHECK_INT(papi->resolve("perf", "CONTEXT-SWITCHES", &event, why), MS_ERR_UNSUPPORTED);
	CHECK(strstr(why, "perf::CONTEXT-SWITCHES:u:k"));
}

/*
 * Without a core PMU PAPI starts, knows no event, and the back end says so: nothing of it is
 * believed.
 */
TEST(papi__without_a_core_pmu)
{
	struct counter_table tables[8];
	struct sensor_status status = { 0 };
	struct counter_event *event;
	char why[160];
	size_t nr;

	presents_core = false;
	papi->start(&status);
	nr = papi->tables(tables, 8);
	CHECK_INT(nr, 2);
	CHECK(!status.works && status.why == MS_MISSING_NOT_SUPPORTED);
	CHECK_STR(
		status.text,
		"PAPI counts nothing of the CPU or the kernel here: Error libpfm4 no default PMU found");
	CHECK_THAT(papi->resolve("perf", "PAGE-FAULTS", &event, why), !=, MS_OK);
	CHECK_INT(papi->resolve("papi", "PAPI_TOT_CYC", &event, why), MS_ERR_UNSUPPORTED);
	CHECK(strstr(why, "PAPI lists its events, but cannot count them here"));
}

/* -- counting */

struct faults_thread {
	struct counter_event *const *events;
	size_t pages;
	uint64_t counts[2];
	pthread_t id;
};

static void *count_on_thread(void *argument)
{
	struct faults_thread *thread = argument;

	CHECK(papi->thread_begin());
	count_faults(thread->events, 2, thread->pages, thread->counts);
	papi->thread_end();
	return NULL;
}

TEST(papi__exact_faults_of_each_thread)
{
	struct faults_thread threads[THREADS];
	struct counter_event *events[2];

	start_papi();
	events[0] = resolve("perf", "MAJOR-FAULTS");
	events[1] = resolve("perf", "PAGE-FAULTS");
	CHECK(papi->fits(events, 2));
	for (size_t i = 0; i < THREADS; i++) {
		threads[i] = (struct faults_thread){ events, 1000 * (i + 1), { 0 }, 0 };
		CHECK_INT(pthread_create(&threads[i].id, NULL, count_on_thread, &threads[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		CHECK_INT(pthread_join(threads[i].id, NULL), 0);
		CHECK_INT(threads[i].counts[0], 0);
		CHECK_INT(threads[i].counts[1], threads[i].pages);
	}
}

struct sensor_thread {
	uint32_t index;
	struct thread *self;
	size_t pages;
	pthread_t id;
};

static void *touch_in_regions(void *argument)
{
	struct sensor_thread *thread = argument;
	char *fresh = fresh_memory(thread->pages);

	CHECK(sensor_counters.thread_begin(thread->self));
	fake_enter(thread->self, 1); /* opens the events */
	fake_leave(thread->self);
	fake_enter(thread->self, 2);
	touch(fresh, thread->pages);
	fake_leave(thread->self);
	sensor_counters.thread_end(thread->self);
	munmap(fresh, thread->pages * PAGE);
	return NULL;
}

/* From the event tables and an event the user names to values of a thread and region. */
TEST(papi__through_the_sensor)
{
	static const uint32_t metrics[] = { MS_METRIC_PAGE_FAULTS, MS_METRIC_EVENT_1 };
	const struct property_set *set = property_set_load(arena_new(), "properties", NULL);
	struct sensor_thread threads[THREADS];
	struct sensor_status status = { 0 };

	sensor_counters.session.configure(&(struct sensor_setting){
		.properties = set,
		.options = &(struct options){ .counters = "papi", .event = "perf::MINOR-FAULTS" },
	});
	sensor_counters.probe(&status);
	if (!status.works && strstr(status.text, "cannot be opened"))
		test_skip("%s", status.text);
	CHECK(status.works);
	CHECK_STR(counters_backend(), "papi");
	CHECK_STR(counters_formula(MS_METRIC_PAGE_FAULTS), "perf::PAGE-FAULTS");
	CHECK_STR(counters_formula(MS_METRIC_EVENT_1), "perf::MINOR-FAULTS");
	sensor_counters.select(metrics, 2);
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct sensor_thread){ i, thread_new(false), 1000 * (i + 1), 0 };
		CHECK(threads[i].self && threads[i].self->index == i);
		CHECK_INT(pthread_create(&threads[i].id, NULL, touch_in_regions, &threads[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		struct fake_rows rows = {
			{ { 2, MS_METRIC_PAGE_FAULTS, { 0 } }, { 2, MS_METRIC_EVENT_1, { 0 } } }, 2
		};

		CHECK_INT(pthread_join(threads[i].id, NULL), 0);
		summary_fold(threads[i].self->summary, i, fake_pick, &rows);
		CHECK(rows.rows[0].stat.sum >= threads[i].pages &&
		      rows.rows[0].stat.sum <= threads[i].pages + SHADOW_FAULTS);
		CHECK(rows.rows[1].stat.sum >= threads[i].pages &&
		      rows.rows[1].stat.sum <= threads[i].pages + SHADOW_FAULTS);
	}
}

TEST(papi__switches_in_the_kernel)
{
	_Alignas(16) unsigned char memory[COUNTER_GROUP_BYTES];
	struct counter_group *group = (struct counter_group *)memory;
	struct counter_reading before, after;
	struct counter_event *event;

	start_papi();
	event = resolve("perf", "CONTEXT-SWITCHES:u:k");
	CHECK(papi->open(group, &event, 1) && papi->read(group, &before));
	for (int i = 0; i < 20; i++)
		usleep(1000);
	CHECK(papi->read(group, &after));
	papi->close(group);
	CHECK_THAT(after.values[0] - before.values[0], >=, 20);
}

/* -- threads that come and go */

static size_t count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t nr = 0;

	CHECK(folder);
	while (readdir(folder))
		nr++;
	closedir(folder);
	return nr;
}

static long resident_kib(void)
{
	struct rusage usage;

	CHECK_INT(getrusage(RUSAGE_SELF, &usage), 0);
	return usage.ru_maxrss;
}

static void *come_and_go(void *argument)
{
	_Alignas(16) unsigned char memory[COUNTER_GROUP_BYTES];
	struct counter_group *group = (struct counter_group *)memory;
	struct counter_reading reading;
	struct counter_event *const *events = argument;

	CHECK(papi->thread_begin());
	CHECK(papi->open(group, events, 2) && papi->read(group, &reading));
	papi->close(group);
	papi->thread_end();
	return NULL;
}

static void make_threads(struct counter_event *const *events, int nr)
{
	pthread_t id;

	for (int i = 0; i < nr; i++) {
		CHECK_INT(pthread_create(&id, NULL, come_and_go, (void *)events), 0);
		CHECK_INT(pthread_join(id, NULL), 0);
	}
}

TEST(papi__ten_thousand_threads_leave_nothing)
{
	struct counter_event *events[2];
	size_t descriptors;
	long kib;

	start_papi();
	events[0] = resolve("perf", "PAGE-FAULTS");
	events[1] = resolve("perf", "MINOR-FAULTS");
	make_threads(events, 500);
	descriptors = count_descriptors();
	kib = resident_kib();
	make_threads(events, 9500);
	CHECK_INT(count_descriptors(), descriptors);
	/* a thread that is not taken apart costs 130 KiB */
	if (resident_kib() > kib + GROWTH_KIB)
		test_fail(__FILE__, __LINE__, "memory grew by %ld KiB", resident_kib() - kib);
}

TEST(papi__a_forked_child_calls_nothing)
{
	struct counter_event *event;
	_Alignas(16) unsigned char memory[COUNTER_GROUP_BYTES];
	int status = 0;
	pid_t child;

	start_papi();
	event = resolve("perf", "PAGE-FAULTS");
	child = fork();
	if (child == 0)
		_exit(papi->thread_begin() ||
		      papi->open((struct counter_group *)memory, &event, 1));
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* -- a program with a PAPI of its own */

/* Counts page faults as such a program does; how many it got. */
static long long count_by_own_papi(void *library, size_t pages)
{
	__typeof__(PAPI_library_init) *initialize = dlsym(library, "PAPI_library_init");
	__typeof__(PAPI_create_eventset) *create = dlsym(library, "PAPI_create_eventset");
	__typeof__(PAPI_add_named_event) *add = dlsym(library, "PAPI_add_named_event");
	__typeof__(PAPI_start) *begin = dlsym(library, "PAPI_start");
	__typeof__(PAPI_read) *read_values = dlsym(library, "PAPI_read");
	__typeof__(PAPI_stop) *stop = dlsym(library, "PAPI_stop");
	long long before, after, last;
	char *fresh = fresh_memory(pages);
	int set = PAPI_NULL;

	CHECK(initialize && create && add && begin && read_values && stop);
	CHECK_INT(initialize(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
	CHECK_INT(create(&set), PAPI_OK);
	CHECK_INT(add(set, "perf::PAGE-FAULTS"), PAPI_OK);
	CHECK_INT(begin(set), PAPI_OK);
	CHECK_INT(read_values(set, &before), PAPI_OK);
	CHECK_INT(read_values(set, &before), PAPI_OK);
	touch(fresh, pages);
	CHECK_INT(read_values(set, &after), PAPI_OK);
	CHECK_INT(stop(set, &last), PAPI_OK);
	munmap(fresh, pages * PAGE);
	return after - before;
}

/* The kernel may take a page away meanwhile, which then faults twice. */
static bool counts_its_pages(void *library, size_t pages)
{
	long long counted = count_by_own_papi(library, pages);

	return counted >= (long long)pages && counted <= (long long)pages + 3;
}

TEST(papi__a_program_with_papi_keeps_it)
{
	struct sensor_status status = { 0 };
	void *library = dlopen(papi_library_name(), RTLD_NOW | RTLD_GLOBAL);

	if (!library)
		test_skip("PAPI is not installed");
	papi->start(&status);
	CHECK(!status.works && status.why == MS_MISSING_NOT_SUPPORTED);
	CHECK(strstr(status.text, "the program uses PAPI itself"));
	CHECK(counts_its_pages(library, 700));
}

/* It gets another library than ours, and both count on the same thread. */
TEST(papi__a_program_that_opens_papi_later)
{
	_Alignas(16) unsigned char memory[COUNTER_GROUP_BYTES];
	struct counter_group *group = (struct counter_group *)memory;
	struct counter_reading before, after;
	struct counter_event *event;
	void *library;

	start_papi();
	event = resolve("perf", "PAGE-FAULTS");
	CHECK(papi->thread_begin() && papi->open(group, &event, 1));
	library = dlopen(papi_library_name(), RTLD_NOW | RTLD_GLOBAL);
	CHECK(library);
	CHECK(counts_its_pages(library, 700));
	CHECK(papi->read(group, &before) && papi->read(group, &before));
	CHECK(counts_its_pages(library, 900));
	CHECK(papi->read(group, &after));
	CHECK_THAT(after.values[0] - before.values[0], >=, 900);
	papi->close(group);
	papi->thread_end();
}

/* -- other libraries */

TEST(papi__missing_at_run_time)
{
	char why[160] = "";

	CHECK(!papi_library_open("libpapi.so.0.0", why));
	CHECK(strstr(
		why,
		"libpapi.so.0.0, with which memsearch was built, cannot be opened: install Debian's package libpapi"));
}

/* A library with that text, built in a folder of its own. */
static void build_library(char *folder, char *path, size_t bytes, const char *text)
{
	const char *compiler = getenv("CC");
	char command[512];
	FILE *file;

	CHECK(mkdtemp(folder));
	snprintf(path, bytes, "%s/x.c", folder);
	file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
	snprintf(path, bytes, "%s/libpapi.so.7.0", folder);
	snprintf(command, sizeof(command),
		 "%s -shared -fPIC -w -Wl,-soname,libpapi.so.7.0 -o %s %s/x.c 2> /dev/null",
		 compiler ? compiler : "cc", path, folder);
	if (system(command) != 0)
		test_skip("no compiler");
}

static void remove_folder(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_THAT(system(command), ==, 0);
}

#define OTHER(init) \
	"int PAPI_library_init(int version) { return " init \
	"; } char *PAPI_strerror(int e) { return \"broken\"; }\n" \
	"int PAPI_thread_init, PAPI_register_thread, PAPI_unregister_thread, PAPI_create_eventset, PAPI_add_event, PAPI_start,\n" \
	"PAPI_stop, PAPI_read, PAPI_cleanup_eventset, PAPI_destroy_eventset, PAPI_event_name_to_code, PAPI_event_code_to_name,\n" \
	"PAPI_enum_event, PAPI_get_event_component, PAPI_get_component_info, PAPI_num_components;\n"

static const struct {
	int row;
	const char *text, *why;
} others[] = {
	/* PAPI_EINVAL: what it says to other versions */
	{ __LINE__, OTHER("-1"), " is another version of PAPI than " },
	{ __LINE__, OTHER("0x06000000"), " is another version of PAPI than " },
	{ __LINE__, OTHER("-3"), "PAPI does not start: broken" },
	{ __LINE__, "int PAPI_library_init(int version) { return version; }\n",
	  " lacks functions that PAPI should have" },
};

TEST(papi__another_library)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char folder[] = "/tmp/papi_XXXXXX", path[64], why[160] = "";

		build_library(folder, path, sizeof(path), others[i].text);
		if (papi_library_open(path, why) || !strstr(why, others[i].why))
			test_fail(__FILE__, others[i].row, "said: %s", why);
		remove_folder(folder);
	}
}

TEST(papi__no_library_at_all)
{
	char path[] = "/tmp/papi_XXXXXX", why[160] = "";
	int fd = mkstemp(path);

	CHECK(fd >= 0 && write(fd, "not a library", 13) == 13);
	CHECK(!papi_library_open(path, why));
	CHECK(strstr(why, "cannot be opened"));
	close(fd);
	unlink(path);
}
#else
TEST(papi__left_out)
{
	test_skip("built without libpapi-dev");
}
#endif
