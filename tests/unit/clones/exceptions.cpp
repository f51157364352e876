// SPDX-License-Identifier: Apache-2.0
// Exceptions through cloned frames: caught near and far, rethrown, with destructors on the way.
#include <cstdint>
#include <stdexcept>
#include <string>

namespace {

struct counted {
	uint64_t *count;
	explicit counted(uint64_t *c) : count(c) { ++*count; }
	~counted() { *count += 100; }
};

__attribute__((noinline)) uint64_t may_throw(uint64_t x, uint64_t *count)
{
	counted here(count);

	if (x % 5 == 0)
		throw std::runtime_error("a message longer than short strings are");
	if (x % 7 == 0)
		throw x;
	return x * 3;
}

__attribute__((noinline)) uint64_t between(uint64_t x, uint64_t *count)
{
	counted here(count);
	std::string text(static_cast<size_t>(x % 40), 'x');

	try {
		return may_throw(x, count) + text.size();
	} catch (uint64_t value) {
		if (value % 2)
			throw;
		return value + 1;
	}
}

uint64_t throwing(unsigned char *memory, uint64_t seed)
{
	uint64_t *count = reinterpret_cast<uint64_t *>(memory), sum = seed;

	for (uint64_t i = 1; i < 200; i++) {
		try {
			sum = sum * 31 + between(i + seed, count);
		} catch (const std::exception &error) {
			sum += std::string(error.what()).size();
		} catch (uint64_t value) {
			sum ^= value;
		}
	}
	return sum + *count;
}

}

extern "C" const struct { const char *name; uint64_t (*run)(unsigned char *, uint64_t); } kernels[] = {
	{ "throwing", throwing }, { nullptr, nullptr },
};
