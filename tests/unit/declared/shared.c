/* SPDX-License-Identifier: Apache-2.0 */
/* A library's variables, which the linker copies into a program that is not position-independent. */
double shared_field[64] = { 1 };
int shared_count = 3;
