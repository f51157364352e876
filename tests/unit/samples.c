/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor samples: where CPU time goes, what is lost, and what a refusal says. */
#define _GNU_SOURCE
#include "tests/unit/sampling.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

NOT_INLINED static double hot(double value, long rounds)
{
	for (long i = 0; i < rounds; i++)
		value = value * 1.0000001 + 1e-9;
	return value;
}

/* Uses about that much CPU time, nearly all of it in hot(). */
static void burn(double seconds)
{
	double end = cpu_seconds() + seconds;
	volatile double value = 1;

	while (cpu_seconds() < end)
		value = hot(value, 200000);
}

TEST(samples__nine_of_ten_are_in_the_hot_function)
{
	struct tally tally = { .region = 2 };
	struct thread *self;

	need_sensor(&sensor_samples);
	bounds(&tally, (void *)hot);
	self = begin_thread(&sensor_samples, 0);
	enter(&sensor_samples, self, 2);
	burn(0.3);
	leave(&sensor_samples, self);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	CHECK(tally.all >= 200 && tally.all <= 400);
	CHECK_THAT(tally.inside, >=, tally.all * 9 / 10);
	CHECK_INT(tally.stacks, 0); /* the program's own code needs none */
	CHECK_INT(folded(self, 2, MS_METRIC_SAMPLES).sum, tally.all);
}

TEST(samples__belong_to_the_innermost_region)
{
	struct tally outer = { .region = 1 }, inner = { .region = 2 }, silent = { .region = 3 };
	struct thread *self;

	need_sensor(&sensor_samples);
	self = begin_thread(&sensor_samples, 0);
	burn(0.1); /* in no region */
	enter(&sensor_samples, self, 1);
	burn(0.1);
	enter(&sensor_samples, self, 2);
	burn(0.2);
	leave(&sensor_samples, self);
	/* asks for nothing: its samples are region 1's */
	self->frames[self->depth++] = (struct frame){ .region = 3 };
	burn(0.1);
	self->depth--;
	leave(&sensor_samples, self);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &outer);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &inner);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &silent);
	CHECK_NEAR((double)outer.all, 200, 50);
	CHECK_NEAR((double)inner.all, 200, 50);
	CHECK_INT(silent.all, 0);
	/* 0.1 to 100 us each */
	CHECK(self->sampled_ns > 400 * 100ull && self->sampled_ns < 600 * 100000ull);
}

TEST(samples__every_execution_counts_even_an_empty_one)
{
	struct ms_stat stat;
	struct thread *self;

	need_sensor(&sensor_samples);
	self = begin_thread(&sensor_samples, 0);
	for (int i = 0; i < 100; i++) {
		enter(&sensor_samples, self, 1);
		if (i % 10 == 0)
			burn(0.01);
		leave(&sensor_samples, self);
	}
	stat = folded(self, 1, MS_METRIC_SAMPLES);
	CHECK_INT(stat.count, 100);
	CHECK_INT(stat.min, 0);
	CHECK(stat.sum >= 60 && stat.sum <= 140);
}

/* Serial stretches have a frame of their own, whose region is known only when they end. */
TEST(samples__a_frame_outside_of_the_stack_is_measured_too)
{
	struct frame serial = { .region = MS_REGION_NONE,
				.epoch = 1,
				.requests = 1u << MS_SENSOR_SAMPLES };
	struct tally tally = { .region = 7 };
	struct thread *self;

	need_sensor(&sensor_samples);
	self = begin_thread(&sensor_samples, 0);
	for (int i = 0; i < THREAD_FRAMES; i++) /* what regions left behind that are over */
		self->frames[i] = (struct frame){ .region = 9,
						  .requests = 1u << MS_SENSOR_SAMPLES };
	burn(0.02);
	sensor_samples.region_begin(self, &serial);
	burn(0.1);
	samples_drain(self, MS_SENSOR_SAMPLES);
	serial.region = 7;
	sensor_samples.region_end(self, &serial);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	CHECK_NEAR((double)tally.all, 100, 40);
	tally.region = 9;
	tally.all = 0;
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	CHECK_INT(tally.all, 0);
}

/* A late END: the thread waits after its region was measured; that is nobody's time. */
TEST(samples__a_region_that_was_measured_gets_no_more)
{
	struct tally tally = { .region = 1 };
	struct thread *self;
	uint64_t before;

	need_sensor(&sensor_samples);
	self = begin_thread(&sensor_samples, 0);
	enter(&sensor_samples, self, 1);
	burn(0.05);
	sensor_samples.region_end(self, &self->frames[0]); /* still on the stack of frames */
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	before = tally.all;
	burn(0.05);
	enter(&sensor_samples, self, 2);
	leave(&sensor_samples, self);
	tally.all = 0;
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	CHECK_THAT(before, >, 20);
	CHECK_INT(tally.all, before);
}

/* Samples that 0.2 s of CPU time give at a rate. */
static double samples_at(double rate)
{
	struct tally tally = { .region = 1 };
	struct thread *self;

	configure(&sensor_samples, &(struct options){ .sampling_rate = rate }, NULL);
	self = begin_thread(&sensor_samples, 0);
	enter(&sensor_samples, self, 1);
	burn(0.2);
	leave(&sensor_samples, self);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	sensor_samples.thread_end(self);
	return (double)tally.all;
}

/*
 * A timer does not make up for what a virtual machine's host kept for others, which counts as CPU
 * time: too few may be chance, too many never.
 */
TEST(samples__the_rate_is_what_was_asked_for_and_capped)
{
	static const struct {
		int line;
		double asked, gets;
	} cases[] = {
		{ __LINE__, 100, 100 },
		{ __LINE__, 2000, 2000 },
		{ __LINE__, 1e9, 4000 },
	};

	need_sensor(&sensor_samples);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double most = 0;

		for (int attempt = 0; attempt < 10 && most < 0.1 * cases[i].gets; attempt++)
			most = fmax(most, samples_at(cases[i].asked));
		if (most < 0.1 * cases[i].gets || most > 0.3 * cases[i].gets)
			test_fail(__FILE__, cases[i].line, "%g Hz gave %g samples in 0.2 s",
				  cases[i].asked, most);
	}
}

/* An ordinary user who may lock next to nothing: rings of two pages. */
static void become_poor(rlim_t lockable)
{
	struct rlimit limit = { lockable, lockable };

	if (setrlimit(RLIMIT_MEMLOCK, &limit) ||
	    (!getuid() && syscall(SYS_setresuid, 65534, 65534, 65534)))
		test_skip("cannot become a user who may lock no memory");
}

static void pick_two(void *ctx, const struct ms_measurement *row)
{
	struct ms_stat *stats = ctx;

	if (row->metric == MS_METRIC_SAMPLES && row->region == 1)
		stats[0] = row->stat;
	if (row->metric == MS_METRIC_SAMPLES_LOST && row->region == MS_REGION_USER)
		stats[1] = row->stat;
}

static double samples_of(struct thread *self, double *lost_out)
{
	struct ms_stat stats[2] = { 0 };

	enter(&sensor_samples, self, 1);
	burn(0.3);
	leave(&sensor_samples, self);
	summary_fold(self->summary, 0, pick_two, stats);
	*lost_out = stats[1].sum;
	return stats[0].sum;
}

/*
 * Two pages hold 21 samples: the rest is counted, but as lost, and the rate goes down until nothing
 * is.
 */
TEST(samples__a_tiny_ring_loses_and_slows_down)
{
	struct thread *self;
	struct tally tally = { .region = 1 };
	double have, lost;

	become_poor(0);
	need_sensor(&sensor_samples);
	self = begin_thread(&sensor_samples, 1);
	have = samples_of(self, &lost);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	CHECK(tally.all > 5 && tally.all < 100);
	CHECK_NEAR(tally.all + lost, have, 0);
	CHECK_NEAR(have, 300, 60);
	for (int i = 0; i < 4; i++)
		samples_of(self, &lost);
	have = samples_of(self, &lost);
	CHECK_INT(lost, 0);
	CHECK_NEAR(have, 300, 60); /* each stands for 16 periods */
}

struct many {
	pthread_t id;
	pthread_barrier_t *all;
	uint64_t samples;
	bool covered;
};

static void *burn_in_region(void *argument)
{
	struct many *many = argument;
	struct thread *self = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct tally tally = { .region = 1 };

	self->index = 1;
	self->summary = summary_new();
	many->covered = sensor_samples.thread_begin(self);
	pthread_barrier_wait(many->all);
	sensor_samples.enable(self, true);
	enter(&sensor_samples, self, 1);
	burn(0.01);
	leave(&sensor_samples, self);
	samples_each(self, MS_SENSOR_SAMPLES, tally_site, &tally);
	many->samples = tally.all;
	pthread_barrier_wait(many->all);
	sensor_samples.thread_end(self);
	summary_free(self->summary);
	munmap(self, sizeof(*self));
	return NULL;
}

/* All at once; returns how many were covered. Those that were not have nothing. */
static int run_threads(int nr)
{
	struct many *many = calloc((size_t)nr, sizeof(*many));
	pthread_barrier_t all;
	int covered = 0;

	pthread_barrier_init(&all, NULL, (unsigned int)nr);
	for (int i = 0; i < nr; i++) {
		many[i].all = &all;
		CHECK_INT(pthread_create(&many[i].id, NULL, burn_in_region, &many[i]), 0);
	}
	for (int i = 0; i < nr; i++) {
		pthread_join(many[i].id, NULL);
		covered += many[i].covered;
		CHECK(many[i].covered ? many[i].samples > 0 : many[i].samples == 0);
	}
	free(many);
	return covered;
}

TEST(samples__256_threads_of_an_ordinary_user_are_covered)
{
	struct rlimit limit;
	int covered = 0;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_max < 8 << 20)
		test_skip("less than 8 MiB may be locked");
	become_poor(8 << 20);
	need_sensor(&sensor_samples);
	/*
	 * The kernel takes what tests before, of the same user, had locked off the account some
	 * time after they ended.
	 */
	for (int i = 0; i < 20 && covered < 256; i++) {
		covered = run_threads(256);
		usleep(covered < 256 ? 200000 : 0);
	}
	CHECK_INT(covered, 256);
}

static int free_descriptors(void)
{
	int fds[64], nr = 0;

	while (nr < 64 && (fds[nr] = open("/dev/null", O_RDONLY)) >= 0)
		nr++;
	for (int i = 0; i < nr; i++)
		close(fds[i]);
	return nr;
}

TEST(samples__64_descriptors_are_not_used_up)
{
	struct rlimit limit = { 64, 64 };
	struct thread *threads = calloc(40, sizeof(*threads));
	int before, covered;

	need_sensor(&sensor_samples);
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	before = free_descriptors();
	covered = run_threads(40);
	CHECK(covered >= 10 && covered < 40);
	CHECK_INT(free_descriptors(), before); /* all came back */
	/* and while threads hold theirs there are 16 left */
	for (int i = 0; i < 40; i++)
		sensor_samples.thread_begin(&threads[i]);
	CHECK_THAT(free_descriptors(), >=, 16);
	CHECK_THAT(free_descriptors(), <, before);
	for (int i = 0; i < 40; i++)
		sensor_samples.thread_end(&threads[i]);
	free(threads);
}

static bool is_event(int fd)
{
	char path[64], target[64] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "perf_event");
}

TEST(samples__the_programs_descriptors_stay_the_lowest)
{
	int before, after, events = 0;

	need_sensor(&sensor_samples);
	before = open("/dev/null", O_RDONLY);
	close(before);
	begin_thread(&sensor_samples, 0);
	after = open("/dev/null", O_RDONLY);
	CHECK_INT(after, before);
	for (int fd = 0; fd < 1024; fd++) {
		if (!is_event(fd))
			continue;
		events++;
		CHECK_THAT(fd, >=, 200);
		CHECK_INT(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	}
	CHECK_INT(events, 1);
}

/* A daemon closes all it does not know, and its own files get our numbers. */
TEST(samples__a_descriptor_taken_by_the_program_is_left_alone)
{
	char name[] = "/tmp/samples-XXXXXX";
	struct thread *self;
	int file;

	need_sensor(&sensor_samples);
	self = begin_thread(&sensor_samples, 0);
	file = mkstemp(name);
	CHECK(file >= 0 && file < 200 && write(file, "0123456789abcdef0123456789abcdef", 32) == 32);
	unlink(name);
	lseek(file, 0, SEEK_SET);
	for (int fd = 200; fd < 300; fd++)
		if (is_event(fd))
			CHECK_INT(dup2(file, fd), fd);
	enter(&sensor_samples, self, 1);
	burn(0.05);
	leave(&sensor_samples, self);
	sensor_samples.enable(self, false);
	sensor_samples.thread_end(self);
	CHECK_INT(lseek(file, 0, SEEK_CUR), 0);
	CHECK_INT(lseek(200, 0, SEEK_CUR), 0);
}

struct toggled {
	struct thread *thread;
	int stop;
};

static void *toggle(void *argument)
{
	struct toggled *toggled = argument;

	for (int on = 1; !__atomic_load_n(&toggled->stop, __ATOMIC_ACQUIRE); on = !on)
		sensor_samples.enable(toggled->thread, on);
	return NULL;
}

/* Run with SAN=thread: a phase boundary while a thread ends. */
TEST(samples__a_thread_may_end_while_another_switches_it)
{
	struct toggled toggled = { .stop = 0 };
	int before = free_descriptors();
	pthread_t other;

	need_sensor(&sensor_samples);
	toggled.thread = begin_thread(&sensor_samples, 0);
	pthread_create(&other, NULL, toggle, &toggled);
	for (int i = 0; i < 300; i++) {
		sensor_samples.thread_end(toggled.thread);
		CHECK(sensor_samples.thread_begin(toggled.thread));
	}
	__atomic_store_n(&toggled.stop, 1, __ATOMIC_RELEASE);
	pthread_join(other, NULL);
	sensor_samples.thread_end(toggled.thread);
	CHECK_INT(free_descriptors(), before);
	for (int fd = 200; fd < 600; fd++)
		CHECK(!is_event(fd));
}

static const char *by_whom(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "r");
	int level = 2;

	if (file && fscanf(file, "%d", &level) == 1)
		fclose(file);
	return level > 2 ? "sysctl kernel.perf_event_paranoid=2" : "seccomp";
}

static void check_refusal(int error, enum ms_missing why, const char *text)
{
	static const struct sensor *const both[] = { &sensor_samples, &sensor_faults };

	refuse_events(error);
	for (int i = 0; i < 2; i++) {
		struct thread thread = { .index = 0 };
		struct sensor_status status;

		both[i]->probe(&status);
		CHECK(!status.works);
		CHECK_INT(status.why, why);
		if (!strstr(status.text, text) || strlen(status.text) > 150)
			test_fail(__FILE__, __LINE__, "not \"%s\" in: %s", text, status.text);
		CHECK(!both[i]->thread_begin(&thread));
		enter(both[i], &thread, 1); /* and the events go on */
		leave(both[i], &thread);
		both[i]->enable(&thread, true);
		both[i]->thread_end(&thread);
	}
}

TEST(samples__a_refusal_by_permission_names_what_would_mend_it)
{
	check_refusal(EACCES, MS_MISSING_NOT_PERMITTED, "(EACCES)");
}

TEST(samples__a_refusal_by_a_filter_is_told_apart)
{
	check_refusal(EPERM, MS_MISSING_NOT_PERMITTED, by_whom());
}

TEST(samples__a_kernel_without_the_call_is_told_apart)
{
	check_refusal(ENOSYS, MS_MISSING_NOT_SUPPORTED, "ENOSYS");
}

TEST(samples__a_lack_of_descriptors_is_told_apart)
{
	check_refusal(EMFILE, MS_MISSING_NOT_PERMITTED, "ulimit -n");
}

TEST(samples__an_unknown_event_is_told_apart)
{
	check_refusal(ENOENT, MS_MISSING_NOT_SUPPORTED, "does not offer");
}
