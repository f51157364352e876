/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions as rows: every field of every kind of instruction, checked by hand against Intel's
 * manual.
 */
#define _GNU_SOURCE
#include "tests/unit/machine_code.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * What is said of each: kind, target, offset of a RIP-relative displacement, registers and flags
 * read (r, fr) and written (w, fw), then its memory operands: kind, R or W, bytes (times lanes,
 * mask register), address.
 */
static const struct row {
	int line;
	const char *name, *bytes;
	size_t length;
	const char *expected;
} rows[] = {
	{ __LINE__, "push %rbx", "\x53", 1, "plain r:rbx:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, "push (%rax)", "\xff\x30", 2,
	  "plain r:rax:rsp w:rsp; R8 [rax]; stack W8 [rsp-8]" },
	{ __LINE__, "pop (%rax)", "\x8f\x00", 2,
	  "plain r:rax:rsp w:rsp; W8 [rax]; stack R8 [rsp]" },
	{ __LINE__, "pop 8(%rsp)", "\x8f\x44\x24\x08", 4,
	  "plain r:rsp w:rsp; W8 [rsp+16]; stack R8 [rsp]" },
	{ __LINE__, "call *(%rax)", "\xff\x10", 2,
	  "call* r:rax:rsp w:rsp; R8 [rax]; stack W8 [rsp-8]" },
	{ __LINE__, "call *%rax", "\xff\xd0", 2, "call* r:rax:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, "call .+10", "\xe8\x05\x00\x00\x00", 5,
	  "call to 100a r:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, "ret", "\xc3", 1, "return r:rsp w:rsp; stack R8 [rsp]" },
	{ __LINE__, "ret $16", "\xc2\x10\x00", 3, "return r:rsp w:rsp; stack R8 [rsp]" },
	{ __LINE__, "enter $16,$0", "\xc8\x10\x00\x00", 4,
	  "plain r:rsp:rbp w:rsp:rbp; stack W8 [rsp-8]" },
	{ __LINE__, "enter $16,$1", "\xc8\x10\x00\x01", 4,
	  "refused (enter with nested frames) r:rsp:rbp w:rsp:rbp; stack W8 [rsp-8]" },
	{ __LINE__, "leave", "\xc9", 1, "plain r:rsp:rbp w:rsp:rbp; stack R8 [rbp]" },
	{ __LINE__, "pushf", "\x9c", 1, "plain r:rsp w:rsp fr:CPAZSOD; stack W8 [rsp-8]" },
	{ __LINE__, "popf", "\x9d", 1, "plain r:rsp w:rsp fw:CPAZSOD; stack R8 [rsp]" },
	{ __LINE__, "rep movsb", "\xf3\xa4", 2,
	  "plain r:rcx:rsi:rdi w:rcx:rsi:rdi fr:D; rep W1 [rdi]; rep R1 [rsi]" },
	{ __LINE__, "movsq", "\x48\xa5", 2, "plain r:rsi:rdi w:rsi:rdi fr:D; W8 [rdi]; R8 [rsi]" },
	{ __LINE__, "rep stosq", "\xf3\x48\xab", 3,
	  "plain r:rax:rcx:rdi w:rcx:rdi fr:D; rep W8 [rdi]" },
	{ __LINE__, "lodsb", "\xac", 1, "plain r:rax:rsi w:rax:rsi fr:D; R1 [rsi]" },
	{ __LINE__, "repne scasb", "\xf2\xae", 2,
	  "plain r:rax:rcx:rdi w:rcx:rdi fr:ZD; rep R1 [rdi]" },
	{ __LINE__, "repe cmpsb", "\xf3\xa6", 2,
	  "plain r:rcx:rsi:rdi w:rcx:rsi:rdi fr:ZD; rep R1 [rsi]; rep R1 [rdi]" },
	{ __LINE__, "xlat", "\xd7", 1, "refused (xlat) r:rax:rbx w:rax; R1 [rbx]" },
	{ __LINE__, "maskmovdqu %xmm1,%xmm2", "\x66\x0f\xf7\xd1", 4,
	  "plain r:rdi; masked W1x16 v1.16 [rdi]" },
	{ __LINE__, "maskmovq %mm1,%mm2", "\x0f\xf7\xd1", 3, "plain r:rdi; unknown W0 [rdi]" },
	{ __LINE__, "vgatherdpd %ymm1,(%rax,%xmm2,8),%ymm3", "\xc4\xe2\xf5\x92\x1c\xd0", 6,
	  "plain r:rax; lanes R8x4 v1 [rax+v2.16/4*8]" },
	{ __LINE__, "vpgatherqd %xmm1,(%rax,%ymm2,4),%xmm3", "\xc4\xe2\x75\x91\x1c\x90", 6,
	  "plain r:rax; lanes R4x4 v1 [rax+v2.32/8*4]" },
	{ __LINE__, "vgatherqps %xmm1,(%rax,%xmm2,4),%xmm3", "\xc4\xe2\x71\x93\x1c\x90", 6,
	  "plain r:rax; lanes R4x2 v1 [rax+v2.16/8*4]" },
	{ __LINE__, "vgatherdps (%rax,%zmm2,4),%zmm3{%k1}", "\x62\xf2\x7d\x49\x92\x1c\x90", 7,
	  "plain r:rax; lanes R4x16 k1 [rax+v2.64/4*4]" },
	{ __LINE__, "vgatherdpd (%rax,%ymm2,8),%zmm3{%k1}", "\x62\xf2\xfd\x49\x92\x1c\xd0", 7,
	  "plain r:rax; lanes R8x8 k1 [rax+v2.32/4*8]" },
	{ __LINE__, "vgatherqps (%rax,%zmm2,8),%ymm3{%k1}", "\x62\xf2\x7d\x49\x93\x1c\xd0", 7,
	  "plain r:rax; lanes R4x8 k1 [rax+v2.64/8*8]" },
	{ __LINE__, "vscatterqpd %zmm3,(%rax,%zmm2,8){%k1}", "\x62\xf2\xfd\x49\xa3\x1c\xd0", 7,
	  "plain r:rax; lanes W8x8 k1 [rax+v2.64/8*8]" },
	{ __LINE__, "vscatterdpd %xmm3,(%rax,%xmm2,8){%k1}", "\x62\xf2\xfd\x09\xa2\x1c\xd0", 7,
	  "plain r:rax; lanes W8x2 k1 [rax+v2.16/4*8]" },
	{ __LINE__, "vmovupd (%rax),%zmm1{%k1}{z}", "\x62\xf1\xfd\xc9\x10\x08", 6,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vmovupd %zmm1,(%rax){%k2}", "\x62\xf1\xfd\x4a\x11\x08", 6,
	  "plain r:rax; masked W8x8 k2 [rax]" },
	{ __LINE__, "vmovdqu8 %ymm1,(%rax){%k2}", "\x62\xf1\x7f\x2a\x7f\x08", 6,
	  "plain r:rax; masked W1x32 k2 [rax]" },
	{ __LINE__, "vaddpd (%rax),%zmm1,%zmm2{%k3}", "\x62\xf1\xf5\x4b\x58\x10", 6,
	  "plain r:rax; masked R8x8 k3 [rax]" },
	{ __LINE__, "vaddpd (%rax){1to8},%zmm1,%zmm2{%k3}", "\x62\xf1\xf5\x5b\x58\x10", 6,
	  "plain r:rax; R8 [rax]" },
	{ __LINE__, "vaddpd (%rax){1to8},%zmm1,%zmm2", "\x62\xf1\xf5\x58\x58\x10", 6,
	  "plain r:rax; R8 [rax]" },
	{ __LINE__, "vaddpd 64(%rax),%zmm1,%zmm2", "\x62\xf1\xf5\x48\x58\x50\x01", 7,
	  "plain r:rax; R64 [rax+64]" },
	{ __LINE__, "vaddsd (%rax),%xmm1,%xmm2{%k3}", "\x62\xf1\xf7\x0b\x58\x10", 6,
	  "plain r:rax; masked R8x1 k3 [rax]" },
	{ __LINE__, "vmaskmovpd (%rax),%ymm1,%ymm2", "\xc4\xe2\x75\x2d\x10", 5,
	  "plain r:rax; masked R8x4 v1.32 [rax]" },
	{ __LINE__, "vmaskmovps %ymm1,%ymm2,(%rax)", "\xc4\xe2\x6d\x2e\x08", 5,
	  "plain r:rax; masked W4x8 v2.32 [rax]" },
	{ __LINE__, "vpmaskmovq (%rax),%xmm1,%xmm2", "\xc4\xe2\xf1\x8c\x10", 5,
	  "plain r:rax; masked R8x2 v1.16 [rax]" },
	{ __LINE__, "vpcompressd %zmm1,(%rax){%k1}", "\x62\xf2\x7d\x49\x8b\x08", 6,
	  "plain r:rax; packed W4x16 k1 [rax]" },
	{ __LINE__, "vpexpandd (%rax),%zmm1{%k1}{z}", "\x62\xf2\x7d\xc9\x89\x08", 6,
	  "plain r:rax; packed R4x16 k1 [rax]" },
	{ __LINE__, "vcompresspd %ymm1,(%rax)", "\x62\xf2\xfd\x28\x8a\x08", 6,
	  "plain r:rax; W32 [rax]" },
	{ __LINE__, "vexpandpd (%rax),%ymm1{%k1}", "\x62\xf2\xfd\x29\x88\x08", 6,
	  "plain r:rax; packed R8x4 k1 [rax]" },
	{ __LINE__, "vpcompressb %zmm1,(%rax){%k1}", "\x62\xf2\x7d\x49\x63\x08", 6,
	  "plain r:rax; packed W1x64 k1 [rax]" },
	{ __LINE__, "vbroadcastsd (%rax),%ymm1", "\xc4\xe2\x7d\x19\x08", 5,
	  "plain r:rax; R8 [rax]" },
	{ __LINE__, "vbroadcastsd (%rax),%zmm1{%k1}", "\x62\xf2\xfd\x49\x19\x08", 6,
	  "plain r:rax; R8 [rax]" },
	{ __LINE__, "vbroadcastf64x4 (%rax),%zmm1{%k1}", "\x62\xf2\xfd\x49\x1b\x08", 6,
	  "plain r:rax; R32 [rax]" },
	{ __LINE__, "vpmovqd %zmm1,(%rax){%k1}", "\x62\xf2\x7e\x49\x35\x08", 6,
	  "plain r:rax; masked W4x8 k1 [rax]" },
	{ __LINE__, "vpmovzxbd (%rax),%zmm1{%k1}", "\x62\xf2\x7d\x49\x31\x08", 6,
	  "plain r:rax; masked R1x16 k1 [rax]" },
	{ __LINE__, "vcvtps2ph $1,%zmm1,(%rax){%k1}", "\x62\xf3\x7d\x49\x1d\x08\x01", 7,
	  "plain r:rax; masked W2x16 k1 [rax]" },
	{ __LINE__, "vcmppd $1,(%rax),%zmm1,%k2{%k1}", "\x62\xf1\xf5\x49\xc2\x10\x01", 7,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vpermpd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\x16\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpermt2d (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\x7e\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vinsertf64x4 $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\xf5\x49\x1a\x10\x01", 7,
	  "plain r:rax; R32 [rax]" },
	{ __LINE__, "vextractf64x4 $1,%zmm1,(%rax){%k1}", "\x62\xf3\xfd\x49\x1b\x08\x01", 7,
	  "plain r:rax; masked W8x4 k1 [rax]" },
	{ __LINE__, "vmovsd (%rax),%xmm2{%k3}{z}", "\x62\xf1\xff\x8b\x10\x10", 6,
	  "plain r:rax; masked R8x1 k3 [rax]" },
	{ __LINE__, "vmovss %xmm2,(%rax){%k3}", "\x62\xf1\x7e\x0b\x11\x10", 6,
	  "plain r:rax; masked W4x1 k3 [rax]" },
	{ __LINE__, "vmovddup (%rax),%ymm2{%k3}", "\x62\xf1\xff\x2b\x12\x10", 6,
	  "plain r:rax; R32 [rax]" },
	{ __LINE__, "vcvtdq2pd (%rax),%zmm2{%k3}", "\x62\xf1\x7e\x4b\xe6\x10", 6,
	  "plain r:rax; masked R4x8 k3 [rax]" },
	{ __LINE__, "vpmultishiftqb (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\x83\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vshufpd $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\xf5\x49\xc6\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpshufb (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\x00\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vp2intersectd (%rax),%zmm1,%k2", "\x62\xf2\x77\x48\x68\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "lea 8(%rax),%rbx", "\x48\x8d\x58\x08", 4, "plain r:rax w:rbx" },
	{ __LINE__, "prefetcht0 (%rax)", "\x0f\x18\x08", 3, "plain r:rax" },
	{ __LINE__, "prefetchw (%rax)", "\x0f\x0d\x08", 3, "plain r:rax" },
	{ __LINE__, "nopw (%rax)", "\x66\x0f\x1f\x00", 4, "plain" },
	{ __LINE__, "invlpg (%rax)", "\x0f\x01\x38", 3, "plain r:rax" },
	{ __LINE__, "clflush (%rax)", "\x0f\xae\x38", 3, "plain r:rax" },
	{ __LINE__, "clwb (%rax)", "\x66\x0f\xae\x30", 4, "plain r:rax" },
	{ __LINE__, "clzero", "\x0f\x01\xfc", 3, "plain r:rax; unknown W0 [rax]" },
	{ __LINE__, "fxsave (%rax)", "\x0f\xae\x00", 3, "plain r:rax; unknown W0 [rax]" },
	{ __LINE__, "xsave (%rax)", "\x0f\xae\x20", 3, "plain r:rax:rdx; unknown RW0 [rax]" },
	{ __LINE__, "xrstor64 (%rax)", "\x48\x0f\xae\x28", 4, "plain r:rax:rdx; unknown R0 [rax]" },
	{ __LINE__, "mov %fs:0x28,%rax", "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9,
	  "plain w:rax; R8 [fs:+40]" },
	{ __LINE__, "mov %gs:(%rax,%rbx),%rax", "\x65\x48\x8b\x04\x18", 5,
	  "plain r:rax:rbx w:rax; R8 [gs:rax+rbx*1]" },
	{ __LINE__, "mov 0(%eax,%ebx,2),%ecx", "\x67\x8b\x0c\x58", 4,
	  "plain r:rax:rbx w:rcx; R4 [rax+rbx*2]32" },
	{ __LINE__, "mov 10(%rip),%ecx", "\x8b\x0d\x0a\x00\x00\x00", 6,
	  "plain to 1010 at 2 w:rcx; R4 [rip:1010]" },
	{ __LINE__, "mov 10(%eip),%ecx", "\x67\x8b\x0d\x0a\x00\x00\x00", 7,
	  "refused (address relative to the program counter, cut to 32 bits) w:rcx" },
	{ __LINE__, "movb $1,%fs:(%eax)", "\x64\x67\xc6\x00\x01", 5, "plain r:rax; W1 [fs:rax]32" },
	{ __LINE__, "tileloadd (%rax,%rbx),%tmm1", "\xc4\xe2\x7b\x4b\x0c\x18", 6,
	  "plain r:rax:rbx; unknown R0 [rax]" },
	{ __LINE__, "tilestored %tmm1,(%rax,%rbx)", "\xc4\xe2\x7a\x4b\x0c\x18", 6,
	  "plain r:rax:rbx; unknown W0 [rax]" },
	{ __LINE__, "ldtilecfg (%rax)", "\xc4\xe2\x78\x49\x00", 5, "plain r:rax; R64 [rax]" },
	{ __LINE__, "mul %rbx", "\x48\xf7\xe3", 3, "plain r:rax:rbx w:rax:rdx fw:CPAZSO" },
	{ __LINE__, "mulb %bl", "\xf6\xe3", 2, "plain r:rax:rbx w:rax fw:CPAZSO" },
	{ __LINE__, "imul %rax,%rbx", "\x48\x0f\xaf\xd8", 4, "plain r:rax:rbx w:rbx fw:CPAZSO" },
	{ __LINE__, "div %ebx", "\xf7\xf3", 2, "plain r:rax:rdx:rbx w:rax:rdx fw:CPAZSO" },
	{ __LINE__, "cpuid", "\x0f\xa2", 2, "plain r:rax:rcx w:rax:rcx:rdx:rbx" },
	{ __LINE__, "cmpxchg16b (%rax)", "\x48\x0f\xc7\x08", 4,
	  "plain r:rax:rcx:rdx:rbx w:rax:rdx fw:Z; RW16 [rax]" },
	{ __LINE__, "cmpxchg %rbx,(%rax)", "\x48\x0f\xb1\x18", 4,
	  "plain r:rax:rbx w:rax fw:CPAZSO; RW8 [rax]" },
	{ __LINE__, "xchg %rbx,(%rax)", "\x48\x87\x18", 3, "plain r:rax:rbx w:rbx; RW8 [rax]" },
	{ __LINE__, "xadd %rbx,%rcx", "\x48\x0f\xc1\xd9", 4,
	  "plain r:rcx:rbx w:rcx:rbx fw:CPAZSO" },
	{ __LINE__, "syscall", "\x0f\x05", 2, "plain r:rax:rdx:rsi:rdi:r8:r9:r10 w:rax:rcx:r11" },
	{ __LINE__, "loop .", "\xe2\xfe", 2, "branch to 1000 r:rcx w:rcx" },
	{ __LINE__, "jrcxz .", "\xe3\xfe", 2, "branch to 1000 r:rcx" },
	{ __LINE__, "jecxz .", "\x67\xe3\xfd", 3, "branch to 1000 r:rcx" },
	{ __LINE__, "cmove %rax,%rbx", "\x48\x0f\x44\xd8", 4, "plain r:rax:rbx w:rbx fr:Z" },
	{ __LINE__, "cmovel %eax,%ebx", "\x0f\x44\xd8", 3, "plain r:rax:rbx w:rbx fr:Z" },
	{ __LINE__, "mov %al,%bl", "\x88\xc3", 2, "plain r:rax:rbx w:rbx" },
	{ __LINE__, "mov %ah,%bl", "\x88\xe3", 2, "plain r:rax:rbx w:rbx" },
	{ __LINE__, "mov %bl,%ah", "\x88\xdc", 2, "plain r:rax:rbx w:rax" },
	{ __LINE__, "mov %ax,%bx", "\x66\x89\xc3", 3, "plain r:rax:rbx w:rbx" },
	{ __LINE__, "sete %al", "\x0f\x94\xc0", 3, "plain r:rax w:rax fr:Z" },
	{ __LINE__, "shl %cl,%rax", "\x48\xd3\xe0", 3, "plain r:rax:rcx w:rax" },
	{ __LINE__, "shl $1,%rax", "\x48\xd1\xe0", 3, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "shl $5,%rax", "\x48\xc1\xe0\x05", 4, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "shl $0,%rax", "\x48\xc1\xe0\x00", 4, "plain r:rax w:rax" },
	{ __LINE__, "rol %cl,%rax", "\x48\xd3\xc0", 3, "plain r:rax:rcx w:rax" },
	{ __LINE__, "rol $3,%rax", "\x48\xc1\xc0\x03", 4, "plain r:rax w:rax fw:CO" },
	{ __LINE__, "shld %cl,%rax,%rbx", "\x48\x0f\xa5\xc3", 4, "plain r:rax:rcx:rbx w:rbx" },
	{ __LINE__, "bsf %rax,%rbx", "\x48\x0f\xbc\xd8", 4, "plain r:rax:rbx w:rbx fw:CPAZSO" },
	{ __LINE__, "lzcnt %rax,%rbx", "\xf3\x48\x0f\xbd\xd8", 5, "plain r:rax w:rbx fw:CPAZSO" },
	{ __LINE__, "xor %eax,%eax", "\x31\xc0", 2, "plain w:rax fw:CPAZSO" },
	{ __LINE__, "sub %eax,%eax", "\x29\xc0", 2, "plain w:rax fw:CPAZSO" },
	{ __LINE__, "sbb %eax,%eax", "\x19\xc0", 2, "plain w:rax fr:C fw:CPAZSO" },
	{ __LINE__, "xbegin .+10", "\xc7\xf8\x04\x00\x00\x00", 6, "branch to 100a r:rax w:rax" },
	{ __LINE__, "xend", "\x0f\x01\xd5", 3, "plain" },
	{ __LINE__, "xabort $1", "\xc6\xf8\x01", 3, "plain r:rax w:rax" },
	{ __LINE__, "lcall *(%rax)", "\xff\x18", 2,
	  "refused (far transfer) r:rax:rsp w:rsp; R6 [rax]; stack W8 [rsp-8]" },
	{ __LINE__, "ljmp *(%rax)", "\xff\x28", 2, "refused (far transfer) r:rax; R6 [rax]" },
	{ __LINE__, "iretq", "\x48\xcf", 2,
	  "refused (return from an interrupt or to another mode) r:rsp w:rsp fw:CPAZSOD; stack R40 [rsp]" },
	{ __LINE__, "lretq", "\x48\xcb", 2, "refused (far transfer) r:rsp w:rsp; stack R16 [rsp]" },
	{ __LINE__, "sysretq", "\x48\x0f\x07", 3,
	  "refused (return from an interrupt or to another mode) r:rcx:r11 fw:CPAZSOD" },
	{ __LINE__, "sysexit", "\x0f\x35", 2,
	  "refused (return from an interrupt or to another mode) r:rcx:rdx w:rsp" },
	{ __LINE__, "ud2", "\x0f\x0b", 2, "stop" },
	{ __LINE__, "hlt", "\xf4", 1, "stop" },
	{ __LINE__, "int3", "\xcc", 1, "stop" },
	{ __LINE__, "int $0x80", "\xcd\x80", 2,
	  "plain r:rax:rcx:rdx:rbx:rsp:rbp:rsi:rdi:r8:r9:r10:r11:r12:r13:r14:r15 w:rax:r8:r9:r10:r11" },
	{ __LINE__, "in $1,%al", "\xe4\x01", 2, "plain r:rax w:rax" },
	{ __LINE__, "outsb", "\x6e", 1, "plain r:rdx:rsi w:rsi fr:D; R1 [rsi]" },
	{ __LINE__, "insb", "\x6c", 1, "plain r:rdx:rdi w:rdi fr:D; W1 [rdi]" },
	{ __LINE__, "rdtsc", "\x0f\x31", 2, "plain w:rax:rdx" },
	{ __LINE__, "rdtscp", "\x0f\x01\xf9", 3, "plain w:rax:rcx:rdx" },
	{ __LINE__, "xgetbv", "\x0f\x01\xd0", 3, "plain r:rcx w:rax:rdx" },
	{ __LINE__, "rdfsbase %rax", "\xf3\x48\x0f\xae\xc0", 5, "plain w:rax" },
	{ __LINE__, "wrfsbase %rax", "\xf3\x48\x0f\xae\xd0", 5,
	  "refused (sets the thread pointer) r:rax" },
	{ __LINE__, "fldt (%rax)", "\xdb\x28", 2, "plain r:rax; R10 [rax]" },
	{ __LINE__, "fstpt (%rax)", "\xdb\x38", 2, "plain r:rax; W10 [rax]" },
	{ __LINE__, "fnstenv (%rax)", "\xd9\x30", 2, "plain r:rax; W28 [rax]" },
	{ __LINE__, "fldenv (%rax)", "\xd9\x20", 2, "plain r:rax; R28 [rax]" },
	{ __LINE__, "fnsave (%rax)", "\xdd\x30", 2, "plain r:rax; W108 [rax]" },
	{ __LINE__, "frstor (%rax)", "\xdd\x20", 2, "plain r:rax; R108 [rax]" },
	{ __LINE__, "fnstcw (%rax)", "\xd9\x38", 2, "plain r:rax; W2 [rax]" },
	{ __LINE__, "ldmxcsr (%rax)", "\x0f\xae\x10", 3, "plain r:rax; R4 [rax]" },
	{ __LINE__, "fcomi %st(1)", "\xdb\xf1", 2, "plain fw:CPAZSO" },
	{ __LINE__, "cmpsd $1,(%rax),%xmm0", "\xf2\x0f\xc2\x00\x01", 5, "plain r:rax; R8 [rax]" },
	{ __LINE__, "movsd (%rax),%xmm0", "\xf2\x0f\x10\x00", 4, "plain r:rax; R8 [rax]" },
	{ __LINE__, "movhpd (%rax),%xmm0", "\x66\x0f\x16\x00", 4, "plain r:rax; R8 [rax]" },
	{ __LINE__, "endbr64", "\xf3\x0f\x1e\xfa", 4, "plain" },
	{ __LINE__, "movdir64b (%rax),%rbx", "\x66\x0f\x38\xf8\x18", 5,
	  "plain r:rax:rbx; R64 [rax]; W64 [rbx]" },
	{ __LINE__, "enqcmd (%rax),%rbx", "\xf2\x0f\x38\xf8\x18", 5,
	  "plain r:rax:rbx fw:CPAZSO; R64 [rax]" },
	{ __LINE__, "umonitor %rax", "\xf3\x0f\xae\xf0", 4, "plain r:rax" },
	{ __LINE__, "monitor", "\x0f\x01\xc8", 3, "plain r:rax:rcx:rdx" },
	{ __LINE__, "mwait", "\x0f\x01\xc9", 3, "plain r:rax:rcx" },
	{ __LINE__, "pause", "\xf3\x90", 2, "plain" },
	{ __LINE__, "cld", "\xfc", 1, "plain fw:D" },
	{ __LINE__, "std", "\xfd", 1, "plain fw:D" },
	{ __LINE__, "lahf", "\x9f", 1, "plain r:rax w:rax fr:CPAZS" },
	{ __LINE__, "sahf", "\x9e", 1, "plain r:rax fw:CPAZS" },
	{ __LINE__, "bt %rax,(%rbx)", "\x48\x0f\xa3\x03", 4,
	  "refused (bit string in memory) r:rax:rbx fw:CPASO; R8 [rbx]" },
	{ __LINE__, "bts %eax,(%rbx)", "\x0f\xab\x03", 3,
	  "refused (bit string in memory) r:rax:rbx fw:CPASO; RW4 [rbx]" },
	{ __LINE__, "bt $5,(%rbx)", "\x0f\xba\x23\x05", 4, "plain r:rbx fw:CPASO; R4 [rbx]" },
	{ __LINE__, "pextrw $1,%xmm0,(%rax)", "\x66\x0f\x3a\x15\x00\x01", 6,
	  "plain r:rax; W2 [rax]" },
	{ __LINE__, "aeskeygenassist $1,(%rax),%xmm0", "\x66\x0f\x3a\xdf\x00\x01", 6,
	  "plain r:rax; R16 [rax]" },
	{ __LINE__, "pcmpistri $1,(%rax),%xmm0", "\x66\x0f\x3a\x63\x00\x01", 6,
	  "plain r:rax w:rcx fw:CPAZSO; R16 [rax]" },
	{ __LINE__, "popcnt (%rax),%rbx", "\xf3\x48\x0f\xb8\x18", 5,
	  "plain r:rax w:rbx fw:CPAZSO; R8 [rax]" },
	{ __LINE__, "bextr %rax,(%rbx),%rcx", "\xc4\xe2\xf8\xf7\x0b", 5,
	  "plain r:rax:rbx w:rcx fw:CPAZSO; R8 [rbx]" },
	{ __LINE__, "mulx (%rax),%rbx,%rcx", "\xc4\xe2\xe3\xf6\x08", 5,
	  "plain r:rax:rdx w:rcx:rbx; R8 [rax]" },
	{ __LINE__, "rorx $1,%rax,%rbx", "\xc4\xe3\xfb\xf0\xd8\x01", 6, "plain r:rax w:rbx" },
	{ __LINE__, "shlx %rax,%rbx,%rcx", "\xc4\xe2\xf9\xf7\xcb", 5, "plain r:rax:rbx w:rcx" },
	{ __LINE__, "crc32b (%rax),%ebx", "\xf2\x0f\x38\xf0\x18", 5,
	  "plain r:rax:rbx w:rbx; R1 [rax]" },
	{ __LINE__, "movbe (%rax),%ebx", "\x0f\x38\xf0\x18", 4, "plain r:rax w:rbx; R4 [rax]" },
	{ __LINE__, "adcx %rax,%rbx", "\x66\x48\x0f\x38\xf6\xd8", 6,
	  "plain r:rax:rbx w:rbx fr:C fw:C" },
	{ __LINE__, "lock cmpxchg %ebx,(%rax)", "\xf0\x0f\xb1\x18", 4,
	  "plain r:rax:rbx w:rax fw:CPAZSO; RW4 [rax]" },
	{ __LINE__, "sgdt (%rax)", "\x0f\x01\x00", 3, "plain r:rax; W10 [rax]" },
	{ __LINE__, "verr (%rax)", "\x0f\x00\x20", 3, "plain r:rax fw:Z; R2 [rax]" },
	{ __LINE__, "lar %ax,%bx", "\x66\x0f\x02\xd8", 4, "plain r:rax:rbx w:rbx fw:Z" },
	{ __LINE__, "lsl %ax,%bx", "\x66\x0f\x03\xd8", 4, "plain r:rax:rbx w:rbx fw:Z" },
	{ __LINE__, "rdrand %rax", "\x48\x0f\xc7\xf0", 4, "plain w:rax fw:CPAZSO" },
	{ __LINE__, "incl (%rax)", "\xff\x00", 2, "plain r:rax fw:PAZSO; RW4 [rax]" },
	{ __LINE__, "verw (%rax)", "\x0f\x00\x28", 3, "plain r:rax fw:Z; R2 [rax]" },
	{ __LINE__, "mov %fs,%ax", "\x66\x8c\xe0", 3, "plain r:rax w:rax" },
	{ __LINE__, "mov %ax,%fs", "\x8e\xe0", 2, "refused (sets the thread pointer) r:rax" },
	{ __LINE__, "str %eax", "\x0f\x00\xc8", 3, "plain w:rax" },
	{ __LINE__, "notrack jmp *%rax", "\x3e\xff\xe0", 3, "jump* r:rax" },
	{ __LINE__, "jmp *%rax", "\xff\xe0", 2, "jump* r:rax" },
	{ __LINE__, "jmp *(%rax,%rbx,8)", "\xff\x24\xd8", 3, "jump* r:rax:rbx; R8 [rax+rbx*8]" },
	{ __LINE__, "vpconflictd (%rax),%zmm1{%k1}", "\x62\xf2\x7d\x49\xc4\x08", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vzeroupper", "\xc5\xf8\x77", 3, "plain" },
	{ __LINE__, "tzcnt (%rax),%rbx", "\xf3\x48\x0f\xbc\x18", 5,
	  "plain r:rax w:rbx fw:CPAZSO; R8 [rax]" },
	{ __LINE__, "blsr %rax,%rbx", "\xc4\xe2\xe0\xf3\xc8", 5, "plain r:rax w:rbx fw:CPAZSO" },
	{ __LINE__, "senduipi %rax", "\xf3\x0f\xc7\xf0", 4, "plain r:rax" },
	{ __LINE__, "wrpkru", "\x0f\x01\xef", 3, "plain r:rax:rcx:rdx" },
	{ __LINE__, "rdpkru", "\x0f\x01\xee", 3, "plain r:rcx w:rax:rdx" },
	{ __LINE__, "ptwrite %rax", "\xf3\x48\x0f\xae\xe0", 5, "plain r:rax" },
	{ __LINE__, "rdpid %rax", "\xf3\x0f\xc7\xf8", 4, "plain w:rax" },
	{ __LINE__, "serialize", "\x0f\x01\xe8", 3, "plain" },
	{ __LINE__, "vp4dpwssd (%rax), %zmm0, %zmm1", "\x62\xf2\x7f\x48\x52\x08", 6,
	  "plain r:rax; R16 [rax]" },
	{ __LINE__, "kmovq (%rax),%k1", "\xc4\xe1\xf8\x90\x08", 5, "plain r:rax; R8 [rax]" },
	{ __LINE__, "movabs 0x1122334455667788,%rax", "\x48\xa1\x88\x77\x66\x55\x44\x33\x22\x11",
	  10, "plain w:rax; R8 [+1234605616436508552]" },
	{ __LINE__, "movabs %al,0x1122334455667788", "\xa2\x88\x77\x66\x55\x44\x33\x22\x11", 9,
	  "plain r:rax; W1 [+1234605616436508552]" },
	{ __LINE__, "movsb %fs:(%rsi),%es:(%rdi)", "\x64\xa4", 2,
	  "plain r:rsi:rdi w:rsi:rdi fr:D; W1 [rdi]; R1 [fs:rsi]" },
	{ __LINE__, "rep movsl %gs:(%rsi),%es:(%rdi)", "\xf3\x65\xa5", 3,
	  "plain r:rcx:rsi:rdi w:rcx:rsi:rdi fr:D; rep W4 [rdi]; rep R4 [gs:rsi]" },
	{ __LINE__, "rep lodsq", "\xf3\x48\xad", 3,
	  "plain r:rax:rcx:rsi w:rax:rcx:rsi fr:D; rep R8 [rsi]" },
	{ __LINE__, "lodsq", "\x48\xad", 2, "plain r:rsi w:rax:rsi fr:D; R8 [rsi]" },
	{ __LINE__, "scasw", "\x66\xaf", 2, "plain r:rax:rdi w:rdi fr:D fw:CPAZSO; R2 [rdi]" },
	{ __LINE__, "rep insb", "\xf3\x6c", 2, "plain r:rcx:rdx:rdi w:rcx:rdi fr:D; rep W1 [rdi]" },
	{ __LINE__, "rep outsb", "\xf3\x6e", 2,
	  "plain r:rcx:rdx:rsi w:rcx:rsi fr:D; rep R1 [rsi]" },
	{ __LINE__, "addr32 rep stosb", "\x67\xf3\xaa", 3,
	  "refused (string instruction with 32-bit addresses) r:rax:rcx:rdi w:rcx:rdi fr:D; rep W1 [rdi]32" },
	{ __LINE__, "addr32 lodsb", "\x67\xac", 2,
	  "refused (string instruction with 32-bit addresses) r:rax:rsi w:rax:rsi fr:D; R1 [rsi]32" },
	{ __LINE__, "pop %rsp", "\x5c", 1, "plain r:rsp w:rsp; stack R8 [rsp]" },
	{ __LINE__, "push %rsp", "\x54", 1, "plain r:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, "push %fs", "\x0f\xa0", 2, "plain r:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, "pop %fs", "\x0f\xa1", 2,
	  "refused (sets the thread pointer) r:rsp w:rsp; stack R8 [rsp]" },
	{ __LINE__, "push $5", "\x6a\x05", 2, "plain r:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, "pushw %ax", "\x66\x50", 2, "plain r:rax:rsp w:rsp; stack W2 [rsp-2]" },
	{ __LINE__, "popw %ax", "\x66\x58", 2, "plain r:rax:rsp w:rax:rsp; stack R2 [rsp]" },
	{ __LINE__, "pushfw", "\x66\x9c", 2, "plain r:rsp w:rsp fr:CPAZSOD; stack W2 [rsp-2]" },
	{ __LINE__, "push 8(%rsp)", "\xff\x74\x24\x08", 4,
	  "plain r:rsp w:rsp; R8 [rsp+8]; stack W8 [rsp-8]" },
	{ __LINE__, "pop 8(%rsp,%rax,2)", "\x8f\x44\x44\x08", 4,
	  "plain r:rax:rsp w:rsp; W8 [rsp+rax*2+16]; stack R8 [rsp]" },
	{ __LINE__, "call *8(%rsp)", "\xff\x54\x24\x08", 4,
	  "call* r:rsp w:rsp; R8 [rsp+8]; stack W8 [rsp-8]" },
	{ __LINE__, "nop", "\x90", 1, "plain" },
	{ __LINE__, "xchg %ax,%ax", "\x66\x90", 2, "plain" },
	{ __LINE__, "xchg %eax,%eax", "\x87\xc0", 2, "plain r:rax w:rax" },
	{ __LINE__, "xchg %al,%ah", "\x86\xe0", 2, "plain r:rax w:rax" },
	{ __LINE__, "rdsspq %rax", "\xf3\x48\x0f\x1e\xc8", 5, "plain r:rax w:rax" },
	{ __LINE__, "rdsspd %eax", "\xf3\x0f\x1e\xc8", 4, "plain r:rax w:rax" },
	{ __LINE__, "incsspq %rax", "\xf3\x48\x0f\xae\xe8", 5, "plain r:rax" },
	{ __LINE__, "rep ret", "\xf3\xc3", 2, "return r:rsp w:rsp; stack R8 [rsp]" },
	{ __LINE__, ".byte 0x66 0xe8,0,0,0,0", "\x66\xe8\x00\x00\x00\x00", 6,
	  "refused (transfer with an operand-size prefix) to 1006 r:rsp w:rsp; stack W8 [rsp-8]" },
	{ __LINE__, ".byte 0x66 0xc3", "\x66\xc3", 2,
	  "refused (transfer with an operand-size prefix) r:rsp w:rsp; stack R8 [rsp]" },
	{ __LINE__, ".byte 0x66,0x75,0x00", "\x66\x75\x00", 3,
	  "refused (transfer with an operand-size prefix) to 1003 fr:Z" },
	{ __LINE__, ".byte 0x66,0xff,0xe0", "\x66\xff\xe0", 3,
	  "refused (transfer with an operand-size prefix) r:rax" },
	{ __LINE__, "ud1 (%rax),%eax", "\x0f\xb9\x00", 3, "stop r:rax" },
	{ __LINE__, ".byte 0xf1", "\xf1", 1, "stop" },
	{ __LINE__, "loope .", "\xe1\xfe", 2, "branch to 1000 r:rcx w:rcx fr:Z" },
	{ __LINE__, "loopne .", "\xe0\xfe", 2, "branch to 1000 r:rcx w:rcx fr:Z" },
	{ __LINE__, "jbe .", "\x76\xfe", 2, "branch to 1000 fr:CZ" },
	{ __LINE__, "js .", "\x78\xfe", 2, "branch to 1000 fr:S" },
	{ __LINE__, "jp .", "\x7a\xfe", 2, "branch to 1000 fr:P" },
	{ __LINE__, "jg .", "\x7f\xfe", 2, "branch to 1000 fr:ZSO" },
	{ __LINE__, "vpdpbusd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\x50\x10", 6,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vdpbf16ps (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x76\x49\x52\x10", 6,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vcvtpd2psx (%rax),%xmm2{%k1}", "\x62\xf1\xfd\x09\x5a\x10", 6,
	  "plain r:rax; masked R8x2 k1 [rax]" },
	{ __LINE__, "vcvtpd2psy (%rax),%xmm2{%k1}", "\x62\xf1\xfd\x29\x5a\x10", 6,
	  "plain r:rax; masked R8x4 k1 [rax]" },
	{ __LINE__, "vcvtps2pd (%rax),%xmm2{%k1}", "\x62\xf1\x7c\x09\x5a\x10", 6,
	  "plain r:rax; masked R4x2 k1 [rax]" },
	{ __LINE__, "vcvttpd2dqx (%rax),%xmm2{%k1}", "\x62\xf1\xfd\x09\xe6\x10", 6,
	  "plain r:rax; masked R8x2 k1 [rax]" },
	{ __LINE__, "vpsllw (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\xf1\x10", 6,
	  "plain r:rax; R16 [rax]" },
	{ __LINE__, "vpsllw $1,(%rax),%zmm2{%k1}", "\x62\xf1\x6d\x49\x71\x30\x01", 7,
	  "plain r:rax; masked R2x32 k1 [rax]" },
	{ __LINE__, "vpslld (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\xf2\x10", 6,
	  "plain r:rax; R16 [rax]" },
	{ __LINE__, "vpsllvd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\x47\x10", 6,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vfmulcph (%rax),%zmm1,%zmm2{%k1}", "\x62\xf6\x76\x49\xd6\x10", 6,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vfmaddcsh (%rax),%xmm1,%xmm2{%k1}", "\x62\xf6\x76\x09\x57\x10", 6,
	  "plain r:rax; masked R4x1 k1 [rax]" },
	{ __LINE__, "vaddph (%rax),%zmm1,%zmm2{%k1}", "\x62\xf5\x74\x49\x58\x10", 6,
	  "plain r:rax; masked R2x32 k1 [rax]" },
	{ __LINE__, "vmovsh (%rax),%xmm1{%k1}", "\x62\xf5\x7e\x09\x10\x08", 6,
	  "plain r:rax; masked R2x1 k1 [rax]" },
	{ __LINE__, "vfmulcph (%rax){1to16},%zmm1,%zmm2{%k1}", "\x62\xf6\x76\x59\xd6\x10", 6,
	  "plain r:rax; R4 [rax]" },
	{ __LINE__, "vpmovwb %zmm1,(%rax){%k1}", "\x62\xf2\x7e\x49\x30\x08", 6,
	  "plain r:rax; masked W1x32 k1 [rax]" },
	{ __LINE__, "vpmovsqb %xmm1,(%rax){%k1}", "\x62\xf2\x7e\x09\x22\x08", 6,
	  "plain r:rax; masked W1x2 k1 [rax]" },
	{ __LINE__, "vpmovsxbq (%rax),%xmm1{%k1}", "\x62\xf2\x7d\x09\x22\x08", 6,
	  "plain r:rax; masked R1x2 k1 [rax]" },
	{ __LINE__, "vpmaddwd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\xf5\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpunpckhbw (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\x68\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpackssdw (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\x6b\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "valignq $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\xf5\x49\x03\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vshuff64x2 $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\xf5\x49\x23\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpermilpd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\x0d\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpermilpd $1,(%rax),%zmm2{%k1}", "\x62\xf3\xfd\x49\x05\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpermb (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\x8d\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpermi2w (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\x75\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpshufd $1,(%rax),%zmm2{%k1}", "\x62\xf1\x7d\x49\x70\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vmovshdup (%rax),%zmm2{%k1}", "\x62\xf1\x7e\x49\x16\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vunpcklps (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x74\x49\x14\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpternlogd $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\x75\x49\x25\x10\x01", 7,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vgf2p8affineqb $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\xf5\x49\xce\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vgf2p8mulb (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\xcf\x10", 6,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vdbpsadbw $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\x75\x49\x42\x10\x01", 7,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpshufbitqmb (%rax),%zmm1,%k2{%k1}", "\x62\xf2\x75\x49\x8f\x10", 6,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vptestmb (%rax),%zmm1,%k2{%k1}", "\x62\xf2\x75\x49\x26\x10", 6,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vpcmpub $1,(%rax),%zmm1,%k2{%k1}", "\x62\xf3\x75\x49\x3e\x10\x01", 7,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vfpclasspdz $1,(%rax),%k2{%k1}", "\x62\xf3\xfd\x49\x66\x10\x01", 7,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vfpclasssd $1,(%rax),%k2{%k1}", "\x62\xf3\xfd\x09\x67\x10\x01", 7,
	  "plain r:rax; masked R8x1 k1 [rax]" },
	{ __LINE__, "vcmpsd $1,(%rax),%xmm1,%k2{%k1}", "\x62\xf1\xf7\x09\xc2\x10\x01", 7,
	  "plain r:rax; masked R8x1 k1 [rax]" },
	{ __LINE__, "vpblendmd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\x75\x49\x64\x10", 6,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vblendmpd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\x65\x10", 6,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vpabsb (%rax),%zmm2{%k1}", "\x62\xf2\x7d\x49\x1c\x10", 6,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vpavgb (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\xe0\x10", 6,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vpmullw (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\x75\x49\xd5\x10", 6,
	  "plain r:rax; masked R2x32 k1 [rax]" },
	{ __LINE__, "vpsadbw (%rax),%zmm1,%zmm2", "\x62\xf1\x75\x48\xf6\x10", 6,
	  "plain r:rax; R64 [rax]" },
	{ __LINE__, "vpmuludq (%rax),%zmm1,%zmm2{%k1}", "\x62\xf1\xf5\x49\xf4\x10", 6,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vpmadd52luq (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\xb4\x10", 6,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vpopcntb (%rax),%zmm2{%k1}", "\x62\xf2\x7d\x49\x54\x10", 6,
	  "plain r:rax; masked R1x64 k1 [rax]" },
	{ __LINE__, "vplzcntd (%rax),%zmm2{%k1}", "\x62\xf2\x7d\x49\x44\x10", 6,
	  "plain r:rax; masked R4x16 k1 [rax]" },
	{ __LINE__, "vpshldw $1,(%rax),%zmm1,%zmm2{%k1}", "\x62\xf3\xf5\x49\x70\x10\x01", 7,
	  "plain r:rax; masked R2x32 k1 [rax]" },
	{ __LINE__, "vpbroadcastb (%rax),%zmm1{%k1}", "\x62\xf2\x7d\x49\x78\x08", 6,
	  "plain r:rax; R1 [rax]" },
	{ __LINE__, "vbroadcasti32x4 (%rax),%zmm1{%k1}", "\x62\xf2\x7d\x49\x5a\x08", 6,
	  "plain r:rax; R16 [rax]" },
	{ __LINE__, "vbroadcastf32x2 (%rax),%zmm1{%k1}", "\x62\xf2\x7d\x49\x19\x08", 6,
	  "plain r:rax; R8 [rax]" },
	{ __LINE__, "vrcp14sd (%rax),%xmm1,%xmm2{%k1}", "\x62\xf2\xf5\x09\x4d\x10", 6,
	  "plain r:rax; masked R8x1 k1 [rax]" },
	{ __LINE__, "vrndscalesd $1,(%rax),%xmm1,%xmm2{%k1}", "\x62\xf3\xf5\x09\x0b\x10\x01", 7,
	  "plain r:rax; masked R8x1 k1 [rax]" },
	{ __LINE__, "vgetexppd (%rax),%zmm2{%k1}", "\x62\xf2\xfd\x49\x42\x10", 6,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vcvtph2ps (%rax),%zmm2{%k1}", "\x62\xf2\x7d\x49\x13\x10", 6,
	  "plain r:rax; masked R2x16 k1 [rax]" },
	{ __LINE__, "vcvtsd2ss (%rax),%xmm1,%xmm2{%k1}", "\x62\xf1\xf7\x09\x5a\x10", 6,
	  "plain r:rax; masked R8x1 k1 [rax]" },
	{ __LINE__, "vfmadd231pd (%rax),%zmm1,%zmm2{%k1}", "\x62\xf2\xf5\x49\xb8\x10", 6,
	  "plain r:rax; masked R8x8 k1 [rax]" },
	{ __LINE__, "vfmadd231sd (%rax),%xmm1,%xmm2{%k1}", "\x62\xf2\xf5\x09\xb9\x10", 6,
	  "plain r:rax; masked R8x1 k1 [rax]" },
	{ __LINE__, "vmovapd (%rax),%ymm2{%k1}", "\x62\xf1\xfd\x29\x28\x10", 6,
	  "plain r:rax; masked R8x4 k1 [rax]" },
	{ __LINE__, "vmovntpd %zmm1,(%rax)", "\x62\xf1\xfd\x48\x2b\x08", 6,
	  "plain r:rax; W64 [rax]" },
	{ __LINE__, "vextracti32x4 $1,%zmm1,(%rax){%k1}", "\x62\xf3\x7d\x49\x39\x08\x01", 7,
	  "plain r:rax; masked W4x4 k1 [rax]" },
	{ __LINE__, "vpexpandw (%rax),%zmm1{%k1}", "\x62\xf2\xfd\x49\x62\x08", 6,
	  "plain r:rax; packed R2x32 k1 [rax]" },
	{ __LINE__, "vcvtps2ph $1,%xmm1,(%rax){%k1}", "\x62\xf3\x7d\x09\x1d\x08\x01", 7,
	  "plain r:rax; masked W2x4 k1 [rax]" },
	{ __LINE__, "vmaskmovdqu %xmm1,%xmm2", "\xc5\xf9\xf7\xd1", 4,
	  "plain r:rdi; masked W1x16 v1.16 [rdi]" },
	{ __LINE__, "vpgatherdq (%rax,%xmm17,2),%ymm18{%k3}", "\x62\xe2\xfd\x23\x90\x14\x48", 7,
	  "plain r:rax; lanes R8x4 k3 [rax+v17.16/4*2]" },
	{ __LINE__, "vpscatterqd %ymm18,64(%rax,%zmm17,4){%k3}", "\x62\xe2\x7d\x43\xa1\x54\x88\x10",
	  8, "plain r:rax; lanes W4x8 k3 [rax+v17.64/8*4+64]" },
	{ __LINE__, "vgatherpf0dps (%rax,%zmm1,4){%k1}", "\x62\xf2\x7d\x49\xc6\x0c\x88", 7,
	  "plain r:rax" },
	{ __LINE__, "vscatterpf1qpd (%rax,%zmm1,8){%k1}", "\x62\xf2\xfd\x49\xc7\x34\xc8", 7,
	  "plain r:rax" },
	{ __LINE__, "vpgatherdd %ymm1,%fs:(,%ymm2,4),%ymm3",
	  "\x64\xc4\xe2\x75\x90\x1c\x95\x00\x00\x00\x00", 11,
	  "plain; lanes R4x8 v1 [fs:v2.32/4*4]" },
	{ __LINE__, "vgatherdpd %ymm1,%es:(%eax,%xmm2,8),%ymm3", "\x26\x67\xc4\xe2\xf5\x92\x1c\xd0",
	  8, "plain r:rax; lanes R8x4 v1 [rax+v2.16/4*8]32" },
	{ __LINE__, "aesenc128kl (%rax),%xmm0", "\xf3\x0f\x38\xdc\x00", 5,
	  "plain r:rax fw:CPAZSO; R48 [rax]" },
	{ __LINE__, "cldemote (%rax)", "\x0f\x1c\x00", 3, "plain" },
	{ __LINE__, "prefetchwt1 (%rax)", "\x0f\x0d\x10", 3, "plain r:rax" },
	{ __LINE__, "rcl $3,%eax", "\xc1\xd0\x03", 3, "plain r:rax w:rax fr:C fw:CO" },
	{ __LINE__, "rcl %cl,%eax", "\xd3\xd0", 2, "plain r:rax:rcx w:rax fr:C" },
	{ __LINE__, "rcr $1,%eax", "\xd1\xd8", 2, "plain r:rax w:rax fr:C fw:CO" },
	{ __LINE__, "rol $32,%eax", "\xc1\xc0\x20", 3, "plain r:rax w:rax" },
	{ __LINE__, "shr $64,%rax", "\x48\xc1\xe8\x40", 4, "plain r:rax w:rax" },
	{ __LINE__, "shrd $0,%rax,%rbx", "\x48\x0f\xac\xc3\x00", 5, "plain r:rax:rbx w:rbx" },
	{ __LINE__, "kortestw %k1,%k2", "\xc5\xf8\x98\xd1", 4, "plain fw:CPAZSO" },
	{ __LINE__, "ptest %xmm0,%xmm1", "\x66\x0f\x38\x17\xc8", 5, "plain fw:CPAZSO" },
	{ __LINE__, "fcmovb %st(1),%st", "\xda\xc1", 2, "plain fr:C" },
	{ __LINE__, "cmc", "\xf5", 1, "plain fr:C fw:C" },
	{ __LINE__, "clc", "\xf8", 1, "plain fw:C" },
	{ __LINE__, "adc %rax,%rbx", "\x48\x11\xc3", 3, "plain r:rax:rbx w:rbx fr:C fw:CPAZSO" },
	{ __LINE__, "neg %rax", "\x48\xf7\xd8", 3, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "not %rax", "\x48\xf7\xd0", 3, "plain r:rax w:rax" },
	{ __LINE__, "cmpxchg8b (%rax)", "\x0f\xc7\x08", 3,
	  "plain r:rax:rcx:rdx:rbx w:rax:rdx fw:Z; RW8 [rax]" },
	{ __LINE__, "cmpxchg %ebx,%ecx", "\x0f\xb1\xd9", 3,
	  "plain r:rax:rcx:rbx w:rax:rcx fw:CPAZSO" },
	{ __LINE__, "test %eax,%eax", "\x85\xc0", 2, "plain r:rax fw:CPAZSO" },
	{ __LINE__, "cdq", "\x99", 1, "plain r:rax w:rdx" },
	{ __LINE__, "cqo", "\x48\x99", 2, "plain r:rax w:rdx" },
	{ __LINE__, "cltq", "\x48\x98", 2, "plain r:rax w:rax" },
	{ __LINE__, "cbw", "\x66\x98", 2, "plain r:rax w:rax" },
	{ __LINE__, "idivb (%rax)", "\xf6\x38", 2, "plain r:rax w:rax fw:CPAZSO; R1 [rax]" },
	{ __LINE__, "imul $3,(%rax),%ebx", "\x6b\x18\x03", 3,
	  "plain r:rax w:rbx fw:CPAZSO; R4 [rax]" },
	{ __LINE__, "mulw %bx", "\x66\xf7\xe3", 3, "plain r:rax:rdx:rbx w:rax:rdx fw:CPAZSO" },
	{ __LINE__, "bswap %eax", "\x0f\xc8", 2, "plain r:rax w:rax" },
	{ __LINE__, "andn %eax,%ebx,%ecx", "\xc4\xe2\x60\xf2\xc8", 5,
	  "plain r:rax:rbx w:rcx fw:CPAZSO" },
	{ __LINE__, "pdep %rax,%rbx,%rcx", "\xc4\xe2\xe3\xf5\xc8", 5, "plain r:rax:rbx w:rcx" },
	{ __LINE__, "movzbl %ah,%eax", "\x0f\xb6\xc4", 3, "plain r:rax w:rax" },
	{ __LINE__, "movslq %eax,%rbx", "\x48\x63\xd8", 3, "plain r:rax w:rbx" },
	{ __LINE__, "movd %eax,%xmm0", "\x66\x0f\x6e\xc0", 4, "plain r:rax" },
	{ __LINE__, "movq %xmm0,%rax", "\x66\x48\x0f\x7e\xc0", 5, "plain w:rax" },
	{ __LINE__, "pextrq $1,%xmm0,%rbx", "\x66\x48\x0f\x3a\x16\xc3\x01", 7, "plain w:rbx" },
	{ __LINE__, "movmskpd %xmm0,%eax", "\x66\x0f\x50\xc0", 4, "plain w:rax" },
	{ __LINE__, "cvttsd2si %xmm0,%rax", "\xf2\x48\x0f\x2c\xc0", 5, "plain w:rax" },
	{ __LINE__, "kmovd %k1,%eax", "\xc5\xfb\x93\xc1", 4, "plain w:rax" },
	{ __LINE__, "umwait %eax", "\xf2\x0f\xae\xf0", 4, "plain r:rax:rdx fw:CPAZSO" },
	{ __LINE__, "tpause %eax", "\x66\x0f\xae\xf0", 4, "plain r:rax:rdx fw:CPAZSO" },
	{ __LINE__, "rdrand %ax", "\x66\x0f\xc7\xf0", 4, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "vmcall", "\x0f\x01\xc1", 3,
	  "refused (instruction for enclaves, hypervisors or special devices)" },
	{ __LINE__, "swapgs", "\x0f\x01\xf8", 3, "plain" },
	{ __LINE__, "stac", "\x0f\x01\xcb", 3, "plain" },
	{ __LINE__, "fxrstor (%rax)", "\x0f\xae\x08", 3, "plain r:rax; unknown R0 [rax]" },
	{ __LINE__, "xorb %al,%al", "\x30\xc0", 2, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "xorw %ax,%ax", "\x66\x31\xc0", 3, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "xor %rax,%rax", "\x48\x31\xc0", 3, "plain w:rax fw:CPAZSO" },
	{ __LINE__, "xor %eax,%ebx", "\x31\xc3", 2, "plain r:rax:rbx w:rbx fw:CPAZSO" },
	{ __LINE__, "and $0,%eax", "\x83\xe0\x00", 3, "plain r:rax w:rax fw:CPAZSO" },
	{ __LINE__, "lddqu (%rax),%xmm0", "\xf2\x0f\xf0\x00", 4, "plain r:rax; R16 [rax]" },
	{ __LINE__, "movntdq %xmm0,(%rax)", "\x66\x0f\xe7\x00", 4, "plain r:rax; W16 [rax]" },
	{ __LINE__, "movss %xmm0,(%rax)", "\xf3\x0f\x11\x00", 4, "plain r:rax; W4 [rax]" },
	{ __LINE__, "cvtsi2sdl (%rax),%xmm0", "\xf2\x0f\x2a\x00", 4, "plain r:rax; R4 [rax]" },
	{ __LINE__, "vpinsrb $1,(%rax),%xmm1,%xmm2", "\xc4\xe3\x71\x20\x10\x01", 6,
	  "plain r:rax; R1 [rax]" },
	{ __LINE__, "insertps $1,(%rax),%xmm0", "\x66\x0f\x3a\x21\x00\x01", 6,
	  "plain r:rax; R4 [rax]" },
	{ __LINE__, "leaq there(%rip),%rax", "\x48\x8d\x05\x21\x00\x00\x00", 7,
	  "plain to 1028 at 3 w:rax" },
	{ __LINE__, "cmpl $1,there(%rip)", "\x83\x3d\x1a\x00\x00\x00\x01", 7,
	  "plain to 1021 at 2 fw:CPAZSO; R4 [rip:1021]" },
	{ __LINE__, "jmp *there(%rip)", "\xff\x25\x14\x00\x00\x00", 6,
	  "jump* to 101a at 2; R8 [rip:101a]" },
	{ __LINE__, "call *there(%rip)", "\xff\x15\x0e\x00\x00\x00", 6,
	  "call* to 1014 at 2 r:rsp w:rsp; R8 [rip:1014]; stack W8 [rsp-8]" },
	{ __LINE__, ".byte 0x06", "\x06", 1, "refused (bytes that are no instruction)" },
	{ __LINE__, ".byte 0x0f,0x1a,0x00", "\x0f\x1a\x00", 3, "plain" },
	{ __LINE__, ".byte 0x0f,0x1b,0x04,0x18", "\x0f\x1b\x04\x18", 4, "plain" },
};

#define NR_ROWS (sizeof(rows) / sizeof(rows[0]))

TEST(code__every_field_of_every_kind)
{
	struct arena *arena = arena_new();
	struct text text;

	need_machine_code();
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + rows[i].length,
						    rows[i].bytes);

		if (code->nr_instructions != 1 || code->instructions[0].length != rows[i].length)
			test_fail(__FILE__, rows[i].line, "%s: %zu instructions", rows[i].name,
				  code->nr_instructions);
		if (strcmp(instruction_text(code, 0, &text), rows[i].expected))
			test_fail(__FILE__, rows[i].line, "%s is \"%s\"", rows[i].name, text.at);
		CHECK_INT(code->refusal != NULL, code->instructions[0].kind == CODE_REFUSED);
	}
	arena_free(arena);
}

TEST(code__accesses_by_vector_and_x87_registers_are_told)
{
	static const struct {
		int line;
		const char *name, *bytes;
		size_t length;
		bool is_float;
	} by[] = {
		{ __LINE__, "movsd (%rax),%xmm0", "\xf2\x0f\x10\x00", 4, true },
		{ __LINE__, "vmovupd %zmm1,(%rax){%k2}", "\x62\xf1\xfd\x4a\x11\x08", 6, true },
		{ __LINE__, "vaddpd 64(%rax),%zmm1,%zmm2", "\x62\xf1\xf5\x48\x58\x50\x01", 7,
		  true },
		{ __LINE__, "vgatherdpd %ymm1,(%rax,%xmm2,8),%ymm3", "\xc4\xe2\xf5\x92\x1c\xd0", 6,
		  true },
		{ __LINE__, "ucomisd (%rax),%xmm0", "\x66\x0f\x2e\x00", 4, true },
		{ __LINE__, "fldl (%rax)", "\xdd\x00", 2, true },
		{ __LINE__, "fstpt (%rax)", "\xdb\x38", 2, true },
		{ __LINE__, "faddl (%rax)", "\xdc\x00", 2, true },
		{ __LINE__, "movq (%rax),%mm0", "\x0f\x6f\x00", 3, true },
		{ __LINE__, "mov (%rax),%rbx", "\x48\x8b\x18", 3, false },
		{ __LINE__, "push %rbx", "\x53", 1, false },
		{ __LINE__, "rep movsb", "\xf3\xa4", 2, false },
		{ __LINE__, "lock xadd %eax,(%rbx)", "\xf0\x0f\xc1\x03", 4, false },
		{ __LINE__, "kmovw (%rax),%k1", "\xc5\xf8\x90\x08", 4, false },
		{ __LINE__, "fnstcw (%rax)", "\xd9\x38", 2, false },
		{ __LINE__, "ldmxcsr (%rax)", "\x0f\xae\x10", 3, false },
	};
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + by[i].length,
						    by[i].bytes);

		if (code->nr_instructions != 1 || !code->nr_accesses)
			test_fail(__FILE__, by[i].line, "%s: %zu instructions, %zu accesses",
				  by[i].name, code->nr_instructions, code->nr_accesses);
		for (size_t a = 0; a < code->nr_accesses; a++)
			if (code->accesses[a].is_float != by[i].is_float)
				test_fail(__FILE__, by[i].line, "%s is %sby such a register",
					  by[i].name, by[i].is_float ? "not " : "");
	}
	arena_free(arena);
}

struct flagged {
	int line;
	const char *name, *bytes;
	size_t length;
	bool flag;
};

/* Each is one instruction with one access, of which `flag_of` is as the row says. */
static void check_flag(const struct flagged *by, size_t nr,
		       bool (*flag_of)(const struct code_access *))
{
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < nr; i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + by[i].length,
						    by[i].bytes);

		if (code->nr_instructions != 1 || code->nr_accesses != 1 ||
		    flag_of(&code->accesses[0]) != by[i].flag)
			test_fail(__FILE__, by[i].line, "%s: %zu instructions, %zu accesses, %d",
				  by[i].name, code->nr_instructions, code->nr_accesses,
				  code->nr_accesses && flag_of(&code->accesses[0]));
	}
	arena_free(arena);
}

static bool is_non_temporal(const struct code_access *access)
{
	return access->non_temporal;
}

TEST(code__writes_past_the_caches_are_told)
{
	static const struct flagged by[] = {
		{ __LINE__, "movnti %rax,(%rbx)", "\x48\x0f\xc3\x03", 4, true },
		{ __LINE__, "movntpd %xmm0,(%rax)", "\x66\x0f\x2b\x00", 4, true },
		{ __LINE__, "movntdq %xmm0,(%rax)", "\x66\x0f\xe7\x00", 4, true },
		{ __LINE__, "vmovntpd %ymm0,(%rax)", "\xc5\xfd\x2b\x00", 4, true },
		{ __LINE__, "vmovntps %zmm0,(%rax)", "\x62\xf1\x7c\x48\x2b\x00", 6, true },
		{ __LINE__, "maskmovdqu %xmm1,%xmm0", "\x66\x0f\xf7\xc1", 4, true },
		{ __LINE__, "movntdqa (%rax),%xmm0", "\x66\x0f\x38\x2a\x00", 5, false },
		{ __LINE__, "movapd %xmm0,(%rax)", "\x66\x0f\x29\x00", 4, false },
		{ __LINE__, "mov %rax,(%rbx)", "\x48\x89\x03", 3, false },
	};

	check_flag(by, sizeof(by) / sizeof(by[0]), is_non_temporal);
}

static bool is_atomic(const struct code_access *access)
{
	return access->atomic;
}

TEST(code__atomic_instructions)
{
	static const struct flagged by[] = {
		{ __LINE__, "lock addq $1,(%rax)", "\xf0\x48\x83\x00\x01", 5, true },
		{ __LINE__, "lock xadd %rbx,(%rax)", "\xf0\x48\x0f\xc1\x18", 5, true },
		{ __LINE__, "lock cmpxchg %rbx,(%rcx)", "\xf0\x48\x0f\xb1\x19", 5, true },
		{ __LINE__, "xchg %rbx,(%rax)", "\x48\x87\x18", 3, true },
		{ __LINE__, "addq $1,(%rax)", "\x48\x83\x00\x01", 4, false },
		{ __LINE__, "mov %rbx,(%rax)", "\x48\x89\x18", 3, false },
	};

	check_flag(by, sizeof(by) / sizeof(by[0]), is_atomic);
}

/* All rows one after the other, as a function. */
static size_t all_rows(unsigned char *bytes)
{
	size_t nr = 0;

	for (size_t i = 0; i < NR_ROWS; i++) {
		memcpy(bytes + nr, rows[i].bytes, rows[i].length);
		nr += rows[i].length;
	}
	return nr;
}

/* By a direct jump, or as what follows another second reading. */
static bool is_led_to(const struct code *code, uintptr_t address)
{
	for (size_t i = 0; i < code->nr_instructions; i++)
		if (code->instructions[i].target == address ||
		    code->start + code->instructions[i].offset + code->instructions[i].length ==
			    address)
			return true;
	return false;
}

TEST(code__instructions_have_no_gaps_and_are_found)
{
	static unsigned char bytes[16 * NR_ROWS];
	struct arena *arena = arena_new();
	size_t nr = all_rows(bytes), offset = 0, accesses = 0;
	const struct code *code;

	need_machine_code();
	code = read_code(arena, (uintptr_t)bytes, (uintptr_t)bytes + nr, NULL);
	CHECK_THAT(code->nr_instructions, >=, NR_ROWS);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct code_instruction *at = code_at(code, code->start + offset), *within;

		CHECK(at && at->offset == offset);
		CHECK_INT(at->length, rows[i].length);
		CHECK_INT(at->first_access, accesses);
		for (size_t byte = 1; byte < rows[i].length; byte++) {
			within = code_at(code, code->start + offset + byte);
			CHECK(!within || (is_led_to(code, code->start + offset + byte) &&
					  within->offset == offset + byte));
		}
		offset += rows[i].length;
		accesses += at->nr_accesses;
	}
	CHECK_INT(offset, nr);
	CHECK_THAT(code->nr_accesses, >=, accesses);
	CHECK(!code_at(code, code->start - 1) && !code_at(code, code->end));
	CHECK(!memcmp(code->bytes, bytes, nr));
	arena_free(arena);
}

static const char *refusal_of(struct arena *arena, const char *bytes, size_t nr,
			      uintptr_t *address_out)
{
	const struct code *code = read_code(arena, 0x1000, 0x1000 + nr, bytes);

	*address_out = code->refusal_address;
	return code->refusal;
}

TEST(code__refuses_jumps_into_instructions)
{
	struct arena *arena = arena_new();
	uintptr_t address;

	need_machine_code();
	/*
	 * nop; je into mov $…,%eax, where an instruction begins that is longer; or one that cannot
	 * be copied, or none
	 */
	CHECK_STR(refusal_of(arena, "\x90\x74\x04\xb8\x01\x02\x03\x48\x90\x90\x90", 11, &address),
		  "jump into the middle of an instruction");
	CHECK_INT(address, 0x1007);
	CHECK_STR(refusal_of(arena, "\x90\x74\x04\xb8\x01\x02\x03\xd7\x90\x90\x90", 11, &address),
		  "xlat");
	CHECK_STR(refusal_of(arena, "\x90\x74\x04\xb8\x01\x02\x03\x06\x90\x90\x90", 11, &address),
		  "bytes that are no instruction");
	CHECK_INT(address, 0x1007);
	CHECK(!refusal_of(arena, "\x90\x74\x00\xf0\x0f\xb1\x18", 7, &address));
	/* leaves the function */
	CHECK(!refusal_of(arena, "\x90\x74\x7f\xf0\x0f\xb1\x18", 7, &address));
	CHECK_STR(refusal_of(arena, "\xe8\x00\x00\x00\x00\x58", 6, &address),
		  "call that takes its own address");
	arena_free(arena);
}

/* Every row as bytes from … to, kind and accesses; rows of no length as where they lead. */
static const char *rows_of(const struct code *code, struct text *text)
{
	text->length = 0;
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];

		if (!at->length) {
			CHECK_INT(at->kind, CODE_JUMP);
			add(text, "%sto %x", i ? ", " : "",
			    (unsigned int)(at->target - code->start));
			continue;
		}
		add(text, "%s%x-%x %s", i ? ", " : "", at->offset, at->offset + at->length,
		    kind_names[at->kind]);
		for (unsigned int j = 0; j < at->nr_accesses; j++)
			add_access(text, &code->accesses[at->first_access + j]);
		CHECK_THAT(code_at(code, code->start + at->offset), ==, at);
	}
	return text->at;
}

TEST(code__reads_again_where_jumps_lead_into_instructions)
{
	static const struct {
		int line;
		const char *bytes;
		size_t length;
		const char *rows;
	} cases[] = {
		/* nop; je past the lock of lock cmpxchg %ebx,(%rax); ret */
		{ __LINE__, "\x90\x74\x01\xf0\x0f\xb1\x18\xc3", 8,
		  "0-1 plain, 1-3 branch, 3-7 plain; RW4 [rax], to 7, 4-7 plain; RW4 [rax], 7-8 return; stack R8 [rsp]" },
		/* the same, from behind, across a line, at the function's end */
		{ __LINE__,
		  "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x74\x03\x74\x00\xf0\x0f\xb1\x18",
		  21,
		  "0-1 plain, 1-2 plain, 2-3 plain, 3-4 plain, 4-5 plain, 5-6 plain, 6-7 plain, 7-8 plain, 8-9 plain, 9-a plain, a-b plain, b-c plain, "
		  "c-d plain, d-f branch, f-11 branch, 11-15 plain; RW4 [rax], to 15, 12-15 plain; RW4 [rax]" },
		/* two prefixes, jumps past one and past both: xacquire lock xadd %ecx,(%rdi) */
		{ __LINE__, "\x74\x03\x75\x02\xf2\xf0\x0f\xc1\x0f", 9,
		  "0-2 branch, 2-4 branch, 4-9 plain; RW4 [rdi], to 9, 5-9 plain; RW4 [rdi], to 9, 6-9 plain; RW4 [rdi]" },
		/*
		 * in mov $…,%eax: a jump into mov $…,%cl that follows; each is read until the
		 * other's end
		 */
		{ __LINE__, "\x74\x01\xb8\x74\x01\x90\x90\xb1\x90", 9,
		  "0-2 branch, 2-7 plain, to 7, 3-5 branch, 5-6 plain, 6-7 plain, 7-9 plain" },
		/* … and one into it */
		{ __LINE__, "\x74\x01\xb8\x74\x03\x90\x90\xb1\x90", 9,
		  "0-2 branch, 2-7 plain, to 7, 3-5 branch, 5-6 plain, 6-7 plain, 7-9 plain, to 9, 8-9 plain" },
	};
	struct arena *arena = arena_new();
	struct text text;

	need_machine_code();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + cases[i].length,
						    cases[i].bytes);

		CHECK(!code->refusal);
		if (strcmp(rows_of(code, &text), cases[i].rows))
			test_fail(__FILE__, cases[i].line, "rows are %s", text.at);
	}
	arena_free(arena);
}

/* Data read as code: more places to begin anew than any code has. */
TEST(code__gives_up_reading_again)
{
	static unsigned char bytes[12 * 100];
	struct arena *arena = arena_new();
	uintptr_t address;

	need_machine_code();
	for (size_t i = 0; i < sizeof(bytes); i += 12)
		memcpy(bytes + i, "\x74\x01\xb8\x90\x90\x90\x90\x90\x90\x90\x90\x90", 12);
	CHECK(!refusal_of(arena, (const char *)bytes, 12 * 64, &address));
	CHECK_STR(refusal_of(arena, (const char *)bytes, 12 * 65, &address),
		  "jump into the middle of an instruction");
	CHECK_STR(refusal_of(arena, (const char *)bytes, sizeof(bytes), &address),
		  "jump into the middle of an instruction");
	arena_free(arena);
}

TEST(code__goes_on_behind_bytes_that_are_no_instruction)
{
	struct arena *arena = arena_new();
	const struct code *code;

	need_machine_code();
	/* the last one is cut off */
	code = read_code(arena, 0x1000, 0x1006, "\x90\x06\x90\xc3\x48\x8b");
	CHECK_INT(code->nr_instructions, 6);
	CHECK_INT(code->refusal_address, 0x1001);
	CHECK_INT(code->instructions[1].kind, CODE_REFUSED);
	CHECK_INT(code->instructions[3].kind, CODE_RETURN);
	CHECK_INT(code->instructions[4].kind, CODE_REFUSED);
	arena_free(arena);
}

TEST(code__reads_the_bytes_it_is_given)
{
	struct arena *arena = arena_new();
	const struct code *code;
	const char *why = NULL;

	need_machine_code();
	code = read_code(arena, (uintptr_t)rows, (uintptr_t)rows + 2, "\x90\xc3");
	CHECK_INT(code->instructions[1].kind, CODE_RETURN);
	CHECK_INT(code->bytes[1], 0xc3);
	CHECK(!code_read(arena, 0x1000, 0x1000, NULL, &why));
	CHECK_STR(why, "not a function's bounds");
	arena_free(arena);
}

/* What only adds a constant to a register of 64 bits, and what does more, or less. */
TEST(code__steps)
{
	static const struct {
		const char *bytes;
		size_t length;
		int32_t step;
	} steps[] = {
		{ "\x48\x83\xc0\x08", 4, 8 },                 /* add $8,%rax */
		{ "\x48\x05\x00\x00\x00\x80", 6, INT32_MIN }, /* add $-2^31,%rax */
		{ "\x48\x2d\x00\x00\x00\x80", 6, 0 },         /* sub $-2^31,%rax */
		{ "\x48\x83\xec\x28", 4, -40 },               /* sub $40,%rsp */
		{ "\x48\x83\xe8\x80", 4, 128 },               /* sub $-128,%rax */
		{ "\x49\xff\xc3", 3, 1 },
		{ "\x49\xff\xcb", 3, -1 },                /* inc, dec %r11 */
		{ "\x48\x8d\x40\xf8", 4, -8 },            /* lea -8(%rax),%rax */
		{ "\x48\x8d\x41\xf8", 4, 0 },             /* lea -8(%rcx),%rax */
		{ "\x48\x8d\x44\x08\xf8", 5, 0 },         /* lea -8(%rax,%rcx),%rax */
		{ "\x67\x48\x8d\x40\xf8", 5, 0 },         /* lea -8(%eax),%rax */
		{ "\x8d\x40\xf8", 3, 0 },                 /* lea -8(%rax),%eax */
		{ "\x48\x8d\x05\x08\x00\x00\x00", 7, 0 }, /* lea 8(%rip),%rax */
		/* add $8,%eax, which clears the upper half */
		{ "\x83\xc0\x08", 3, 0 },
		{ "\x48\x01\xc8", 3, 0 },     /* add %rcx,%rax */
		{ "\x48\x83\x00\x08", 4, 0 }, /* addq $8,(%rax) */
		{ "\x48\x83\xd0\x08", 4, 0 }, /* adc $8,%rax */
		{ "\x48\x8b\x40\x08", 4, 0 }, /* mov 8(%rax),%rax */
		{ "\x50", 1, 0 },
		{ "\x48\xff\x00", 3, 0 }, /* push %rax, incq (%rax) */
	};
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + steps[i].length,
						    steps[i].bytes);

		CHECK_INT(code->nr_instructions, 1);
		CHECK_INT(code->instructions[0].step, steps[i].step);
		CHECK(!steps[i].step || __builtin_popcount(code->instructions[0].writes) == 1);
	}
	arena_free(arena);
}

/* What only sets a register to a register plus a constant. */
TEST(code__counts)
{
	static const struct {
		const char *bytes;
		size_t length;
		bool counts;
	} counting[] = {
		{ "\x48\x83\xc0\x08", 4, true },              /* add $8,%rax */
		{ "\x83\xc0\x08", 3, true },                  /* add $8,%eax */
		{ "\x83\xe9\x01", 3, true },                  /* sub $1,%ecx */
		{ "\xff\xc1", 2, true },                      /* inc %ecx */
		{ "\x45\x8d\x43\x01", 4, true },              /* lea 1(%r11),%r8d */
		{ "\x48\x8d\x41\xf8", 4, true },              /* lea -8(%rcx),%rax */
		{ "\x45\x89\xc3", 3, true },                  /* mov %r8d,%r11d */
		{ "\x48\x89\xc8", 3, true },                  /* mov %rcx,%rax */
		{ "\x66\x83\xc0\x08", 4, false },             /* add $8,%ax */
		{ "\x01\xc8", 2, false },                     /* add %ecx,%eax */
		{ "\x6b\xc0\x03", 3, false },                 /* imul $3,%eax,%eax */
		{ "\x8d\x04\x0a", 3, false },                 /* lea (%rdx,%rcx),%eax */
		{ "\x48\x8d\x05\x08\x00\x00\x00", 7, false }, /* lea 8(%rip),%rax */
		{ "\x8b\x01", 2, false },                     /* mov (%rcx),%eax */
		{ "\x83\x00\x08", 3, false },                 /* addl $8,(%rax) */
		{ "\x83\xd0\x08", 3, false },                 /* adc $8,%eax */
		{ "\x48\x8c\xd8", 3, false },                 /* mov %ds,%rax */
	};
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < sizeof(counting) / sizeof(counting[0]); i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + counting[i].length,
						    counting[i].bytes);

		CHECK_INT(code->nr_instructions, 1);
		CHECK_INT(code->instructions[0].counts, counting[i].counts);
	}
	arena_free(arena);
}

/* What only sets a register to a sum of registers and a constant. */
TEST(code__sums)
{
	enum { RAX, RCX, RDX, NONE = CODE_NO_REGISTER };
	static const struct {
		const char *bytes;
		size_t length;
		struct code_sum sum;
	} sums[] = {
		/* lea -8(%rdx,%rcx,4),%rax */
		{ "\x48\x8d\x44\x8a\xf8", 5, { RDX, RCX, 4, -8 } },
		{ "\x48\x8d\x41\xf8", 4, { RCX, NONE, 1, -8 } }, /* lea -8(%rcx),%rax */
		/* lea 8(,%rcx,8),%rax */
		{ "\x48\x8d\x04\xcd\x08\x00\x00\x00", 8, { NONE, RCX, 8, 8 } },
		{ "\x48\x89\xc8", 3, { RCX, NONE, 1, 0 } },   /* mov %rcx,%rax */
		{ "\x48\x01\xc8", 3, { RAX, RCX, 1, 0 } },    /* add %rcx,%rax */
		{ "\x48\x8d\x05\x08\x00\x00\x00", 7, { 0 } }, /* lea 8(%rip),%rax */
		{ "\x67\x48\x8d\x04\x0a", 5, { 0 } },         /* lea (%edx,%ecx),%rax */
		{ "\x8d\x04\x0a", 3, { 0 } },                 /* lea (%rdx,%rcx),%eax */
		{ "\x89\xc8", 2, { 0 } },
		{ "\x01\xc8", 2, { 0 } },     /* mov, add %ecx,%eax */
		{ "\x48\x29\xc8", 3, { 0 } }, /* sub %rcx,%rax */
		{ "\x48\x11\xc8", 3, { 0 } }, /* adc %rcx,%rax */
		{ "\x48\x03\x01", 3, { 0 } }, /* add (%rcx),%rax */
		{ "\x48\x01\x08", 3, { 0 } }, /* add %rcx,(%rax) */
		{ "\x48\x8b\x01", 3, { 0 } }, /* mov (%rcx),%rax */
		{ "\x48\x8c\xd8", 3, { 0 } }, /* mov %ds,%rax */
		/* add $8,%rax, which is a step */
		{ "\x48\x83\xc0\x08", 4, { 0 } },
	};
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		const struct code_instruction *in = &read_code(arena, 0x1000,
							       0x1000 + sums[i].length,
							       sums[i].bytes)
							     ->instructions[0];

		CHECK_INT(in->sum.scale, sums[i].sum.scale);
		CHECK(!in->sum.scale ||
		      (in->sum.base == sums[i].sum.base && in->sum.index == sums[i].sum.index &&
		       __builtin_popcount(in->writes) == 1));
	}
	arena_free(arena);
}

static const struct {
	const char *bytes;
	uint8_t length;
	uint32_t constant;
} constants[] = {
	/* mov $0x401136, %ecx */
	{ "\xb9\x36\x11\x40\x00", 5, 0x401136 },
	/* mov $0x401136, %rcx */
	{ "\x48\xc7\xc1\x36\x11\x40\x00", 7, 0x401136 },
	{ "\x68\x36\x11\x40\x00", 5, 0x401136 }, /* push $0x401136 */
	/* movq $0x401136, 0x1000(%rip) */
	{ "\x48\xc7\x05\x00\x10\x00\x00\x36\x11\x40\x00", 11, 0x401136 },
	/* lea 0x401136, %rcx */
	{ "\x48\x8d\x0c\x25\x36\x11\x40\x00", 8, 0x401136 },
	/* lea 0x401136(%rip), %rcx */
	{ "\x48\x8d\x0d\x36\x11\x40\x00", 7, 0 },
	{ "\x48\x89\xc8", 3, 0 },
	{ "\x83\xc0\x40", 3, 0 },
	{ "\x90", 1, 0 },
};

TEST(code__constants)
{
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + constants[i].length,
						    constants[i].bytes);

		CHECK_INT(code->nr_instructions, 1);
		CHECK_INT(decode_constant(code->bytes, &code->instructions[0]),
			  constants[i].constant);
	}
	arena_free(arena);
}

TEST(code__tells_where_no_jump_leads)
{
	/* nop, jmp 0x2006, jne 0x1018, ret; at 0x1000 */
	static const char code[] = "\x90\xe9\x00\x10\x00\x00\x75\x10\xc3";
	const unsigned char *bytes = (const unsigned char *)code;

	need_machine_code();
	CHECK(decode_may_jump(bytes, 9, 0x1000, 0x2006, 0x2007));
	CHECK(decode_may_jump(bytes, 9, 0x1000, 0x1018, 0x1020));
	CHECK(!decode_may_jump(bytes, 9, 0x1000, 0x2007, 0x3000));
	CHECK(!decode_may_jump(bytes, 9, 0x1000, 0x1019, 0x1030));
	CHECK(!decode_may_jump(bytes, 5, 0x1000, 0x2006, 0x2007)); /* cut off */
	CHECK(decode_may_jump((const unsigned char *)"\xeb\x80", 2, 0x1000, 0xf82, 0xf83));
	/* mov, call, lea */
	CHECK(!decode_may_jump((const unsigned char *)"\xb8\x00\x10\x00\x00", 5, 0x1000, 0x2005,
			       0x2006));
	CHECK(!decode_may_jump((const unsigned char *)"\xe8\x00\x10\x00\x00", 5, 0x1000, 0x2005,
			       0x2006));
	CHECK(!decode_may_jump((const unsigned char *)"\x8d\x40\x80", 3, 0x1000, 0xf83, 0xf84));
}

TEST(code__says_why_it_reads_nothing)
{
	struct arena *arena = arena_new();
	const char *why = "";
	const struct code *code = code_read(arena, 0x1000, 0x1001, (const unsigned char *)"\xc3",
					    &why);

	CHECK_INT(code != NULL, decode_unsupported() == NULL);
	CHECK(code ? !why : why && !strcmp(why, decode_unsupported()));
	arena_free(arena);
}

static void *read_in_thread(void *ctx)
{
	struct arena *arena = arena_new();

	for (int i = 0; i < 300; i++) {
		const struct code *code = read_code(
			arena, 0x1000 + (uintptr_t)i * 0x1000, 0x1000 + (uintptr_t)i * 0x1000 + 22,
			"\x48\x8b\x05\x10\x00\x00\x00\xe8\x20\x00\x00\x00\x75\x02\x90\x90\xc3\xcc\xcc\xcc\xcc\xcc");
		const struct code_instruction *at = code->instructions;

		*(bool *)ctx &= at[0].target == code->start + 7 + 0x10 &&
				code->accesses[0].displacement == (int64_t)at[0].target &&
				at[1].target == code->start + 12 + 0x20 &&
				at[2].target == code->start + 14 + 2 && at[2].kind == CODE_BRANCH &&
				code_at(code, at[2].target)->kind == CODE_RETURN;
	}
	arena_free(arena);
	return NULL;
}

/*
 * Where it leads and what it accesses beside itself is told from where an instruction stands, be it
 * seen before or not, on any thread.
 */
TEST(code__the_same_bytes_elsewhere)
{
	pthread_t threads[4];
	bool right[4] = { true, true, true, true };

	need_machine_code();
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_create(&threads[i], NULL, read_in_thread, &right[i]));
	for (int i = 0; i < 4; i++)
		CHECK(!pthread_join(threads[i], NULL) && right[i]);
}

TEST(code__any_bytes_are_read_without_harm)
{
	enum { BYTES = 4096, ROUNDS = 400 };
	unsigned char *page = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	size_t decoded = 0, again = 0;

	need_machine_code();
	CHECK(page != MAP_FAILED);
	srandom(1);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		size_t nr = 1 + (size_t)random() % BYTES, covered = 0;
		const struct code *code;

		for (size_t i = 0; i < nr; i++)
			page[i] = (unsigned char)random();
		code = read_code(arena, (uintptr_t)page, (uintptr_t)page + nr, NULL);
		for (size_t i = 0; i < code->nr_instructions; i++) {
			const struct code_instruction *at = &code->instructions[i];

			if (at->offset < covered) {
				again++;
				continue;
			}
			CHECK_INT(at->offset, covered);
			covered += at->length;
			decoded += at->kind != CODE_REFUSED;
		}
		CHECK_INT(covered, nr);
		arena_free(arena);
	}
	CHECK(decoded > 100000 && again > 1000);
}

#if defined(__x86_64__)

/*
 * Masked operands against the CPU: an instruction whose set lanes are all in the last bytes of a
 * page does not fault when the page behind is missing; one with a lane more does.
 */
/* what stores have in every byte; none gives OLD_BYTE */
#define STORED_BYTE 0x55
#define OLD_BYTE 0xaa

static sigjmp_buf escape;

static void on_fault(int signal)
{
	siglongjmp(escape, signal);
}

/*
 * The signal that the instruction at `code` (and a return) got, 0: none. All that rows of masked
 * operands name is set.
 */
static int signal_of(const void *code, const void *address, uint64_t mask)
{
	int signal = sigsetjmp(escape, 1);

	if (signal)
		return signal;
	__asm__ volatile(
		"kmovq %1, %%k1\n kmovq %1, %%k2\n kmovq %1, %%k3\n vpbroadcastb %3, %%zmm1\n vmovdqa64 %%zmm1, %%zmm2\n call *%2"
		:
		: "a"(address), "d"(mask), "r"(code), "r"(STORED_BYTE)
		: "memory", "rcx", "cc", "xmm0", "xmm1", "xmm2", "xmm3");
	return 0;
}

struct page {
	unsigned char *end, *code;
};

static struct page page_before_nothing(void)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *pages = mmap(NULL, 2 * bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED && code != MAP_FAILED && !munmap(pages + bytes, bytes));
	return (struct page){ pages + bytes, code };
}

/*
 * Whether element `nr` in memory is one of those that a mask of lanes 0 and 2 (of one lane: 0)
 * stores.
 */
static bool is_stored(const struct code_access *access, unsigned int nr)
{
	unsigned int stored = access->lanes > 2 ? 2 : 1;

	return access->kind == CODE_ACCESS_PACKED ? nr < stored
						  : nr == 0 || (nr == 2 && access->lanes > 2);
}

static void check_stored(const struct row *row, const struct code_access *access,
			 const struct page *page)
{
	enum { BYTES = 128 };
	unsigned char *address = page->end - BYTES;

	memset(address, OLD_BYTE, BYTES);
	CHECK_INT(signal_of(page->code, address, 5), 0);
	for (unsigned int i = 0; i < BYTES; i++) {
		unsigned int nr = i / access->size;

		if ((address[i] != OLD_BYTE) != (nr < access->lanes && is_stored(access, nr)))
			test_fail(__FILE__, row->line, "%s: byte %u is %x", row->name, i,
				  address[i]);
	}
}

static void check_masked(const struct row *row, const struct code_access *access,
			 const struct page *page)
{
	bool packed = access->kind == CODE_ACCESS_PACKED;
	unsigned int lane = access->lanes > 2 ? 2 : access->lanes - 1;
	/* Packed elements lie side by side whatever their lanes. */
	uint64_t inside = packed ? 5 : (2ull << lane) - 1, none = 0,
		 all_but = packed ? 7 : inside << 1 | 1;
	unsigned char *address = page->end - (packed ? 2 : lane + 1) * access->size;

	if (signal_of(page->code, address, inside) || signal_of(page->code, page->end, none))
		test_fail(__FILE__, row->line, "%s faults inside of its set lanes", row->name);
	if (signal_of(page->code, page->end - access->lanes * access->size, UINT64_MAX))
		test_fail(__FILE__, row->line, "%s has more lanes", row->name);
	if (access->lanes > lane + 1 && signal_of(page->code, address, all_but) != SIGSEGV)
		test_fail(__FILE__, row->line, "%s does not fault behind its set lanes", row->name);
	if (signal_of(page->code, address + 1, inside) != SIGSEGV)
		test_fail(__FILE__, row->line, "%s does not fault in a set lane", row->name);
}

static void check_whole(const struct row *row, const struct code_access *access,
			const struct page *page, bool always)
{
	if (signal_of(page->code, page->end - access->size, UINT64_MAX))
		test_fail(__FILE__, row->line, "%s faults inside of its %u bytes", row->name,
			  access->size);
	if (signal_of(page->code, page->end - access->size + 1, UINT64_MAX) != SIGSEGV)
		test_fail(__FILE__, row->line, "%s takes less than %u bytes", row->name,
			  access->size);
	if (always && signal_of(page->code, page->end - access->size + 1, 1) != SIGSEGV)
		test_fail(__FILE__, row->line, "%s takes less where less lanes are set", row->name);
}

TEST(code__masked_operands_are_what_the_cpu_takes)
{
	struct arena *arena = arena_new();
	struct page page = page_before_nothing();
	size_t masked = 0, whole = 0, missing = 0;

	need_machine_code();
	if (!__builtin_cpu_supports("avx512bw"))
		test_skip("the CPU has no AVX-512");
	CHECK(signal(SIGSEGV, on_fault) != SIG_ERR && signal(SIGILL, on_fault) != SIG_ERR);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct row *row = &rows[i];
		const struct code *code = read_code(arena, 0x1000, 0x1000 + row->length,
						    row->bytes);
		const struct code_access *access = code->accesses;

		if (!strstr(row->name, "(%rax)") || !strstr(row->name, "{%k") ||
		    code->nr_accesses != 1 || !strncmp(row->name, "vmova", 5))
			continue; /* aligned moves fault anywhere */
		memcpy(page.code, row->bytes, row->length);
		page.code[row->length] = 0xc3;
		if (signal_of(page.code, page.end - 64, 0) == SIGILL) {
			missing++;
		} else if (access->kind == CODE_ACCESS_PLAIN) {
			check_whole(row, access, &page,
				    !strstr(row->name, "{1to") && !strstr(row->name, "broadcast"));
			whole++;
		} else {
			if (access->write)
				check_stored(row, access, &page);
			else
				check_masked(row, access, &page);
			masked++;
		}
	}
	printf("%zu masked, %zu taken as a whole, %zu not known to this CPU\n", masked, whole,
	       missing);
	CHECK(masked > 30 && whole > 10);
	arena_free(arena);
}

/* What gathers and scatters take: registers 1 (mask, if it is a vector) and 2 (indices). */
struct vectors {
	_Alignas(64) unsigned char mask[64], indices[64];
};

static int signal_with(const void *code, const void *address, uint64_t mask,
		       const struct vectors *vectors)
{
	int signal = sigsetjmp(escape, 1);

	if (signal)
		return signal;
	__asm__ volatile(
		"kmovq %1, %%k1\n vmovdqa64 (%3), %%zmm1\n vmovdqa64 64(%3), %%zmm2\n call *%2"
		:
		: "a"(address), "d"(mask), "r"(code), "r"(vectors)
		: "memory", "rcx", "cc", "xmm0", "xmm1", "xmm2", "xmm3");
	return 0;
}

/* Lane i has index i; the mask has what `mask` has. */
static struct vectors vectors_for(const struct code_access *access, uint64_t mask)
{
	struct vectors vectors = { .mask = { 0 } };

	for (unsigned int i = 0; i < 64 / access->index_size; i++)
		vectors.indices[i * access->index_size] = (unsigned char)i;
	for (unsigned int i = 0; i < 64 / access->size; i++)
		if (mask >> i & 1)
			memset(vectors.mask + i * access->size, 0xff, access->size);
	return vectors;
}

static void check_lanes(const struct row *row, const struct code_access *access,
			const struct page *page)
{
	unsigned int last = access->lanes > 2 ? 2 : access->lanes - 1;
	uint64_t set = (2ull << last) - 1, beyond = UINT64_MAX << access->lanes,
		 more = set << 1 | 1;
	unsigned char *address = page->end - access->size - last * access->scale;
	struct vectors inside = vectors_for(access, set | beyond),
		       one_more = vectors_for(access, more);

	if (signal_with(page->code, address, set | beyond, &inside))
		test_fail(__FILE__, row->line, "%s faults inside of its set lanes", row->name);
	if (signal_with(page->code, address + 1, set, &inside) != SIGSEGV)
		test_fail(__FILE__, row->line, "%s does not fault in a set lane", row->name);
	if (access->lanes > last + 1 &&
	    signal_with(page->code, address, more, &one_more) != SIGSEGV)
		test_fail(__FILE__, row->line, "%s does not fault behind its set lanes", row->name);
}

TEST(code__gathers_and_scatters_are_what_the_cpu_takes)
{
	struct arena *arena = arena_new();
	struct page page = page_before_nothing();
	size_t nr = 0;

	need_machine_code();
	if (!__builtin_cpu_supports("avx512bw"))
		test_skip("the CPU has no AVX-512");
	CHECK(signal(SIGSEGV, on_fault) != SIG_ERR && signal(SIGILL, on_fault) != SIG_ERR);
	for (size_t i = 0; i < NR_ROWS; i++) {
		const struct code *code = read_code(arena, 0x1000, 0x1000 + rows[i].length,
						    rows[i].bytes);
		const struct code_access *access = code->accesses;

		if (code->nr_accesses != 1 || access->kind != CODE_ACCESS_LANES ||
		    access->base != 0 || access->index_vector != 2 || access->address_32)
			continue;
		memcpy(page.code, rows[i].bytes, rows[i].length);
		page.code[rows[i].length] = 0xc3;
		CHECK_INT(access->mask, 1);
		check_lanes(&rows[i], access, &page);
		nr++;
	}
	CHECK_THAT(nr, >=, 8);
	arena_free(arena);
}

#endif
