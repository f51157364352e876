/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of a thousand functions is the one that will not scale? Each frame goes through all of them, none takes 1 % of the
 * time. All grow like the load but claim_token, which grows like its square: it is in the last half of a profile of one
 * load, and first by the ratio of two. After the FDDI driver of the paper's case studies. `memsearch diff
 * --by line`: from load 8 to 32 the accesses of claim_token grow 16 times, the others' 4 times.
 *
 * LOADS 8 32
 * CULPRIT claim_token tokens
 * METRIC accesses
 * GROWS 15..17
 * OTHERS 4.1
 * SHARE 0.01
 * BY ratio
 * SAMPLE gcc-12 O2
 */
#include "toy.h"

#define FRAMES 16
#define LARGEST 256
#define WORDS 1024

static uint32_t ring[WORDS], tokens[LARGEST];
static uint64_t received[FRAMES];

/* Reads as many words of the ring as the load; each handler reads other ones, so that no two are merged. */
#define HANDLER(number) \
	__attribute__((noinline)) static uint32_t handler_##number(uint32_t frame, int load) \
	{ \
		for (int i = 0; i < load; i++) \
			frame = (frame ^ ring[(i * 17 + number) % WORDS]) * 2654435761u; \
		return frame; \
	}
#define CALL(number) frame = handler_##number(frame, load);

#define TEN(of, number) of(number##0) of(number##1) of(number##2) of(number##3) of(number##4) \
	of(number##5) of(number##6) of(number##7) of(number##8) of(number##9)
#define HUNDRED(of, number) TEN(of, number##0) TEN(of, number##1) TEN(of, number##2) TEN(of, number##3) TEN(of, number##4) \
	TEN(of, number##5) TEN(of, number##6) TEN(of, number##7) TEN(of, number##8) TEN(of, number##9)

HUNDRED(HANDLER, 10)
HUNDRED(HANDLER, 11)
HUNDRED(HANDLER, 12)
HUNDRED(HANDLER, 13)
HUNDRED(HANDLER, 14)
HUNDRED(HANDLER, 15)
HUNDRED(HANDLER, 16)
HUNDRED(HANDLER, 17)
HUNDRED(HANDLER, 18)
HUNDRED(HANDLER, 19)

__attribute__((noinline)) static uint32_t claim_token(uint32_t frame, int load)
{
	for (int i = 0; i < load; i += 8)
		for (int j = 0; j < load; j++)
			frame = (frame ^ tokens[j]) * (2654435761u + (uint32_t)i);       /* HERE: culprit */
	return frame;
}

__attribute__((noinline)) static uint32_t receive(uint32_t frame, int load)
{
	HUNDRED(CALL, 10)
	HUNDRED(CALL, 11)
	HUNDRED(CALL, 12)
	HUNDRED(CALL, 13)
	HUNDRED(CALL, 14)
	frame = claim_token(frame, load);
	HUNDRED(CALL, 15)
	HUNDRED(CALL, 16)
	HUNDRED(CALL, 17)
	HUNDRED(CALL, 18)
	HUNDRED(CALL, 19)
	return frame;
}

__attribute__((noinline)) static void receive_all(int load)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < FRAMES; i++)
		received[i] += receive((uint32_t)received[i] + (uint32_t)i, load);
}

int main(int argc, char **argv)
{
	int load = toy_argument(argc, argv, 1, 8, 1, LARGEST);
	int steps = toy_argument(argc, argv, 2, 800, 1, INT32_MAX);
	uint64_t sum = 0;

	for (int i = 0; i < WORDS; i++)
		ring[i] = toy_word(i);
	for (int i = 0; i < LARGEST; i++)
		tokens[i] = toy_word(i + WORDS);
	for (int step = 0; step < steps; step++)
		receive_all(load);
	for (int i = 0; i < FRAMES; i++)
		sum += received[i];
	workload_checksum(sum);
	return 0;
}
