/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/differential/prototypes.h"

#include <string.h>

/*
 * Arguments. Numbers: n order, l leading dimension, 1 increment, k diagonals of a band, w elements
 * of work, W of an integer's work, 0 zero, i one, o an integer that is written, p 1 2 3 … n, q
 * logical .true. n times. Of the function's type: a a number, x a vector, m a matrix, t work. Of
 * its real type: r a number, v a vector, u work, z a rotation's parameters, e one small number.
 * Letters: see below.
 */
static const struct {
	char argument;
	const char *choice;
} letters[] = {
	{ 'N', "N" },  { 'T', "NTC" }, { 'Y', "NT" }, { 'H', "NC" },  { 'S', "LR" },
	{ 'U', "UL" }, { 'D', "NU" },  { 'J', "NV" }, { 'A', "ANS" }, { 'E', "1IFM" },
	{ 'O', "1I" }, { 'F', "F" },   { 'C', "C" },  { 'G', "AL" },  { 'L', "A" },
	{ 'B', "B" },  { 'V', "VN" },  { 'I', "I" },  { 'Q', "ES" },
};

const struct prototype prototype_generated = { "", "", "" }, prototype_addresses = { "", "", "" };

/*
 * Netlib's reference, 3.11. Matrices are full, of a leading dimension of their own, symmetric or
 * Hermitian and positive definite.
 */
static const struct prototype prototypes[] = {
	/* BLAS 1 */
	{ "sdcz", "axpy", "nax1x1" },
	{ "sdcz", "scal", "nax1" },
	{ "sdcz", "copy", "nx1x1" },
	{ "sdcz", "swap", "nx1x1" },
	{ "sd", "dot", "nx1x1" },
	{ "", "dsdot", "nx1x1" },
	{ "", "sdsdot", "nrx1x1" },
	{ "cz", "dotu", "nx1x1" },
	{ "cz", "dotc", "nx1x1" },
	{ "sd", "nrm2", "nx1" },
	{ "sd", "asum", "nx1" },
	{ "", "scnrm2", "nx1" },
	{ "", "dznrm2", "nx1" },
	{ "", "scasum", "nx1" },
	{ "", "dzasum", "nx1" },
	{ "", "isamax", "nx1" },
	{ "", "idamax", "nx1" },
	{ "", "icamax", "nx1" },
	{ "", "izamax", "nx1" },
	{ "sd", "rot", "nx1x1rr" },
	{ "", "csrot", "nx1x1rr" },
	{ "", "zdrot", "nx1x1rr" },
	{ "", "csscal", "nrx1" },
	{ "", "zdscal", "nrx1" },
	{ "sdcz", "rotg", "aara" },
	{ "sd", "rotm", "nx1x1z" },
	{ "sd", "rotmg", "rrrrz" },
	{ "sd", "cabs1", "a" },
	/* BLAS 2 */
	{ "sdcz", "gemv", "Tnnamlx1ax1" },
	{ "sdcz", "gbmv", "Tnnkkamlx1ax1" },
	{ "sd", "symv", "Unamlx1ax1" },
	{ "cz", "hemv", "Unamlx1ax1" },
	{ "sd", "sbmv", "Unkamlx1ax1" },
	{ "cz", "hbmv", "Unkamlx1ax1" },
	{ "sd", "spmv", "Unamx1ax1" },
	{ "cz", "hpmv", "Unamx1ax1" },
	{ "sdcz", "trmv", "UTDnmlx1" },
	{ "sdcz", "trsv", "UTDnmlx1" },
	{ "sdcz", "tbmv", "UTDnkmlx1" },
	{ "sdcz", "tbsv", "UTDnkmlx1" },
	{ "sdcz", "tpmv", "UTDnmx1" },
	{ "sdcz", "tpsv", "UTDnmx1" },
	{ "sd", "ger", "nnax1x1ml" },
	{ "cz", "geru", "nnax1x1ml" },
	{ "cz", "gerc", "nnax1x1ml" },
	{ "sd", "syr", "Unax1ml" },
	{ "cz", "her", "Unrx1ml" },
	{ "sd", "spr", "Unax1m" },
	{ "cz", "hpr", "Unrx1m" },
	{ "sd", "syr2", "Unax1x1ml" },
	{ "cz", "her2", "Unax1x1ml" },
	{ "sd", "spr2", "Unax1x1m" },
	{ "cz", "hpr2", "Unax1x1m" },
	/* BLAS 3 */
	{ "sdcz", "gemm", "TTnnnamlmlaml" },
	{ "sdcz", "symm", "SUnnamlmlaml" },
	{ "cz", "hemm", "SUnnamlmlaml" },
	{ "sdcz", "syrk", "UYnnamlaml" },
	{ "cz", "herk", "UHnnrmlrml" },
	{ "sdcz", "syr2k", "UYnnamlmlaml" },
	{ "cz", "her2k", "UHnnamlmlrml" },
	{ "sdcz", "trmm", "SUTDnnamlml" },
	{ "sdcz", "trsm", "SUTDnnamlml" },
	/* LAPACK: linear systems */
	{ "sdcz", "gesv", "nnmlpmlo" },
	{ "sdcz", "getrf", "nnmlpo" },
	{ "sdcz", "getrf2", "nnmlpo" },
	{ "sdcz", "getf2", "nnmlpo" },
	{ "sdcz", "getrs", "Tnnmlpmlo" },
	{ "sdcz", "getri", "nmlptwo" },
	{ "sd", "gecon", "Onmlrrtpo" },
	{ "cz", "gecon", "Onmlrrtuo" },
	{ "sdcz", "geequ", "nnmlvvrrro" },
	{ "sdcz", "geequb", "nnmlvvrrro" },
	{ "sd", "gerfs", "Tnnmlmlpmlmlvvtpo" },
	{ "cz", "gerfs", "Tnnmlmlpmlmlvvtuo" },
	{ "sdcz", "posv", "Unnmlmlo" },
	{ "sdcz", "potrf", "Unmlo" },
	{ "sdcz", "potrf2", "Unmlo" },
	{ "sdcz", "potf2", "Unmlo" },
	{ "sdcz", "potrs", "Unnmlmlo" },
	{ "sdcz", "potri", "Unmlo" },
	{ "sd", "pocon", "Unmlrrtpo" },
	{ "cz", "pocon", "Unmlrrtuo" },
	{ "sdcz", "poequ", "nmlvrro" },
	{ "sdcz", "ppsv", "Unnmmlo" },
	{ "sdcz", "pptrf", "Unmo" },
	{ "sdcz", "pptrs", "Unnmmlo" },
	{ "sdcz", "pptri", "Unmo" },
	{ "sdcz", "pbsv", "Unknmlmlo" },
	{ "sdcz", "pbtrf", "Unkmlo" },
	{ "sdcz", "pbtf2", "Unkmlo" },
	{ "sdcz", "pbtrs", "Unknmlmlo" },
	{ "sdcz", "sysv", "Unnmlpmltwo" },
	{ "sdcz", "sytrf", "Unmlptwo" },
	{ "sdcz", "sytf2", "Unmlpo" },
	{ "sdcz", "sytrs", "Unnmlpmlo" },
	{ "sdcz", "sytri", "Unmlpto" },
	{ "sdcz", "sytrs2", "Unnmlpmlto" },
	{ "cz", "hesv", "Unnmlpmltwo" },
	{ "cz", "hetrf", "Unmlptwo" },
	{ "cz", "hetf2", "Unmlpo" },
	{ "cz", "hetrs", "Unnmlpmlo" },
	{ "cz", "hetri", "Unmlpto" },
	{ "sdcz", "spsv", "Unnmpmlo" },
	{ "sdcz", "sptrf", "Unmpo" },
	{ "cz", "hptrf", "Unmpo" },
	{ "sdcz", "gbsv", "nkknmlpmlo" },
	{ "sdcz", "gbtrf", "nnkkmlpo" },
	{ "sdcz", "gbtf2", "nnkkmlpo" },
	{ "sdcz", "gbtrs", "Tnkknmlpmlo" },
	{ "sdcz", "gtsv", "nnxxxmlo" },
	{ "sdcz", "gttrf", "nxxxxpo" },
	{ "sdcz", "gttrs", "Tnnxxxxpmlo" },
	{ "sdcz", "ptsv", "nnvxmlo" },
	{ "sdcz", "pttrf", "nvxo" },
	{ "sd", "pttrs", "nnvxmlo" },
	{ "cz", "pttrs", "Unnvxmlo" },
	{ "sdcz", "trtrs", "UTDnnmlmlo" },
	{ "sdcz", "trtri", "UDnmlo" },
	{ "sdcz", "trti2", "UDnmlo" },
	{ "sd", "trcon", "OUDnmlrtpo" },
	{ "cz", "trcon", "OUDnmlrtuo" },
	{ "sdcz", "laswp", "nmlinp1" },
	{ "sdcz", "tptri", "UDnmo" },
	/* orthogonal factorisations, least squares */
	{ "sdcz", "geqrf", "nnmlxtwo" },
	{ "sdcz", "geqr2", "nnmlxto" },
	{ "sdcz", "geqrfp", "nnmlxtwo" },
	{ "sdcz", "gelqf", "nnmlxtwo" },
	{ "sdcz", "gelq2", "nnmlxto" },
	{ "sdcz", "geqlf", "nnmlxtwo" },
	{ "sdcz", "geql2", "nnmlxto" },
	{ "sdcz", "gerqf", "nnmlxtwo" },
	{ "sdcz", "gerq2", "nnmlxto" },
	{ "sd", "geqp3", "nnmlpxtwo" },
	{ "cz", "geqp3", "nnmlpxtwuo" },
	{ "sd", "orgqr", "nnnmlxtwo" },
	{ "cz", "ungqr", "nnnmlxtwo" },
	{ "sd", "org2r", "nnnmlxto" },
	{ "cz", "ung2r", "nnnmlxto" },
	{ "sd", "orglq", "nnnmlxtwo" },
	{ "cz", "unglq", "nnnmlxtwo" },
	{ "sd", "ormqr", "SYnnnmlxmltwo" },
	{ "cz", "unmqr", "SHnnnmlxmltwo" },
	{ "sd", "orm2r", "SYnnnmlxmlto" },
	{ "cz", "unm2r", "SHnnnmlxmlto" },
	{ "sd", "ormlq", "SYnnnmlxmltwo" },
	{ "cz", "unmlq", "SHnnnmlxmltwo" },
	{ "sdcz", "larfg", "nax1a" },
	{ "sdcz", "larf", "Snnx1amlt" },
	{ "sdcz", "larft", "FCnnmlxml" },
	{ "sdcz", "gels", "Nnnnmlmltwo" },
	{ "sd", "gelsy", "nnnmlmlprotwo" },
	{ "cz", "gelsy", "nnnmlmlprotwuo" },
	{ "sd", "gelss", "nnnmlmlvrotwo" },
	{ "cz", "gelss", "nnnmlmlvrotwuo" },
	{ "sd", "tzrzf", "nnmlxtwo" },
	{ "sdcz", "tpqrt2", "nn0mlmlmlo" },
	{ "sdcz", "geqrt2", "nnmlmlo" },
	{ "sdcz", "geqrt3", "nnmlmlo" },
	{ "sdcz", "gglse", "nnimlmlxxxtwo" },
	/* eigenvalues and singular values */
	{ "sd", "syev", "JUnmlvtwo" },
	{ "cz", "heev", "JUnmlvtwuo" },
	{ "sd", "syevd", "JUnmlvtwpWo" },
	{ "cz", "heevd", "JUnmlvtwuwpWo" },
	{ "sd", "spev", "JUnmvmlto" },
	{ "cz", "hpev", "JUnmvmltuo" },
	{ "sd", "sbev", "JUnkmlvmlto" },
	{ "sd", "stev", "Jnvvmlto" },
	{ "sd", "sytrd", "Unmlvvxtwo" },
	{ "cz", "hetrd", "Unmlvvxtwo" },
	{ "sd", "sytd2", "Unmlvvxo" },
	{ "cz", "hetd2", "Unmlvvxo" },
	{ "sd", "steqr", "Invvmlto" },
	{ "cz", "steqr", "Invvmluo" },
	{ "sd", "sterf", "nvvo" },
	{ "sdcz", "pteqr", "Invvmluo" },
	{ "sd", "syevx", "JLUnmlrriirovmltwppo" },
	{ "sd", "syevr", "JLUnmlrriirovmlptwpWo" },
	{ "sd", "sygv", "iJUnmlmlvtwo" },
	{ "cz", "hegv", "iJUnmlmlvtwuo" },
	{ "sd", "sygst", "iUnmlmlo" },
	{ "cz", "hegst", "iUnmlmlo" },
	{ "sd", "geev", "JJnmlvvmlmltwo" },
	{ "cz", "geev", "JJnmlxmlmltwuo" },
	{ "sd", "ggev", "JJnmlmlvvvmlmltwo" },
	{ "sdcz", "gehrd", "ninmlxtwo" },
	{ "sdcz", "gehd2", "ninmlxto" },
	{ "sd", "orghr", "ninmlxtwo" },
	{ "cz", "unghr", "ninmlxtwo" },
	{ "sdcz", "gebal", "Bnmloovo" },
	{ "sd", "hseqr", "QIninmlvvmltwo" },
	{ "sd", "gesvd", "AAnnmlvmlmltwo" },
	{ "cz", "gesvd", "AAnnmlvmlmltwuo" },
	{ "sd", "gesdd", "Annmlvmlmltwpo" },
	{ "cz", "gesdd", "Annmlvmlmltwupo" },
	{ "sdcz", "gebrd", "nnmlvvxxtwo" },
	{ "sdcz", "gebd2", "nnmlvvxxto" },
	{ "sdcz", "bdsqr", "Unnn0vvmlmlmluo" },
	{ "sd", "bdsdc", "UInvvmlmlpptpo" },
	{ "sd", "trevc", "SLqnmlmlmlnoto" },
	{ "sd", "trsen", "NVqnmlmlvvorrtwpWo" },
	/* what these are made of */
	{ "sdcz", "lacpy", "Unnmlml" },
	{ "sdcz", "laset", "Unnaaml" },
	{ "sdcz", "lange", "Ennmlu" },
	{ "sd", "lansy", "EUnmlu" },
	{ "cz", "lanhe", "EUnmlu" },
	{ "sdcz", "lantr", "EUDnnmlu" },
	{ "sd", "lanst", "Envv" },
	{ "sdcz", "lassq", "nx1rr" },
	{ "sdcz", "lartg", "aaraa" },
	{ "sd", "lapy2", "rr" },
	{ "sd", "lapy3", "rrr" },
	{ "sd", "ladiv", "rrrrrr" },
	{ "sdcz", "rscl", "nrx1" },
	{ "sd", "lae2", "rrrrr" },
	{ "sd", "laev2", "rrrrrrr" },
	{ "sd", "las2", "rrrrr" },
	{ "sd", "lasv2", "rrrrrrrrr" },
	{ "sd", "lamch", "E" },
	{ "sdcz", "lascl", "Gkkrrnnmlo" },
	{ "sd", "lasrt", "Invo" },
	{ "sdcz", "larnv", "ipnx" },
	{ "cz", "lacgv", "nx1" },
	{ "sdcz", "lauum", "Unmlo" },
	{ "sdcz", "lauu2", "Unmlo" },
	{ "sdcz", "labrd", "nnimlvvxxmlml" },
	{ "sdcz", "lapmt", "qnnmlp" },
	{ "sd", "lasq1", "nvvto" },
	{ "sdcz", "larfb", "SYFCnnkmlmlmlml" },
	{ "sdcz", "lasr", "SVFnnvvml" },
	{ "sd", "lag2s", "nnmlmlo" },
	{ "sd", "lagtf", "nxrxxrxpo" },
};

enum { LEADING = 16, WORK = PROTOTYPE_ROOM / 16 };

static const char *choice_of(char argument)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].argument == argument)
			return letters[i].choice;
	return NULL;
}

bool prototype_is_letter(char argument)
{
	return choice_of(argument) != NULL;
}

static bool is_named(const struct prototype *row, const char *symbol, char *type_out)
{
	size_t length = strlen(row->name);

	*type_out = *row->types ? symbol[0] : strchr("sdcz", symbol[0]) ? symbol[0] : symbol[1];
	if (*row->types && !strchr(row->types, *symbol++))
		return false;
	return !strncmp(symbol, row->name, length) && !strcmp(symbol + length, "_");
}

const struct prototype *prototype_of(const char *symbol, char *type_out)
{
	for (size_t i = 0; *symbol && i < sizeof(prototypes) / sizeof(prototypes[0]); i++)
		if (is_named(&prototypes[i], symbol, type_out))
			return &prototypes[i];
	return *symbol && symbol[strlen(symbol) - 1] == '_' ? &prototype_addresses : NULL;
}

static void put_real(unsigned char *out, char type, size_t at, double value)
{
	float single = (float)value;

	if (type == 's' || type == 'c')
		memcpy(out + at * sizeof(single), &single, sizeof(single));
	else
		memcpy(out + at * sizeof(value), &value, sizeof(value));
}

/* `imaginary` is left out where the type has none. */
static void put_number(unsigned char *out, char type, size_t at, double value, double imaginary)
{
	bool is_complex = type == 'c' || type == 'z';

	put_real(out, type, is_complex ? 2 * at : at, value);
	if (is_complex)
		put_real(out, type, 2 * at + 1, imaginary);
}

static double some_number(uint64_t seed, unsigned int i, unsigned int j)
{
	uint64_t mixed = (seed * 31 + i * 7 + j * 13 + 1) * 0x9e3779b97f4a7c15ull;

	return (double)(int)(mixed >> 54) / 512 - 1;
}

static void fill_matrix(char type, uint64_t seed, unsigned char *out)
{
	for (unsigned int j = 0; j < LEADING; j++)
		for (unsigned int i = 0; i < LEADING; i++) {
			unsigned int low = i < j ? i : j, high = i < j ? j : i;

			put_number(out, type, i + LEADING * j,
				   some_number(seed, low, high) + (i == j ? LEADING + i : 0),
				   i == j ? 0 : (i < j ? 1 : -1) * some_number(seed, high, low));
		}
}

static void fill_integers(int number, unsigned int nr, bool rising, unsigned char *out)
{
	for (unsigned int i = 0; i < nr; i++) {
		int32_t value = rising ? number + (int)i : number;

		memcpy(out + i * sizeof(value), &value, sizeof(value));
	}
}

static void fill_vector(char type, uint64_t seed, unsigned char *out)
{
	for (unsigned int i = 0; i < LEADING; i++)
		put_number(out, type, i, some_number(seed, i, i) + 2, some_number(seed, i, 1));
}

void prototype_fill(const struct prototype *prototype, size_t number, char type, uint64_t seed,
		    unsigned char *out)
{
	const char *choice = choice_of(prototype->arguments[number]);
	char real = type == 'c' ? 's' : type == 'z' ? 'd' : type;

	if (choice) {
		out[0] = (unsigned char)
			choice[((seed * 31 + number) * 0x9e3779b97f4a7c15ull >> 48) %
			       strlen(choice)];
		return;
	}
	switch (prototype->arguments[number]) {
	case 'n': fill_integers(4 + (int)(seed % 5), 1, false, out); break;
	case 'l': fill_integers(LEADING, 1, false, out); break;
	case '1':
	case 'i': fill_integers(1, 1, false, out); break;
	case 'k': fill_integers(2, 1, false, out); break;
	case 'w':
	case 'W': fill_integers(WORK, 1, false, out); break;
	case 'p': fill_integers(1, LEADING, true, out); break;
	case 'q': fill_integers(1, LEADING, false, out); break;
	case 'a': put_number(out, type, 0, 0.75 + (double)(seed % 3), 0.5); break;
	case 'r': put_real(out, real, 0, 0.5 + (double)(seed % 3)); break;
	case 'x': fill_vector(type, seed, out); break;
	case 'v':
	case 'z': fill_vector(real, seed, out); break;
	case 'm': fill_matrix(type, seed, out); break;
	default: break; /* 0 o t u */
	}
}
