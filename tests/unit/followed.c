/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries are followed because the user named them. */
#include "analysis/options/followed.h"

#include <string.h>

#include "tests/unit/test.h"

TEST(followed__names_fit_up_to_the_version)
{
	followed_set("libblas,libm.so.6");
	CHECK(followed_has("/usr/lib/x86_64-linux-gnu/libblas.so.3"));
	CHECK(followed_has("libblas.so"));
	CHECK(followed_has("/opt/libblas-0.3.so"));
	CHECK(followed_has("/lib/libm.so.6"));
	CHECK(!followed_has("/lib/libm.so.7"));
	CHECK(!followed_has("/usr/lib/libblas64.so.3"));
	CHECK(!followed_has("/usr/lib/blas/libcblas.so.3"));
	CHECK(!followed_has("/home/u/libblas/swim"));
	followed_set("");
	CHECK(!followed_has("/usr/lib/libblas.so.3"));
}

/* However the file is called that the dynamic linker found. */
TEST(followed__never_what_records_itself)
{
	followed_set("lib,libc,libomp,libgomp");
	CHECK(!followed_has("/lib/x86_64-linux-gnu/libc.so.6"));
	CHECK(!followed_has("/lib/libc-2.31.so"));
	CHECK(!followed_has("/usr/lib/llvm-19/lib/libomp.so.5"));
	CHECK(!followed_has("/tmp/private/libgomp.so.1"));
	CHECK(followed_is_refused("libc.so.6", 9) && followed_is_refused("libomp", 6) &&
	      followed_is_refused("memsearch-core.so", 17));
	CHECK(!followed_is_refused("libcblas", 8) && !followed_is_refused("libm", 4) &&
	      !followed_is_refused("libompi.so", 10));
}

TEST(followed__the_name_to_give)
{
	const char *name;

	CHECK_INT(followed_name("/lib/x86_64-linux-gnu/libm.so.6", &name), 4);
	CHECK(!strncmp(name, "libm", 4));
	CHECK_INT(followed_name("/lib/x86_64-linux-gnu/libc.so.6", &name), 0);
	CHECK_INT(followed_name("[vdso]", &name), 0);
}
