/* SPDX-License-Identifier: Apache-2.0 */
/* Which variable gets what a statement allocates: statements with the answer. */
#include "analysis/base/arena.h"
#include "analysis/debuginfo/assignment.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

struct row {
	const char *text;
	int line;
	const char *callee, *variable;
	bool returned;
};

static void check(const struct row *rows, size_t nr, enum source_language language)
{
	struct arena *arena = arena_new();

	for (size_t i = 0; i < nr; i++) {
		struct assignment got = assignment_find(arena, rows[i].text, language, rows[i].line,
							rows[i].callee);

		if (!got.variable != !rows[i].variable ||
		    (got.variable && strcmp(got.variable, rows[i].variable)) ||
		    got.returned != rows[i].returned)
			printf("%s: %s\n", rows[i].text, got.variable ? got.variable : "(none)");
		CHECK_STR(got.variable ? got.variable : "",
			  rows[i].variable ? rows[i].variable : "");
		CHECK_THAT(got.returned, ==, rows[i].returned);
	}
	arena_free(arena);
}

/* A wrapper that is given the address of its caller's pointer, and the caller. */
TEST(assignment__by_address)
{
	static const struct {
		const char *text, *callee, *address_of;
		bool behind_pointer;
	} rows[] = {
		{ "*x = (double *)malloc(n);", "", NULL, true },
		{ "{ *x = new double[n]; }", "", NULL, true },
		{ "if (n) *x = malloc(n);", "", NULL, true },
		{ "double *x = malloc(n);", "", NULL, false },
		{ "x = malloc(n);", "", NULL, false },
		{ "bytes += make(&tally, n);", "make", "tally", false },
		{ "make(n & mask, (void **)&mesh->x[i], &other);", "make", "mesh->x[i]", false },
		{ "make(&(mesh->w), n);", "make", "mesh->w", false },
		{ "make(p, n);", "make", NULL, false },
		{ "other(&x, n); make(p);", "make", NULL, false },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct assignment got = assignment_find(arena, rows[i].text, SOURCE_C, 1,
							rows[i].callee);

		CHECK_STR(got.address_of ? got.address_of : "",
			  rows[i].address_of ? rows[i].address_of : "");
		if (got.behind_pointer != rows[i].behind_pointer)
			test_fail(__FILE__, __LINE__, "%s", rows[i].text);
	}
	arena_free(arena);
}

/* Whether the variable points to the object that is made. */
TEST(assignment__objects)
{
	static const struct {
		const char *text, *callee;
		bool to_object, result;
	} rows[] = {
		{ "Grid g(n);", "Grid::Grid", false, false },
		{ "Grid *g = new Grid(n);", "Grid::Grid", true, false },
		{ "std::unique_ptr<Grid> g(new Grid(n));", "Grid::Grid", true, false },
		{ "auto g = std::make_unique<Grid>(n);", "std::make_unique<Grid>", true, false },
		{ "auto g = std::make_shared<Grid>(n);", "Grid::Grid", true, false },
		{ "Grid g = make(n);", "make", false, true },
		{ "g = Grid(n);", "Grid::Grid", false, false },
		{ "g.make(n);", "Grid::make", false, false },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct assignment got = assignment_find(arena, rows[i].text, SOURCE_C, 1,
							rows[i].callee);

		CHECK_STR(got.variable ? got.variable : "", "g");
		CHECK_INT(got.to_object, rows[i].to_object);
		CHECK_INT(got.result, rows[i].result);
	}
	arena_free(arena);
}

/* Where the last part of a function's name begins. */
TEST(assignment__scopes)
{
	CHECK_STR(function_behind_scope("std::vector<a::b>::resize"), "resize");
	CHECK_STR(function_behind_scope("main"), "main");
}

/* The call is in a macro. */
TEST(assignment__macros)
{
	static const struct row rows[] = {
		{ "double *x = newA(double, n);", 1, "", "x", false },
		{ "  x = (double *)NEW(n);", 1, "", "x", false },
		{ "m->x[i] = NEW(n);", 1, "get_memory", "m->x[i]", false },
		{ "DECLARE_2D(A, double, N, N, n, n);", 1, "get_memory", "A", false },
		{ "DECLARE(A);", 1, "", "A", false },
		/* no macro, or no variable */
		{ "setup(A, n);", 1, "", NULL, false },
		{ "CHECK(malloc(n), A);", 1, "", NULL, false },
		{ "REPEAT(3 * n);", 1, "", NULL, false },
		{ "for (i = begin(n); i < n; i++)", 1, "", NULL, false },
		{ "if ((x = get(n)) == y)", 1, "", NULL, false },
		{ "x = y = NEW(n);", 1, "", NULL, false },
		{ "x = n + 1;", 1, "", NULL, false },
	};

	check(rows, sizeof(rows) / sizeof(rows[0]), SOURCE_C);
}

TEST(assignment__in_c)
{
	static const struct row rows[] = {
		{ "double *x = malloc(n * sizeof(double));", 1, "", "x", false },
		{ "int a;\nx=(double *)malloc(n);\nb();", 2, "", "x", false },
		{ "mesh -> x [ i+1 ] = xmalloc ( n ) ;", 1, "xmalloc", "mesh->x[i+1]", false },
		{ "(*A)->vals = new double[n];", 1, "", "(*A)->vals", false },
		{ "*x = new double[n];", 1, "", "x", false },
		{ "double (*temp)[N] = malloc(n * sizeof(*temp));", 1, "", "temp", false },
		{ "real ( * restrict t )[N][M] = (real (*)[N][M]) malloc(n);", 1, "", "t", false },
		{ "(*rows)[i] = malloc(n);", 1, "", "(*rows)[i]", false },
		{ "a = 0, (*rows)[i] = malloc(n);", 1, "", "(*rows)[i]", false },
		{ "Field(int n) : n(n), d(new double[n]) {}", 1, "", "d", false },
		{ "struct Field { double *d; Field(int n) : d(new double[n]) {} };", 1, "", "d",
		  false },
		{ "std::unique_ptr<double[]> x(new double[n]);", 1, "", "x", false },
		{ "a.reset(new double[n]); b->reset(new double[n]);", 1, "", NULL, false },
		{ "f(a, g(new double[n]));", 1, "", NULL, false },
		{ "u =\n  (real_t *)\n  aligned_alloc(64, n);", 3, "", "u", false },
		{ "if ((p = calloc(n, 8)) == NULL) exit(1);", 1, "", "p", false },
		{ "for (i = 0; i < n; i++) rows[i] = malloc(m); // x = malloc(1)", 1, "", "rows[i]",
		  false },
		{ "err = posix_memalign((void **)&grid->u[0], 64, n);", 1, "", "grid->u[0]",
		  false },
		{ "p = static_cast<double *>(std::malloc(n));", 1, "", "p", false },
		{ "auto q = std::unique_ptr<T>(make());", 1, "", NULL, false },
		{ "return (T *)malloc(n);", 1, "", NULL, true },
		{ "x = y; /* z = malloc(n) */ s = \"t = malloc(1)\";", 1, "", NULL, false },
		{ "a = malloc(n); b = malloc(n);", 1, "", NULL, false },
		{ "a = f(malloc(n));", 1, "", NULL, false },
		{ "a = f(n);", 1, "f", "a", false },
		{ "a = g(n);", 1, "f", NULL, false },
		{ "if (a == malloc(n)) a += malloc(n);", 1, "", NULL, false },
		{ "m_x.resize(n);", 1, "resize", "m_x", false },
		{ "domain->m_x.resize(n);", 1, "", "domain->m_x", false },
		{ "std::vector<std::pair<int, double>> v(n);", 1, "vector", "v", false },
		{ "std::vector<double> v(n);", 1, "", "v", false },
		{ "std::vector<double> v{n}, w(n);", 1, "", NULL, false },
		{ "VectorType r(b.start, n);", 1, "ns::Vector<ns::real, int>::Vector", "r", false },
		{ "{ const typename T::V<int> r{n};", 1, "Vector::Vector", "r", false },
		{ "Grid *g = new Grid(n);", 1, "ns::Grid::Grid", "g", false },
		{ "g = new (std::nothrow) struct ns::Grid<int>(n);", 1, "Grid<int>::Grid", "g",
		  false },
		{ "g = new Grid(n);", 1, "Mesh::Mesh", NULL, false },
		{ "g = new Grid(n);", 1, "Grid::make", NULL, false },
		{ "std::unique_ptr<Grid> g(new Grid(n));", 1, "Grid::Grid", "g", false },
		{ "auto g = std::make_unique<Grid>(n);", 1, "Grid::Grid", "g", false },
		{ "auto g = std::make_unique<Grid>(n);", 1, "std::make_unique<Grid, int>", "g",
		  false },
		{ "VectorType r(n), s(n);", 1, "Vector::Vector", NULL, false },
		{ "VectorType r(n);", 1, "ns::Vector<int>::fill", NULL, false },
		{ "VectorType r(n);", 1, "Vector", NULL, false },
		{ "return make(n);", 1, "Vector::Vector", NULL, false },
		{ "solve(n);", 1, "Vector::Vector", NULL, false },
		{ "a = make(n);", 1, "(anonymous namespace)::make", "a", false },
		{ "a = make<double>(n);", 1, "ns::make<ns::real>", "a", false },
		{ "a = f(n);", 1, "std::function<void (ns::T)>::f", "a", false },
		{ "a = g(n);", 1, "ns::f(int)::Local<(char)1>::g(ns::T)", "a", false },
		{ "a = T(n);", 1, "ns::S::operator->(ns::T)", NULL, false },
		{ "f(x);", 1, "", NULL, false },
		{ "p = mmap(NULL, n, 3, 34, -1, 0);", 1, "", "p", false },
		{ "#define X\nx = malloc(n);", 2, "", "x", false },
		{ "", 1, "", NULL, false },
		{ "x = malloc(1);", 7, "", NULL, false },
		{ "x = malloc(1);", 0, "", NULL, false },
		{ "x[(3 = malloc(1);", 1, "", NULL, false },
		{ "= malloc(1); 3 = malloc(1); ) = malloc(2);", 1, "", NULL, false },
	};

	check(rows, sizeof(rows) / sizeof(rows[0]), SOURCE_C);
}

TEST(assignment__in_fortran)
{
	static const struct row rows[] = {
		{ "allocate(u(n,m))", 1, "", "u", false },
		{ "  ALLOCATE ( chunk%tiles(t)%rho (lo:hi, 2), STAT=ierr )", 1, "",
		  "chunk%tiles(t)%rho", false },
		{ "allocate(real(8) :: w(0:n))", 1, "", "w", false },
		{ "allocate(a(n), & ! the first\n  b(n))", 2, "", NULL, false },
		{ "allocate(a(n, &\n  & m), stat = i)", 2, "", "a", false },
		{ "allocate(a, source=b(1:n))", 1, "", "a", false },
		{ "deallocate(a)", 1, "", NULL, false },
		{ "if (.not. allocated(a)) allocate(a(n))", 1, "", "a", false },
		{ "if (allocated(a)) deallocate(a); allocate(b%a(n))", 1, "", "b%a", false },
		{ "if (can_allocate) ALLOCATE(a(n)); x = allocated(a)", 1, "", "a", false },
		{ "allocate(a(n)); allocate(real(8) :: b(n))", 1, "", NULL, false },
		{ "allocate(a(n)); call f(allocate); x => real :: b", 1, "", "a", false },
		{ "a = b ! allocate(c(n))", 1, "", NULL, false },
		{ "call f(allocate)", 1, "", NULL, false },
		{ "allocate(", 1, "", NULL, false },
		{ "allocate(a(n", 1, "", "a", false },
	};
	static const struct row fixed[] = {
		{ "C     allocate(z(1))\n      allocate(u(n,\n     &  m))", 3, "", "u", false },
		{ "      ALLOCATE(V(N))\n      X = 1", 1, "", "V", false },
	};

	check(rows, sizeof(rows) / sizeof(rows[0]), SOURCE_FORTRAN_FREE);
	check(fixed, sizeof(fixed) / sizeof(fixed[0]), SOURCE_FORTRAN_FIXED);
}

static const char *all_of(struct arena *arena, const char *text, enum source_language language,
			  const char *callee)
{
	struct assignment got = assignment_find(arena, text, language, 1, callee);
	const char *all = "";

	for (size_t i = 0; i < got.nr_variables; i++)
		all = arena_printf(arena, "%s%s;", all, got.variables[i]);
	return all;
}

TEST(assignment__of_several)
{
	struct arena *arena = arena_new();

	CHECK_STR(
		all_of(arena, "double *a = malloc(n), *b = (double *)malloc(2 * n);", SOURCE_C, ""),
		"a;b;");
	CHECK_STR(
		all_of(arena, "real (*f)[N][9] = malloc(n), (*g)[N][9] = malloc(n);", SOURCE_C, ""),
		"f;g;");
	CHECK_STR(
		all_of(arena, "a = malloc(n); m.b[1] = make(n); c = malloc(1);", SOURCE_C, "make"),
		"m.b[1];");
	CHECK_STR(all_of(arena, "a = malloc(n), b = malloc(n), c = new T[3];", SOURCE_C, ""),
		  "a;b;c;");
	CHECK_STR(all_of(arena, "a = c ? malloc(1) : NULL, b = malloc(2);", SOURCE_C, ""), "");
	CHECK_STR(all_of(arena, "if (c) a = malloc(1); else b = malloc(2);", SOURCE_C, ""), "");
	CHECK_STR(all_of(arena, "a = b = c = d = e;", SOURCE_C, ""), "");
	CHECK_STR(all_of(arena,
			 "a=new T,b=new T,c=new T,d=new T,e=new T,f=new T,g=new T,h=new T,i=new T;",
			 SOURCE_C, ""),
		  "");
	CHECK_STR(all_of(arena, "vector<double> v(n), w(n);", SOURCE_C, ""), "v;w;");
	CHECK_STR(
		all_of(arena,
		       "static struct grid g = { calloc(n, 8), (double *)malloc(f(a, b)), 1 };\n"
		       "struct grid { /* a; b */ double *u, *restrict unew; // c;\n double dt; };",
		       SOURCE_C, ""),
		"g.u;g.unew;");
	CHECK_STR(all_of(arena,
			 "ell a = { n, w, malloc(n), malloc(n) };\n"
			 "typedef struct { int n, width; int col[2], *val; } ell;",
			 SOURCE_C, ""),
		  "a.col;a.val;");
	CHECK_STR(all_of(arena,
			 "struct g g = { .v = malloc(n), .u = malloc(n) }; struct g { int *u; };",
			 SOURCE_C, ""),
		  "g.v;g.u;");
	CHECK_STR(all_of(arena, "double *p[2] = { malloc(n), malloc(n) };", SOURCE_C, ""),
		  "p[0];p[1];");
	/* not known, functions among the members, too few of them, not closed */
	CHECK_STR(all_of(arena, "ell a = { malloc(n), malloc(n) };", SOURCE_C, ""), "");
	CHECK_STR(
		all_of(arena, "T a = { malloc(n) }; struct T { int f(); int *x; };", SOURCE_C, ""),
		"");
	CHECK_STR(all_of(arena, "T a = { 1, malloc(n) }; struct T { int *x; };", SOURCE_C, ""), "");
	CHECK_STR(all_of(arena, "T a = { malloc(n; struct T { int *x; };", SOURCE_C, ""), "a.x;");
	CHECK_STR(all_of(arena, "allocate(rho(n,n), g%flux(n,n), stat=i)", SOURCE_FORTRAN_FREE, ""),
		  "rho;g%flux;");
	CHECK_STR(all_of(arena, "if (first) allocate(a(n), b(n))", SOURCE_FORTRAN_FREE, ""), "");
	arena_free(arena);
}

/* Whatever the source is, it is only read, and only what is there. */
TEST(assignment__of_anything)
{
	static const char *const callees[] = { "", "vector", "V::V" };
	static const char signs[] = "=()[]{}<>&*-.%:,;\"'/\\!# \nxnew malloc(allocate(vector<";
	struct arena *arena = arena_new();

	srandom(1);
	for (int round = 0; round < 20000; round++) {
		size_t nr = (size_t)random() % 300;
		char *text = malloc(nr + 1);

		for (size_t i = 0; i < nr; i++)
			text[i] = signs[(size_t)random() % (sizeof(signs) - 1)];
		text[nr] = 0;
		assignment_find(arena, text, (enum source_language)(round % 3), 1 + round % 5,
				callees[round / 3 % 3]);
		free(text);
	}
	arena_free(arena);
}

static struct assignment constructed(struct arena *arena, const char *text, int line)
{
	return assignment_find(arena, text, SOURCE_C, line, "std::vector<double>::vector");
}

TEST(assignment__of_members)
{
	static const char one[] =
		"class Grid { int n; std::vector<double> v;\nGrid(int m) : n(m), v(m * m) {} };";
	static const char two[] = "std::vector<double> v, w;\nGrid(int m)\n  : v(m),\n    w(m) {}";
	struct arena *arena = arena_new();
	struct assignment got = constructed(arena, one, 2);

	CHECK_STR(got.variable, "v");
	CHECK(got.member);
	got = constructed(arena, two, 3);
	CHECK_THAT(got.nr_variables, ==, 2);
	CHECK_STR(got.variables[0], "v");
	CHECK_STR(got.variables[1], "w");
	CHECK(!constructed(arena, "std::vector<double> v(n);", 1).member);
	CHECK(!constructed(arena, "std::list<double> v;\nGrid(int m) : v(m) {}", 2).variable);
	arena_free(arena);
}
