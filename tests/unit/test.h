/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_TEST_H
#define MEMSEARCH_TESTS_UNIT_TEST_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature /* gcc */
#define __has_feature(feature) 0
#endif

/* It has a thread of its own besides, and puts signals off. */
#define THREAD_SANITIZED (__has_feature(thread_sanitizer))
/*
 * Sanitizers have malloc, functions of libc and much of the address space themselves, touch pages
 * of their own, and take their time; they look at stacks when something is thrown.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/*
 * Functions that sanitizers leave as they are: shadow memory has page faults, and ThreadSanitizer's
 * instrumentation uses return addresses.
 */
#if defined(__has_attribute) && __has_attribute(disable_sanitizer_instrumentation)
/* otherwise ThreadSanitizer still records the function's begin and end */
#define NO_CALLS_OF_SANITIZERS disable_sanitizer_instrumentation,
#else
#define NO_CALLS_OF_SANITIZERS
#endif
#define NOT_INSTRUMENTED \
	__attribute__((noinline, NO_CALLS_OF_SANITIZERS no_sanitize("address"), \
		       no_sanitize("thread"), no_sanitize("undefined")))

/*
 * Unit tests: one file a module, functions TEST(module__case), each run in its own
 * fork by tests/unit/main.c.
 *
 * To add one: 1. tests/unit/MODULE.c with TEST(...) functions. Nothing else.
 */
struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(test_name) \
	static void test_##test_name(void); \
	static const struct test row_##test_name \
		__attribute__((used, section("unit_tests"), aligned(16))) = { #test_name, \
									      test_##test_name }; \
	static void test_##test_name(void)

/* Reports a failure and ends the test (in its fork). */
void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4), noreturn));
/* Ends the test as skipped: for missing hardware, privilege, kernel feature or network only. */
void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/*
 * Calls release(of) in the test's fork when its function has returned, the last call first: leak
 * detection runs after that.
 */
void test_at_end(void (*release)(void *), void *of);
/* A part of what there is to try in `make test`, all of it where WHOLE is set (bench/unit.sh). */
static inline unsigned long test_sample(unsigned long part, unsigned long all)
{
	return getenv("WHOLE") ? all : part;
}

/* Memory of this process that is resident, in KiB. */
long test_resident_kib(void);

/* A number or pointer as text, in `to`, which has TEST_VALUE bytes. */
#define TEST_VALUE 32
static inline const char *test_shown_signed(char *to, long long value)
{
	return snprintf(to, TEST_VALUE, "%lld", value), to;
}
static inline const char *test_shown_unsigned(char *to, unsigned long long value)
{
	return snprintf(to, TEST_VALUE, "%llu", value), to;
}
static inline const char *test_shown_double(char *to, double value)
{
	return snprintf(to, TEST_VALUE, "%.17g", value), to;
}
static inline const char *test_shown_pointer(char *to, const void *value)
{
	return snprintf(to, TEST_VALUE, "%p", value), to;
}
#define TEST_SHOWN(to, value) \
	_Generic((value), \
		bool: test_shown_unsigned, \
		char: test_shown_signed, \
		signed char: test_shown_signed, \
		short: test_shown_signed, \
		int: test_shown_signed, \
		long: test_shown_signed, \
		long long: test_shown_signed, \
		unsigned char: test_shown_unsigned, \
		unsigned short: test_shown_unsigned, \
		unsigned int: test_shown_unsigned, \
		unsigned long: test_shown_unsigned, \
		unsigned long long: test_shown_unsigned, \
		float: test_shown_double, \
		double: test_shown_double, \
		default: test_shown_pointer)(to, value)

#define CHECK(condition) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "%s", #condition))
/* A comparison of two values, which both are printed: CHECK_THAT(size, <, 4096). */
#define CHECK_THAT(left, compare, right) \
	do { \
		__auto_type left_ = (left); \
		__auto_type right_ = (right); \
		_Pragma("GCC diagnostic push") \
			_Pragma("GCC diagnostic ignored \"-Wsign-compare\"") bool holds_ = \
				left_ compare right_; \
		_Pragma("GCC diagnostic pop") char shown_[2][TEST_VALUE]; \
		if (!holds_) \
			test_fail(__FILE__, __LINE__, "%s %s %s is wrong: %s, %s", #left, \
				  #compare, #right, TEST_SHOWN(shown_[0], left_), \
				  TEST_SHOWN(shown_[1], right_)); \
	} while (0)
#define CHECK_INT(have, want) \
	do { \
		long long have_ = (long long)(have), want_ = (long long)(want); \
		if (have_ != want_) \
			test_fail(__FILE__, __LINE__, "%s is %lld, not %lld", #have, have_, \
				  want_); \
	} while (0)
#define CHECK_STR(have, want) \
	do { \
		const char *have_ = (have), *want_ = (want); \
		if (!have_ || strcmp(have_, want_)) \
			test_fail(__FILE__, __LINE__, "%s is \"%s\", not \"%s\"", #have, \
				  have_ ? have_ : "(null)", want_); \
	} while (0)
#define CHECK_HAS(text, part) \
	do { \
		const char *text_ = (text), *part_ = (part); \
		if (!text_ || !strstr(text_, part_)) \
			test_fail(__FILE__, __LINE__, "\"%s\" is not in:\n%s", part_, \
				  text_ ? text_ : "(null)"); \
	} while (0)
#define CHECK_HAS_NOT(text, part) \
	do { \
		const char *text_ = (text), *part_ = (part); \
		if (!text_ || strstr(text_, part_)) \
			test_fail(__FILE__, __LINE__, "\"%s\" is in:\n%s", part_, \
				  text_ ? text_ : "(null)"); \
	} while (0)
#define CHECK_NEAR(have, want, tolerance) \
	do { \
		double have_ = (have), want_ = (want); \
		if (!(fabs(have_ - want_) <= (tolerance))) \
			test_fail(__FILE__, __LINE__, "%s is %.17g, not %.17g", #have, have_, \
				  want_); \
	} while (0)

#endif
