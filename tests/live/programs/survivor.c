/* SPDX-License-Identifier: Apache-2.0 */
/* A child outlives the program by a second, then writes its environment, and what it gets to see of folders in it, to the file of argument 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/* Anyone may put a file, or a folder that is gone, there. */
static int is_open_to_all(const char *path)
{
	char part[4096];
	struct stat info;

	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = strrchr(part, '/'); slash; slash = strrchr(part, '/')) {
		*slash = '\0';
		if (stat(*part ? part : "/", &info) == 0 && (info.st_mode & S_IWOTH))
			return 1;
	}
	return 0;
}

static void write_paths(FILE *out, char *variable)
{
	char *value = strchr(variable, '='), *rest = NULL;

	if (!value)
		return;
	*value++ = '\0';
	for (char *path = strtok_r(value, ":; ", &rest); path; path = strtok_r(NULL, ":; ", &rest))
		if (*path == '/')
			fprintf(out, "%s %s %s\n", variable, is_open_to_all(path) ? "open" : "closed", access(path, F_OK) ? "gone" : path);
}

int main(int argc, char **argv)
{
	double sum = 0;

	#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
	printf("%g\n", sum);
	fflush(stdout);
	if (argc > 1 && fork() == 0) {
		FILE *out = fopen(argv[1], "w");

		setsid();
		sleep(1);
		for (char **variable = environ; *variable; variable++)
			if (strncmp(*variable, "PWD=", 4) && strncmp(*variable, "OLDPWD=", 7))
				write_paths(out, *variable);
		fputs("end\n", out);
		fclose(out);
		_exit(0);
	}
	return 0;
}
