/* SPDX-License-Identifier: Apache-2.0 */
/* A time loop with an imbalanced region that ends in the way its argument says, after `steps` steps. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile double sink;

static void work(long n)
{
	double x = 1;

	for (long i = 0; i < n; i++)
		x = x * 1.0000001 + 1e-9;
	sink = x;
}

static void step(void)
{
#pragma omp parallel                                   /* HERE: region */
	work(omp_get_thread_num() == 0 ? 2000000 : 400000);
}

static void steps(int nr)
{
	for (int i = 0; i < nr; i++)
		step();
}

static void in_region(void (*end)(int), int status, int thread)
{
#pragma omp parallel
	{
		work(100000);
		if (omp_get_thread_num() == thread)
			end(status);
		work(100000000);
	}
}

static void forks(int nr)
{
	int status = 0;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		steps(3);
		printf("child\n");
		exit(5);
	}
	waitpid(child, &status, 0);
	printf("child exit %d\n", WEXITSTATUS(status));
	steps(nr);
}

static void *root_thread(void *nothing)
{
	steps(5);
	return nothing;
}

static void threads_of_its_own(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, root_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void at_exit(void)
{
	printf("atexit handler\n");
}

static void close_all(void)
{
	for (int fd = 3; fd < 1024; fd++)
		close(fd);
	for (int i = 0; i < 40; i++)       /* reuse the numbers for files of its own */
		if (!tmpfile())
			printf("tmpfile failed\n");
}

static void segv(void)
{
	*(volatile int *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "return";
	int nr = argc > 2 ? atoi(argv[2]) : 60;

	atexit(at_exit);
	if (!strcmp(how, "closefds"))
		close_all();
	if (!strcmp(how, "threads"))
		omp_set_num_threads(256);
	steps(nr);
	printf("%s\n", how);
	if (strcmp(how, "exec") == 0 || !strcmp(how, "kill") || !strcmp(how, "_exit"))
		fflush(stdout);
	if (!strcmp(how, "exit")) exit(3);
	if (!strcmp(how, "_exit")) _exit(4);
	if (!strcmp(how, "quick_exit")) { fflush(stdout); quick_exit(6); }
	if (!strcmp(how, "abort")) { fflush(stdout); abort(); }
	if (!strcmp(how, "kill")) raise(SIGKILL);
	if (!strcmp(how, "term")) raise(SIGTERM);
	if (!strcmp(how, "segv")) { fflush(stdout); segv(); }
	if (!strcmp(how, "exit_in_region")) in_region(exit, 7, 0);
	if (!strcmp(how, "exit_in_worker")) in_region(exit, 8, 1);
	if (!strcmp(how, "fork")) forks(nr);
	if (!strcmp(how, "exec")) execl("/bin/echo", "echo", "from exec", (char *)NULL);
	if (!strcmp(how, "exec_again")) execl("/proc/self/exe", "ends-again", "return", "60", (char *)NULL);
	if (!strcmp(how, "roots")) threads_of_its_own();
	if (!strcmp(how, "pause_hard")) { omp_pause_resource_all(omp_pause_hard); steps(5); }
	if (!strcmp(how, "late_threads")) { omp_set_num_threads(64); steps(5); }
	return strcmp(how, "return1") == 0;
}
