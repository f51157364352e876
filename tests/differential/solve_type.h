/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included by solve.c once for each type: TYPE(name) begins with its letter, SCALAR, REAL, EPSILON;
 * IMAGINARY if it is complex.
 */
#ifdef TYPE
#ifdef IMAGINARY
#define CONJUGATE(x) conj(x)
#define SYMMETRIC(rest) TYPE(he##rest)
#define TRANSPOSED "C"
#define SOME(seed, i, j) (part(seed, i, j) + part(seed + 1, j, i) * I)
#else
#define CONJUGATE(x) (x)
#define SYMMETRIC(rest) TYPE(sy##rest)
#define TRANSPOSED "T"
#define SOME(seed, i, j) part(seed, i, j)
#endif
/* of the diagonal, so that the matrix is positive definite and well conditioned */
#define STRENGTH (4 * ORDER)

extern void TYPE(gesv_)(const int *, const int *, SCALAR *, const int *, int *, SCALAR *,
			const int *, int *);
extern void TYPE(posv_)(const char *, const int *, const int *, SCALAR *, const int *, SCALAR *,
			const int *, int *, size_t);
extern void TYPE(gels_)(const char *, const int *, const int *, const int *, SCALAR *, const int *,
			SCALAR *, const int *, SCALAR *, const int *, int *, size_t);
extern void TYPE(gemm_)(const char *, const char *, const int *, const int *, const int *,
			const SCALAR *, const SCALAR *, const int *, const SCALAR *, const int *,
			const SCALAR *, SCALAR *, const int *, size_t, size_t);
extern void TYPE(gemv_)(const char *, const int *, const int *, const SCALAR *, const SCALAR *,
			const int *, const SCALAR *, const int *, const SCALAR *, SCALAR *,
			const int *, size_t);
extern void TYPE(trsm_)(const char *, const char *, const char *, const char *, const int *,
			const int *, const SCALAR *, const SCALAR *, const int *, SCALAR *,
			const int *, size_t, size_t, size_t, size_t);
extern void TYPE(syrk_)(const char *, const char *, const int *, const int *, const SCALAR *,
			const SCALAR *, const int *, const SCALAR *, SCALAR *, const int *, size_t,
			size_t);
extern void SYMMETRIC(ev_)();
extern void TYPE(gesvd_)();

/* What a test works with, at the begin of the memory it gets. */
struct TYPE(work) {
	SCALAR a[(ORDER + 6) * ORDER], b[(ORDER + 6) * 3], x[(ORDER + 6) * 3],
		scratch[40 * ORDER + 200];
	REAL values[ORDER], other[8 * ORDER];
	int pivots[ORDER], info;
};

static SCALAR TYPE(known)(uint64_t seed, int i, int j)
{
	return (SCALAR)SOME(seed, i + 3, j + 1);
}

/*
 * rows x ORDER, Hermitian in the upper square, the diagonal strong; right sides that belong to
 * known solutions.
 */
static void TYPE(set_up)(struct TYPE(work) * w, uint64_t seed, int rows)
{
	for (int j = 0; j < n; j++)
		for (int i = 0; i < rows; i++) {
			SCALAR below = (SCALAR)SOME(seed, i, j),
			       above = CONJUGATE((SCALAR)SOME(seed, j, i));

			w->a[i + j * rows] = i == j ? STRENGTH : i > j ? below : above;
		}
	for (int k = 0; k < few; k++)
		for (int i = 0; i < rows; i++) {
			w->b[i + k * rows] = 0;
			for (int j = 0; j < n; j++)
				w->b[i + k * rows] += w->a[i + j * rows] * TYPE(known)(seed, j, k);
		}
}

static void TYPE(demand_known)(const struct TYPE(work) * w, uint64_t seed, int rows)
{
	DEMAND(w->info == 0);
	for (int k = 0; k < few; k++)
		for (int i = 0; i < n; i++)
			DEMAND(cabs((double complex)(w->b[i + k * rows] -
						     TYPE(known)(seed, i, k))) <
			       1000 * ORDER * EPSILON);
}

uint64_t TYPE(gesv_of_known)(unsigned char *memory, uint64_t seed)
{
	struct TYPE(work) *w = (void *)memory;

	TYPE(set_up)(w, seed, n);
	TYPE(gesv_)(&n, &few, w->a, &n, w->pivots, w->b, &n, &w->info);
	TYPE(demand_known)(w, seed, n);
	return 1;
}

uint64_t TYPE(posv_of_known)(unsigned char *memory, uint64_t seed)
{
	struct TYPE(work) *w = (void *)memory;

	TYPE(set_up)(w, seed, n);
	TYPE(posv_)(seed % 2 ? "L" : "U", &n, &few, w->a, &n, w->b, &n, &w->info, 1);
	TYPE(demand_known)(w, seed, n);
	return 1;
}

/* geqrf, ormqr, trtrs */
uint64_t TYPE(gels_of_known)(unsigned char *memory, uint64_t seed)
{
	static const int room = 40 * ORDER + 200;
	struct TYPE(work) *w = (void *)memory;

	TYPE(set_up)(w, seed, more);
	TYPE(gels_)("N", &more, &n, &few, w->a, &more, w->b, &more, w->scratch, &room, &w->info, 1);
	TYPE(demand_known)(w, seed, more);
	return 1;
}

/* min(i, j), turned by a unitary diagonal: the eigenvalues stay. */
static void TYPE(set_up_spectrum)(struct TYPE(work) * w)
{
#ifdef IMAGINARY
	static const SCALAR turns[] = { 1, I, -1, -I };
#else
	static const SCALAR turns[] = { 1, -1, -1, 1 };
#endif

	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++)
			w->a[i + j * n] = turns[i % 4] * (SCALAR)(1 + (i < j ? i : j)) *
					  CONJUGATE(turns[j % 4]);
}

uint64_t TYPE(eigenvalues_of_known)(unsigned char *memory, uint64_t seed)
{
	static const int room = 40 * ORDER + 200;
	struct TYPE(work) *w = (void *)memory;

	TYPE(set_up_spectrum)(w);
#ifdef IMAGINARY
	SYMMETRIC(ev_)(seed % 2 ? "V" : "N", "U", &n, w->a, &n, w->values, w->scratch, &room,
		       w->other, &w->info, (size_t)1, (size_t)1);
#else
	SYMMETRIC(ev_)(seed % 2 ? "V" : "N", "U", &n, w->a, &n, w->values, w->scratch, &room,
		       &w->info, (size_t)1, (size_t)1);
#endif
	DEMAND(w->info == 0);
	for (int k = 1; k <= n; k++)
		DEMAND(fabs(w->values[k - 1] - eigenvalue(k)) < 100 * EPSILON * eigenvalue(n));
	return 1;
}

uint64_t TYPE(singular_values_of_known)(unsigned char *memory, uint64_t seed)
{
	static const int room = 40 * ORDER + 200;
	struct TYPE(work) *w = (void *)memory;
	const char *vectors = seed % 2 ? "O" : "N";

	TYPE(set_up_spectrum)(w);
#ifdef IMAGINARY
	TYPE(gesvd_)(vectors, "N", &n, &n, w->a, &n, w->values, w->x, &n, w->x, &n, w->scratch,
		     &room, w->other, &w->info, (size_t)1, (size_t)1);
#else
	TYPE(gesvd_)(vectors, "N", &n, &n, w->a, &n, w->values, w->x, &n, w->x, &n, w->scratch,
		     &room, &w->info, (size_t)1, (size_t)1);
#endif
	DEMAND(w->info == 0);
	for (int k = 1; k <= n; k++)
		DEMAND(fabs(w->values[n - k] - eigenvalue(k)) < 100 * EPSILON * eigenvalue(n));
	return 1;
}

/* With x, too. */
static void TYPE(set_up_answered)(struct TYPE(work) * w, uint64_t seed)
{
	TYPE(set_up)(w, seed, n);
	for (int i = 0; i < n * few; i++)
		w->x[i] = TYPE(known)(seed, i % n, i / n);
}

/* Small whole numbers: the products are exact. */
uint64_t TYPE(products_of_known)(unsigned char *memory, uint64_t seed)
{
	struct TYPE(work) *w = (void *)memory;
	const SCALAR factor = 1, none = 0;

	TYPE(set_up_answered)(w, seed);
	TYPE(gemm_)("N", "N", &n, &few, &n, &factor, w->a, &n, w->x, &n, &none, w->scratch, &n, 1,
		    1);
	for (int i = 0; i < n * few; i++)
		DEMAND(w->scratch[i] == w->b[i]);
	TYPE(gemv_)(TRANSPOSED, &n, &n, &factor, w->a, &n, w->x, &one, &none, w->scratch, &one, 1);
	for (int i = 0; i < n; i++)
		DEMAND(w->scratch[i] == w->b[i]);
	return 1;
}

/* x xᵀ, and a triangle that is solved for what it was multiplied with. */
uint64_t TYPE(triangles_of_known)(unsigned char *memory, uint64_t seed)
{
	struct TYPE(work) *w = (void *)memory;
	const SCALAR factor = 1, none = 0;

	TYPE(set_up_answered)(w, seed);
	TYPE(syrk_)("U", "N", &n, &few, &factor, w->x, &n, &none, w->scratch, &n, 1, 1);
	for (int j = 0; j < n; j++)
		for (int i = 0; i <= j; i++)
			DEMAND(w->scratch[i + j * n] == w->x[i] * w->x[j] +
								w->x[i + n] * w->x[j + n] +
								w->x[i + 2 * n] * w->x[j + 2 * n]);
	for (int k = 0; k < few; k++)
		for (int i = 0; i < n; i++) {
			w->b[i + k * n] = 0;
			for (int j = i; j < n; j++)
				w->b[i + k * n] += w->a[i + j * n] * w->x[j + k * n];
		}
	w->info = 0;
	TYPE(trsm_)("L", "U", "N", "N", &n, &few, &factor, w->a, &n, w->b, &n, 1, 1, 1, 1);
	TYPE(demand_known)(w, seed, n);
	return 1;
}

#undef CONJUGATE
#undef SYMMETRIC
#undef TRANSPOSED
#undef SOME
#undef STRENGTH
#undef TYPE
#undef SCALAR
#undef REAL
#undef EPSILON
#endif
