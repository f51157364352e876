/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of one kind of instruction each, up to AVX2, that compilers emit seldom or not at all.
 * They get memory as prepare.h fills it in rdi, and a seed.
 */
extern const int differential_generated;
const int differential_generated = 1;

#define KIND(name, code) \
	__attribute__((naked)) void kind_##name(unsigned char *memory, unsigned long seed) \
	{ \
		__asm__(code "\n ret"); \
	}

/* all ones in each second lane of 32 bits, in ymm1; of 64 bits, in ymm2 */
#define MASKS \
	"vpcmpeqd %ymm1, %ymm1, %ymm1\n vpsllq $32, %ymm1, %ymm1\n vpcmpeqd %xmm2, %xmm2, %xmm2\n vpslldq $8, %xmm2, %xmm2\n"
/* 0, 4, 8 … in ymm3 (32 bits) and 0, 4, 8, 12 in ymm4 (64 bits) */
#define INDICES \
	"mov $4, %eax\n vmovd %eax, %xmm3\n vpslldq $4, %xmm3, %xmm3\n vmovd %eax, %xmm4\n vpslldq $8, %xmm4, %xmm4\n"

KIND(gather_dword, MASKS INDICES "vpgatherdd %ymm1, 64(%rdi,%ymm3,4), %ymm0")
KIND(gather_single, MASKS INDICES "vgatherdps %xmm1, (%rdi,%xmm3,2), %xmm0")
KIND(gather_double, MASKS INDICES "vgatherdpd %ymm2, (%rdi,%xmm3,8), %ymm0")
KIND(gather_quad, MASKS INDICES "vpgatherqq %ymm2, (%rdi,%ymm4,8), %ymm0")
KIND(gather_narrow, MASKS INDICES "vgatherqps %xmm1, (%rdi,%ymm4,8), %xmm0")
KIND(gather_nothing,
     INDICES "vpxor %xmm1, %xmm1, %xmm1\n vpgatherdd %ymm1, 64(%rdi,%ymm3,4), %ymm0")
KIND(masked_load_single, MASKS "vmaskmovps 36(%rdi), %ymm1, %ymm0")
KIND(masked_load_double, MASKS "vmaskmovpd 36(%rdi), %xmm2, %xmm0")
KIND(masked_load_dword, MASKS "vpmaskmovd 36(%rdi), %xmm1, %xmm0")
KIND(masked_load_quad, MASKS "vpmaskmovq 36(%rdi), %ymm2, %ymm0")
KIND(masked_store_single, MASKS "vmaskmovps %ymm0, %ymm1, 36(%rdi)")
KIND(masked_store_double, MASKS "vmaskmovpd %ymm0, %ymm2, 36(%rdi)")
KIND(masked_store_dword, MASKS "vpmaskmovd %xmm0, %xmm1, 36(%rdi)")
KIND(masked_store_quad, MASKS "vpmaskmovq %ymm0, %ymm2, 36(%rdi)")
KIND(masked_store_bytes, MASKS "maskmovdqu %xmm1, %xmm0")
KIND(masked_load_nothing, "vpxor %xmm1, %xmm1, %xmm1\n vmaskmovps (%rdi), %ymm1, %ymm0")

KIND(movs, "lea 100(%rdi), %rsi\n movsb\n movsw\n movsl\n movsq")
KIND(stos, "stosb\n stosw\n stosl\n stosq")
KIND(lods, "mov %rdi, %rsi\n lodsb\n lodsw\n lodsl\n lodsq")
KIND(scas, "scasb\n scasw\n scasl\n scasq")
KIND(cmps, "lea 100(%rdi), %rsi\n cmpsb\n cmpsw\n cmpsl\n cmpsq")
KIND(rep_movs, "lea 100(%rdi), %rsi\n mov $7, %ecx\n rep movsl\n xor %ecx, %ecx\n rep movsb")
KIND(rep_stos, "mov $9, %ecx\n rep stosq")
KIND(rep_lods, "mov %rdi, %rsi\n mov $5, %ecx\n rep lodsb")
KIND(rep_scas, "mov $200, %ecx\n xor %eax, %eax\n repne scasb")
KIND(rep_cmps, "lea 16(%rdi), %rsi\n mov $200, %ecx\n repe cmpsw")
KIND(backwards, "add $400, %rdi\n lea 8(%rdi), %rsi\n mov $6, %ecx\n std\n rep movsw\n stosl\n cld")

KIND(push_memory, "pushq 8(%rdi)\n popq 24(%rdi)")
KIND(push_others, "push $1\n pushf\n push %rsp\n pop %rax\n popf\n pop %rax\n pushw %ax\n popw %dx")
KIND(pop_to_stack,
     "sub $64, %rsp\n push %rdi\n popq 16(%rsp)\n pushq 16(%rsp)\n pop %rdi\n add $64, %rsp")
KIND(frame, "push %rbp\n mov %rsp, %rbp\n sub $40, %rsp\n leave\n enter $32, $0\n leave")
KIND(red_zone, "mov %rdi, -8(%rsp)\n mov -8(%rsp), %rax\n movq $3, -120(%rsp)")

KIND(bit_registers,
     "mov $5, %eax\n bt %eax, %edi\n bts %rax, %rdx\n btr %ax, %dx\n btc %eax, %edx\n bt $3, %edx\n bts $40, %rdx")
KIND(bit_memory, "btl $3, (%rdi)\n btsq $40, 8(%rdi)\n btrw $5, 16(%rdi)\n btcl $1, 24(%rdi)")
KIND(locked,
     "lock addl $3, (%rdi)\n lock incq 8(%rdi)\n lock negb 16(%rdi)\n lock notw 24(%rdi)\n lock xorl %eax, 32(%rdi)\n lock btsl $3, 40(%rdi)\n lock decl 44(%rdi)")
KIND(exchange,
     "xchg %rax, (%rdi)\n xchg %al, 9(%rdi)\n xadd %rax, 16(%rdi)\n lock xadd %edx, 24(%rdi)")
KIND(compare_exchange,
     "mov (%rdi), %rax\n cmpxchg %rdx, (%rdi)\n xor %eax, %eax\n cmpxchg %edx, 9(%rdi)\n mov 16(%rdi), %rax\n lock cmpxchg %rdx, 16(%rdi)\n mov $99, %eax\n lock cmpxchg %edx, 33(%rdi)")
KIND(compare_exchange_double,
     "push %rbx\n xor %eax, %eax\n xor %edx, %edx\n cmpxchg8b (%rdi)\n lock cmpxchg8b 8(%rdi)\n cmpxchg16b 16(%rdi)\n lock cmpxchg16b 32(%rdi)\n pop %rbx")

KIND(carry,
     "adcl %eax, (%rdi)\n sbbq $1, 8(%rdi)\n rclb $1, 16(%rdi)\n rcrl $3, 20(%rdi)\n rolw $2, 24(%rdi)\n sarq %cl, 32(%rdi)\n shldl $3, %eax, 40(%rdi)\n shrdq %cl, %rax, 48(%rdi)")
KIND(one_operand,
     "incl (%rdi)\n decb 4(%rdi)\n negq 8(%rdi)\n notw 16(%rdi)\n mull 20(%rdi)\n imulq 24(%rdi)\n imul $3, 32(%rdi), %eax\n imul 40(%rdi), %rax")
KIND(divide,
     "xor %edx, %edx\n mov $9, %eax\n orl $1, (%rdi)\n divl (%rdi)\n xor %edx, %edx\n orq $1, 8(%rdi)\n idivq 8(%rdi)")
KIND(bits,
     "bsf (%rdi), %eax\n bsr 8(%rdi), %rax\n popcnt 16(%rdi), %ax\n lzcnt 24(%rdi), %eax\n tzcnt 32(%rdi), %rax\n andn 40(%rdi), %rax, %rdx\n bextr %eax, 44(%rdi), %edx\n blsr 48(%rdi), %rdx\n pdep 56(%rdi), %rax, %rdx\n rorx $3, 64(%rdi), %rax\n shlx %rax, 72(%rdi), %rdx\n mulx 80(%rdi), %rax, %rcx")
KIND(conditional,
     "test %edi, %edi\n setz (%rdi)\n cmovzl 4(%rdi), %eax\n cmovnzq 8(%rdi), %rax\n setnz 16(%rdi)")
KIND(extend,
     "movzbl (%rdi), %eax\n movzwl 1(%rdi), %eax\n movsbq 3(%rdi), %rax\n movswl 4(%rdi), %eax\n movslq 8(%rdi), %rax\n movbe 16(%rdi), %eax\n movbe %rax, 24(%rdi)")
KIND(checksum, "crc32b (%rdi), %eax\n crc32l 4(%rdi), %eax\n crc32q 8(%rdi), %rax")
KIND(test_compare, "testl $3, (%rdi)\n cmpb $3, 4(%rdi)\n cmpq %rax, 8(%rdi)\n cmp 16(%rdi), %ax")
KIND(idle,
     "lea 5(%rdi,%rsi,4), %rax\n prefetcht0 (%rdi)\n prefetchnta 64(%rdi)\n prefetchw 128(%rdi)\n nopl 8(%rdi)\n mfence")
KIND(non_temporal,
     "movnti %eax, (%rdi)\n movntdq %xmm0, 16(%rdi)\n vmovntps %ymm0, 32(%rdi)\n movntdqa 16(%rdi), %xmm1\n movntpd %xmm0, 64(%rdi)")

KIND(halves,
     "movlps (%rdi), %xmm0\n movhps 8(%rdi), %xmm0\n movlpd %xmm0, 16(%rdi)\n movhpd %xmm0, 24(%rdi)\n movddup 32(%rdi), %xmm1\n movshdup 48(%rdi), %xmm1\n lddqu 65(%rdi), %xmm2\n movd 80(%rdi), %xmm3\n movq %xmm3, 88(%rdi)\n movss 96(%rdi), %xmm0\n movsd %xmm0, 104(%rdi)")
KIND(insert_extract,
     "pinsrb $3, (%rdi), %xmm0\n pinsrw $1, 2(%rdi), %xmm0\n pinsrd $2, 4(%rdi), %xmm0\n pinsrq $1, 8(%rdi), %xmm0\n pextrb $3, %xmm0, 16(%rdi)\n pextrw $1, %xmm0, 18(%rdi)\n pextrd $2, %xmm0, 20(%rdi)\n pextrq $1, %xmm0, 24(%rdi)\n extractps $2, %xmm0, 32(%rdi)\n insertps $0x10, 36(%rdi), %xmm0")
KIND(convert,
     "cvtsi2sdl (%rdi), %xmm0\n cvtsi2ssq 8(%rdi), %xmm0\n cvttsd2si 16(%rdi), %eax\n cvtss2sd 24(%rdi), %xmm0\n cvtps2pd 32(%rdi), %xmm0\n cvtdq2pd 40(%rdi), %xmm0\n cvtpd2ps 48(%rdi), %xmm0\n cvtdq2ps 64(%rdi), %xmm0\n vcvtps2pd 80(%rdi), %ymm0\n vcvtdq2pd 96(%rdi), %ymm0\n vcvtpd2psy 128(%rdi), %xmm0\n vcvtph2ps 160(%rdi), %ymm0\n vcvtps2ph $0, %ymm0, 176(%rdi)")
KIND(arithmetic,
     "addsd (%rdi), %xmm0\n mulss 8(%rdi), %xmm0\n addpd 16(%rdi), %xmm0\n sqrtss 32(%rdi), %xmm0\n sqrtpd 48(%rdi), %xmm0\n rcpps 64(%rdi), %xmm0\n rsqrtss 80(%rdi), %xmm0\n maxsd 88(%rdi), %xmm0\n cmpeqps 96(%rdi), %xmm0\n ucomisd 112(%rdi), %xmm0\n roundsd $1, 120(%rdi), %xmm0\n roundps $2, 128(%rdi), %xmm0")
KIND(packed,
     "paddd (%rdi), %xmm0\n pshufd $3, 16(%rdi), %xmm0\n punpcklbw 32(%rdi), %xmm0\n pmaddwd 48(%rdi), %xmm0\n psadbw 64(%rdi), %xmm0\n pshufb 80(%rdi), %xmm0\n phaddd 96(%rdi), %xmm0\n psllq 112(%rdi), %xmm0\n pcmpgtq 128(%rdi), %xmm0\n mpsadbw $1, 144(%rdi), %xmm0\n pmovzxbd 160(%rdi), %xmm0\n pmovsxbq 164(%rdi), %xmm0\n ptest 176(%rdi), %xmm0\n unpckhps 192(%rdi), %xmm0\n haddps 208(%rdi), %xmm0\n dpps $0xff, 224(%rdi), %xmm0\n pblendw $3, 240(%rdi), %xmm0\n blendvps %xmm0, 256(%rdi), %xmm1\n shufpd $1, 272(%rdi), %xmm0\n packuswb 288(%rdi), %xmm0\n pclmulqdq $0, 304(%rdi), %xmm0\n aesenc 320(%rdi), %xmm0")
KIND(text,
     "pcmpistri $0, (%rdi), %xmm0\n pcmpistrm $0, 16(%rdi), %xmm0\n pcmpestri $0, 32(%rdi), %xmm0\n pcmpestrm $0, 48(%rdi), %xmm0")
KIND(wide,
     "vaddpd (%rdi), %ymm0, %ymm0\n vmovups 33(%rdi), %ymm1\n vmovdqu %ymm1, 65(%rdi)\n vpaddd 97(%rdi), %ymm0, %ymm0\n vpsllvd 128(%rdi), %ymm0, %ymm0\n vpermd 160(%rdi), %ymm0, %ymm0\n vperm2f128 $1, 192(%rdi), %ymm0, %ymm0\n vpmovzxbw 224(%rdi), %ymm0\n vptest 256(%rdi), %ymm0\n vblendvps %ymm0, 288(%rdi), %ymm1, %ymm2\n vhaddpd 320(%rdi), %ymm0, %ymm0\n vpsllq 352(%rdi), %ymm0, %ymm0\n vpermq $3, 384(%rdi), %ymm0\n vpermilps $3, 416(%rdi), %ymm0\n vdpps $0xff, 448(%rdi), %ymm0, %ymm0\n vsqrtps 480(%rdi), %ymm0")
KIND(broadcast,
     "vbroadcastss (%rdi), %ymm0\n vbroadcastsd 8(%rdi), %ymm0\n vbroadcastf128 16(%rdi), %ymm0\n vpbroadcastb 32(%rdi), %xmm0\n vpbroadcastw 34(%rdi), %ymm0\n vpbroadcastd 36(%rdi), %ymm0\n vpbroadcastq 40(%rdi), %ymm0\n vbroadcasti128 48(%rdi), %ymm0\n vmovddup 64(%rdi), %ymm0")
KIND(parts,
     "vinsertf128 $1, (%rdi), %ymm0, %ymm0\n vextractf128 $1, %ymm0, 16(%rdi)\n vinserti128 $0, 32(%rdi), %ymm0, %ymm0\n vextracti128 $0, %ymm0, 48(%rdi)\n vmovlps 64(%rdi), %xmm0, %xmm0\n vmovhpd %xmm0, 72(%rdi)\n vpinsrd $1, 80(%rdi), %xmm0, %xmm0\n vzeroupper")
KIND(fused_packed,
     "vfmadd231pd (%rdi), %xmm0, %xmm1\n vfmadd213ps 16(%rdi), %xmm0, %xmm1\n vfnmadd132pd 32(%rdi), %ymm0, %ymm1\n vfmsub231ps 64(%rdi), %ymm0, %ymm1\n vfmaddsub213pd 96(%rdi), %ymm0, %ymm1")
KIND(fused_single, "vfmadd231sd (%rdi), %xmm0, %xmm1\n vfnmsub213ss 16(%rdi), %xmm0, %xmm1")
KIND(control, "stmxcsr (%rdi)\n ldmxcsr (%rdi)\n fnstcw 8(%rdi)\n fldcw 8(%rdi)\n fnstsw 12(%rdi)")

KIND(x87_load,
     "flds (%rdi)\n fldl 8(%rdi)\n fldt 16(%rdi)\n filds 32(%rdi)\n fildl 36(%rdi)\n fildll 40(%rdi)\n fninit")
KIND(x87_store,
     "fld1\n fsts (%rdi)\n fstl 8(%rdi)\n fists 16(%rdi)\n fistl 20(%rdi)\n fld1\n fstpt 32(%rdi)\n fld1\n fistpll 48(%rdi)\n fisttpl 56(%rdi)\n fninit")
KIND(x87_arithmetic,
     "fld1\n fadds (%rdi)\n fmull 8(%rdi)\n fiadds 16(%rdi)\n fisubl 20(%rdi)\n fcoms 24(%rdi)\n fdivrl 32(%rdi)\n fninit")
