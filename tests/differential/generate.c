/* SPDX-License-Identifier: Apache-2.0 */
/*
 * generate SEED NR: C code of NR functions, always the same for a seed. Each takes 256 KiB of
 * memory filled beforehand and a seed, ends, and stays inside of the memory whatever is in it;
 * indices are masks of what is read. Compiled, they hold what compilers make of loops, switches,
 * recursion, copies, vectors, atomic operations and so on.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;
static int depth, labels;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state * 0x2545f4914f6cdd1dull >> 20) % limit;
}

#define PICK(...) \
	pick((const char *const[]){ __VA_ARGS__ }, \
	     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))
static const char *pick(const char *const *from, size_t nr)
{
	return from[below(nr)];
}

static __attribute__((format(printf, 1, 2))) void line(const char *format, ...)
{
	va_list args;

	for (int i = 0; i <= depth; i++)
		putchar('\t');
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static const char *integer_type(void)
{
	return PICK("int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
		    "uint64_t");
}
static const char *real_type(void)
{
	return PICK("float", "double", "double");
}
static const char *variable(void)
{
	return PICK("a", "b", "c", "n");
}

/*
 * Expressions. The result is one of several texts, so that some can be used at once; what would be
 * too long is a variable instead.
 */
enum { TEXTS = 64, LONGEST = 400 };

static __attribute__((format(printf, 2, 3))) const char *put(char *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, LONGEST, format, args);
	va_end(args);
	if (length >= LONGEST)
		snprintf(text, LONGEST, "%s", variable());
	return text;
}

static const char *integer(int levels)
{
	static char texts[TEXTS][LONGEST];
	static unsigned int next;
	char *text = texts[next++ % TEXTS];
	const char *x, *y;

	if (levels <= 0 || below(5) == 0) {
		switch (below(4)) {
		case 0: return put(text, "%uu", (unsigned int)below(1 << below(20)));
		case 1:
			return put(text, "(uint64_t)((%s *)memory)[%s & 511]", integer_type(),
				   variable());
		default: return put(text, "%s", variable());
		}
	}
	x = integer(levels - 1), y = integer(levels - 2);
	switch (below(13)) {
	case 0: return put(text, "(%s %s (%s | 1))", x, PICK("/", "%"), y);
	case 1: return put(text, "(%s %s (%s & 31))", x, PICK("<<", ">>"), y);
	case 2:
		return put(text, "(uint64_t)%s(%s | 1)",
			   PICK("__builtin_clzll", "__builtin_ctzll", "__builtin_popcountll",
				"__builtin_bswap64"),
			   x);
	case 3:
		return put(text, "(%s %s %s ? %s : %s)", x, PICK("<", ">", "==", "!="), y,
			   variable(), x);
	case 4: return put(text, "rotate(%s, %s)", x, y);
	case 5:
		return put(text, "(uint64_t)((unsigned __int128)(%s) * (%s) >> %d)", x, y,
			   (int)below(100));
	case 6: return put(text, "(uint64_t)(%s)(%s)", integer_type(), x);
	default: return put(text, "(%s %s %s)", x, PICK("+", "-", "*", "^", "&", "|"), y);
	}
}

static const char *real(int levels)
{
	static char texts[TEXTS][LONGEST];
	static unsigned int next;
	char *text = texts[next++ % TEXTS];
	const char *x, *y;

	if (levels <= 0 || below(4) == 0)
		return below(2) ? put(text, "x")
				: put(text, "((double *)memory)[%s & 1023]", variable());
	x = real(levels - 1), y = real(levels - 2);
	switch (below(6)) {
	case 0:
		return put(text, "%s(%s)",
			   PICK("__builtin_sqrt", "__builtin_fabs", "sin", "floor", "exp"), x);
	case 1: return put(text, "(double)((long double)%s * %s)", x, y);
	case 2: return put(text, "(double)((float)%s + (float)%s)", x, y);
	default: return put(text, "(%s %s %s)", x, PICK("+", "-", "*", "/"), y);
	}
}

static void statements(int nr);

static void block(const char *head, int nr)
{
	line("%s {", head);
	depth++;
	statements(nr);
	depth--;
	line("}");
}

static void counted_loop(void)
{
	char head[200];
	int level = depth;

	snprintf(head, sizeof(head), "for (int i%d = 0; i%d < %s(n & %d) + %d; i%d += %d)", level,
		 level, PICK("(int)", "2 * (int)"), (int)(1 << below(5)) - 1, (int)below(6), level,
		 1 + (int)below(2));
	block(head, 1 + (int)below(3));
}

static void open_loop(void)
{
	line("for (uint64_t left%d = 1 + (%s & 15);;) {", depth, integer(1));
	depth++;
	statements(1 + (int)below(2));
	line("if (%s == %s) break;", variable(), integer(1));
	if (below(2))
		line("if (left%d & 1) { left%d--; continue; }", depth - 1, depth - 1);
	line("if (left%d <= 1) break; else left%d -= 2;", depth - 1, depth - 1);
	depth--;
	line("}");
}

static void choice(void)
{
	char head[600];

	snprintf(head, sizeof(head), "if (%s %s %s)", integer(2), PICK("<", ">=", "=="),
		 integer(1));
	block(head, 1 + (int)below(2));
	if (below(2))
		block("else", 1);
}

static void many_cases(void)
{
	int nr = 3 + (int)below(24), step = below(4) ? 1 : 1 + (int)below(200);

	line("switch (%s %% %d) {", integer(1), nr * step + (int)below(3));
	for (int i = 0; i < nr; i++) {
		line("case %d: %s %s %s;%s", i * step, variable(), PICK("+=", "^=", "-=", "="),
		     integer(1), below(5) ? " break;" : "");
		if (below(12) == 0 && depth < 3)
			statements(1);
	}
	line("default: %s++;", variable());
	line("}");
}

/* What compilers make vectors, gathers, masked loads and stores of. */
static void vector_loop(void)
{
	const char *type = below(2) ? real_type() : integer_type();
	int from = (int)below(64), to = 64 + (int)below(64), nr = 1 + (int)below(90);
	static int number;

	number++;
	line("{ %s *p%d = (%s *)memory + %d, *q%d = (%s *)(memory + 8192) + %d; uint32_t *j%d = (uint32_t *)(memory + 16384); %s s%d = 0;",
	     type, number, type, from, number, type, to, number, type, number);
	line("for (int i = 0; i < %s; i++)",
	     below(2) ? "(int)(n & 63) + 5" : PICK("16", "33", "64", "100"));
	switch (below(10)) {
	case 0: line("\tp%d[i] = q%d[i] + p%d[i + %d];", number, number, number, nr); break;
	case 1:
		line("\tif (q%d[i] > p%d[i]) p%d[i] = q%d[i];", number, number, number, number);
		break;
	case 2: line("\ts%d += q%d[j%d[i] & 255];", number, number, number); break;
	case 3: line("\tp%d[j%d[i] & 255] = q%d[i];", number, number, number); break;
	case 4: line("\tp%d[i * %d] = q%d[i];", number, 1 + nr % 5, number); break;
	case 5: line("\ts%d += p%d[i] * q%d[i];", number, number, number); break;
	case 6:
		line("\tif (j%d[i] & 1) p%d[i] = q%d[j%d[i] & 127];", number, number, number,
		     number);
		break;
	case 7:
		line("\ts%d = s%d > q%d[i] ? s%d : q%d[i];", number, number, number, number,
		     number);
		break;
	case 8: line("\tp%d[i] = (%s)j%d[i];", number, type, number); break;
	default:
		line("\tp%d[2 * i] = q%d[2 * i + 1], p%d[2 * i + 1] = q%d[2 * i];", number, number,
		     number, number);
		break;
	}
	line("%s = %s + (uint64_t)(int64_t)s%d; }", variable(), variable(), number);
}

static void copies(void)
{
	int bytes = 1 + (int)below(400);

	switch (below(6)) {
	case 0: line("memcpy(memory + 1000, memory + 3000 + (n & 63), %d);", bytes); break;
	case 1: line("memset(memory + 2000, (int)%s, %d);", variable(), bytes); break;
	case 2:
		line("memmove(memory + 4000, memory + 4000 + (n & 15), %s & %d);", variable(),
		     bytes);
		break;
	case 3:
		line("{ struct { char c[%d]; } *p = (void *)memory; p[1] = p[%d]; }", bytes,
		     2 + (int)below(9));
		break;
	case 4:
		line("{ char t[%d]; memcpy(t, memory + (b & 255), sizeof(t)); %s += (uint64_t)t[n %% sizeof(t)]; keep(t); }",
		     bytes, variable());
		break;
	default: line("__builtin_memset(memory + 5000, 0, %s & 1023);", variable()); break;
	}
}

static void atomics(void)
{
	const char *type = PICK("uint8_t", "uint16_t", "uint32_t", "uint64_t");

	switch (below(4)) {
	case 0:
		line("%s ^= __atomic_fetch_%s((%s *)memory + (n & 63), (%s)%s, 5);", variable(),
		     PICK("add", "sub", "or", "and", "xor"), type, type, integer(1));
		break;
	case 1:
		line("%s += __atomic_exchange_n((%s *)memory + (b & 63), (%s)n, 5);", variable(),
		     type, type);
		break;
	case 2:
		line("{ %s old = (%s)a; %s += __atomic_compare_exchange_n((%s *)memory + 7, &old, (%s)b, 0, 5, 5); a ^= old; }",
		     type, type, variable(), type, type);
		break;
	default:
		line("__atomic_%s_fetch((%s *)memory + 3, 1, 5);", PICK("add", "sub", "or"), type);
		break;
	}
}

static void calls(void)
{
	switch (below(10)) {
	case 0: line("%s += recurse(memory, %s %% 9);", variable(), variable()); break;
	case 1:
		line("%s ^= many(memory, a, b, c, n, a + 1, b + 1, c + 1, n + 1, x);", variable());
		break;
	case 2:
		line("%s += by_pointer[%s & 3](memory, %s);", variable(), variable(), variable());
		break;
	case 3:
		line("{ struct big s = big(memory, n); %s += s.w[%s & 15]; }", variable(),
		     variable());
		break;
	case 4: line("%s += varying(memory, %d, a, x, b, 2.5);", variable(), (int)below(3)); break;
	case 5: line("%s += jumps(memory, %s);", variable(), variable()); break;
	case 6:
		line("per_thread[%s & 15] += %s; %s ^= per_thread[n & 15];", variable(), variable(),
		     variable());
		break;
	case 7: line("x += (double)complex_part(memory, x);"); break;
	case 8:
		line("{ size_t nr = 1 + (%s & 63); uint64_t v[nr]; for (size_t i = 0; i < nr; i++) v[i] = i * a; %s += v[b %% nr]; keep(v); }",
		     variable(), variable());
		break;
	default:
		line("{ char *p = __builtin_alloca(16 + (%s & 255)); p[c & 15] = (char)n; keep(p); %s += (uint64_t)p[c & 15]; }",
		     variable(), variable());
		break;
	}
}

static void machine_code(void)
{
	switch (below(8)) {
	case 0:
		line("{ void *to = memory + 600, *from = memory + 900; size_t nr = %s & 127; __asm__ volatile(\"rep movs%s\" : \"+D\"(to), \"+S\"(from), \"+c\"(nr) : : \"memory\"); }",
		     variable(), PICK("b", "w", "l", "q"));
		break;
	case 1:
		line("{ void *to = memory + 6000; size_t nr = %s & 127; __asm__ volatile(\"rep stos%s\" : \"+D\"(to), \"+c\"(nr) : \"a\"(b) : \"memory\"); }",
		     variable(), PICK("b", "w", "l", "q"));
		break;
	case 2:
		line("{ void *at = memory; size_t nr = 200; __asm__ volatile(\"repne scasb\" : \"+D\"(at), \"+c\"(nr) : \"a\"(n) : \"memory\", \"cc\"); a += nr; }");
		break;
	case 3:
		line("{ void *to = memory + 900, *from = memory + 900; size_t nr = 64; __asm__ volatile(\"repe cmps%s\" : \"+D\"(to), \"+S\"(from), \"+c\"(nr) : : \"memory\", \"cc\"); b += nr; }",
		     PICK("b", "l"));
		break;
	case 4:
		line("{ void *to = memory + 2048, *from = memory + 2000; size_t nr = %s & 63; __asm__ volatile(\"std\\n rep movsb\\n cld\" : \"+D\"(to), \"+S\"(from), \"+c\"(nr) : : \"memory\", \"cc\"); }",
		     variable());
		break;
	/* past the prefix, or not */
	case 5:
		line("__asm__ volatile(\"testb $%d, %%b2\\n je 1f\\n .byte 0xf0\\n 1: xaddq %%0, %%1\" : \"+r\"(%s), \"+m\"(*(uint64_t *)(memory + 72)) : \"r\"(n) : \"cc\");",
		     1 << below(4), variable());
		break;
	case 6:
		line("{ void *to = memory + 6400; size_t nr = 1 + (n & 15); __asm__ volatile(\"testb $%d, %%b2\\n je 1f\\n .byte 0xf3\\n 1: stosb\" : \"+D\"(to), \"+c\"(nr) : \"a\"(b) : \"memory\", \"cc\"); a += nr; }",
		     1 << below(4));
		break;
	default:
		line("__asm__ volatile(\"lock xaddq %%0, %%1\" : \"+r\"(%s), \"+m\"(*(uint64_t *)(memory + 64)) : : \"cc\");",
		     variable());
		break;
	}
}

static void computed_jump(void)
{
	int nr = 3 + (int)below(4), first = labels;

	labels += nr;
	printf("\t\tstatic void *const way%d[] = { ", first);
	for (int i = 0; i < nr; i++)
		printf("&&label%d, ", first + i);
	printf("};\n\t\tgoto *way%d[%s %% %d];\n", first, variable(), nr);
	for (int i = 0; i < nr; i++)
		printf("\tlabel%d: %s += %s;%s\n", first + i, variable(), integer(1),
		       i + 1 < nr && below(2) ? " /* falls through */" : "");
}

static void assign(void)
{
	switch (below(6)) {
	case 0:
		line("((%s *)memory)[%s & 1023] = (%s)%s;", integer_type(), variable(), "uint32_t",
		     integer(3));
		break;
	case 1: line("x = %s;", real(3)); break;
	case 2: line("((%s *)memory)[%s & 511] = x;", real_type(), variable()); break;
	default: line("%s = %s;", variable(), integer(4)); break;
	}
}

static void statement(void)
{
	static void (*const nested[])(void) = { counted_loop, open_loop, choice, many_cases };
	static void (*const flat[])(void) = { assign,      assign,       assign,    vector_loop,
					      vector_loop, copies,       atomics,   calls,
					      calls,       machine_code, many_cases };

	if (depth < 3 && below(3) == 0)
		nested[below(sizeof(nested) / sizeof(nested[0]))]();
	else
		flat[below(sizeof(flat) / sizeof(flat[0]))]();
}

static void statements(int nr)
{
	while (nr-- > 0)
		statement();
}

static void function(uint64_t seed, int number)
{
	printf("uint64_t f%lu_%d(unsigned char *memory, uint64_t seed)\n{\n\tuint64_t a = seed, b = *(uint64_t *)(memory + %d), c = %d, n = seed * 7 + 3;\n"
	       "\tdouble x = (double)(seed %% 31) + 0.5;\n\n",
	       (unsigned long)seed, number, 8 * (int)below(512), (int)below(1000));
	statements(2 + (int)below(4));
	if (below(5) == 0)
		computed_jump();
	if (below(6) == 0)
		line("return by_pointer[c & 3](memory, a ^ b);");
	else
		line("return a ^ b * 3 ^ c * 5 ^ n * 7 ^ (uint64_t)(x > 1e6);");
	printf("}\n\n");
}

static const char prelude[] =
	"#include <math.h>\n#include <setjmp.h>\n#include <stdarg.h>\n#include <stdint.h>\n#include <string.h>\n"
	"#define NOINLINE __attribute__((noinline))\n"
	"extern const int differential_generated;\nconst int differential_generated = 1;\n"
	"static __thread uint64_t per_thread[16];\n"
	"static inline uint64_t rotate(uint64_t x, uint64_t by) { return x << (by & 63) | x >> (-by & 63); }\n"
	"static inline void keep(void *p) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); }\n"
	"NOINLINE static uint64_t recurse(unsigned char *memory, uint64_t n)\n"
	"{\n\treturn n < 2 || n > 9 ? memory[n & 1023] : recurse(memory, n - 1) + recurse(memory + 1, n - 2) * 3;\n}\n"
	"NOINLINE static uint64_t many(unsigned char *memory, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h, double x)\n"
	"{\n\treturn memory[a & 255] + b * c + d * e + f * g + h + (uint64_t)(x > 3);\n}\n"
	"struct big { uint64_t w[16]; };\n"
	"NOINLINE static struct big big(unsigned char *memory, uint64_t n)\n"
	"{\n\tstruct big s = *(struct big *)(memory + (n & 1023));\n\ts.w[n & 15] = n;\n\treturn s;\n}\n"
	"NOINLINE static uint64_t varying(unsigned char *memory, int nr, ...)\n"
	"{\n\tva_list args;\n\tuint64_t sum = memory[0];\n\tva_start(args, nr);\n\tsum += va_arg(args, uint64_t);\n"
	"\tsum += (uint64_t)(va_arg(args, double) > nr);\n\tsum += va_arg(args, uint64_t);\n\tva_end(args);\n\treturn sum;\n}\n"
	"NOINLINE static void leap(jmp_buf out, uint64_t n) { if (n & 1) longjmp(out, 1 + (int)(n & 7)); }\n"
	"NOINLINE static uint64_t jumps(unsigned char *memory, uint64_t n)\n"
	"{\n\tjmp_buf out;\n\tvolatile uint64_t sum = n;\n\tint way = setjmp(out);\n\tif (way)\n\t\treturn sum + (uint64_t)way + memory[5];\n"
	"\tsum += 3;\n\tleap(out, n);\n\treturn sum;\n}\n"
	"NOINLINE static float complex_part(unsigned char *memory, double x)\n"
	"{\n\t_Complex double z = *(_Complex double *)memory * (x + 1.0i), w = *(_Complex double *)(memory + 64);\n\tz = z * w + w;\n\treturn (float)__real__ z;\n}\n"
	"NOINLINE static uint64_t first(unsigned char *memory, uint64_t n) { return memory[n & 4095] + n; }\n"
	"NOINLINE static uint64_t second(unsigned char *memory, uint64_t n) { return first(memory, n * 3); }\n"
	"NOINLINE static uint64_t third(unsigned char *memory, uint64_t n) { return n & 1 ? first(memory, n) : second(memory, n) - 1; }\n"
	"NOINLINE static uint64_t fourth(unsigned char *memory, uint64_t n) { for (int i = 0; i < 9; i++) n += memory[n >> i & 511]; return n; }\n"
	"static uint64_t (*const by_pointer[])(unsigned char *memory, uint64_t n) = { first, second, third, fourth };\n\n";

int main(int argc, char **argv)
{
	uint64_t seed = argc == 3 ? strtoull(argv[1], NULL, 0) : 0;
	int nr = argc == 3 ? atoi(argv[2]) : 0;

	if (!seed || nr <= 0) {
		fprintf(stderr, "usage: generate SEED NR\n");
		return 2;
	}
	state = seed * 0x9e3779b97f4a7c15ull;
	printf("/* generate %lu %d */\n%s", (unsigned long)seed, nr, prelude);
	for (int i = 0; i < nr; i++)
		function(seed, i);
	return 0;
}
