/* SPDX-License-Identifier: Apache-2.0 */
/* What a function returns of the memory that it allocates, by its text. */
#include "analysis/debuginfo/returned.h"
#include "tests/unit/test.h"

TEST(returned__by_text)
{
	static const struct {
		const char *text, *variable;
		bool returned;
	} rows[] = {
		{ "\nT *f(int n)\n{\n T *a = malloc(n);\n return a;\n}\n", "a", true },
		{ "\nT *f(int n)\n{\n T *a = malloc(n), *b;\n b = (T *)malloc(n);\n return b;\n}\n",
		  "a", false },
		{ "\nT *f(int n)\n{\n T *a = malloc(n), *b;\n b = (T *)malloc(n);\n return b;\n}\n",
		  "b", true },
		/* another name of the same memory */
		{ "\nT *f(int n)\n{\n T *a = malloc(n), *b = a + 1;\n return b;\n}\n", "a", true },
		{ "\nT *f(int n)\n{\n T *a = new T[n], *b = new T[n];\n if (n) { return b; }\n}\n",
		  "a", false },
		{ "\nT *f(int n)\n{\n T *ab = malloc(n), *b = malloc(n);\n // return ab;\n return b; }\n",
		  "ab", false },
		{ "\nT *f(int n)\n{\n T *a = malloc(n), *b = malloc(n);\n return n ? a : b; }\n",
		  "a", true },
		{ "\nT *f(int n) { T *a = malloc(n), *b = malloc(n); return b; }\n"
		  "T *g(T *a)\n{\n return a;\n}\n",
		  "a", false },
		{ "\nT *f(int n)\n{\n T *a = malloc(n), *b = malloc(n);\n return b;\n", "a", true },
		{ "", "a", true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (returned_by_function(rows[i].text, 2, rows[i].variable) != rows[i].returned)
			test_fail(__FILE__, __LINE__, "row %zu: returned is not %d", i,
				  rows[i].returned);
		CHECK(returned_by_function(rows[i].text, 0, rows[i].variable));
	}
}
