/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code an address is of, while files come and go. */
#include "ompt_tool/recording/recorded_code.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/host/scratch.h"
#include "tests/unit/test.h"

#define ROUNDS 3

TEST(recorded_code__knows_whose_it_is)
{
	char *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < ROUNDS; i++) {
		CHECK(recorded_code_is_programs((uintptr_t)recorded_code_is_programs));
		CHECK(SANITIZED || !recorded_code_is_programs((uintptr_t)atoi));
		CHECK(!recorded_code_is_programs((uintptr_t)memory));
		CHECK(!recorded_code_is_programs(0));
	}
}

/* A function of a library of the program's, which is loaded wherever there is room. */
static uintptr_t function_of(const char *path, void **library_out)
{
	*library_out = dlopen(path, RTLD_NOW);
	CHECK(*library_out);
	return (uintptr_t)dlsym(*library_out, "one");
}

TEST(recorded_code__looks_again_when_files_come_and_go)
{
	scratch_enter();
	if (system("echo 'int one(void) { return 1; }' > one.c && ${CC:-cc} -shared -fPIC -o libone.so one.c 2> /dev/null"))
		test_skip("no compiler");
	for (int i = 0; i < ROUNDS; i++) {
		void *library;
		uintptr_t function = function_of("./libone.so", &library);

		CHECK(recorded_code_is_programs(function));
		CHECK(recorded_code_is_programs(function));
		CHECK(!dlclose(library));
		CHECK(!recorded_code_is_programs(function));
		CHECK(recorded_code_is_programs((uintptr_t)recorded_code_is_programs));
	}
}
