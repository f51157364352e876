/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a shared library that end with a construct; see tails.c. */
int counted;

void library_tail(void)
{
#pragma omp parallel /* @PARALLEL:library_tail */
	counted |= 1;
}

void library_chain(void)
{
	counted += 2;
	library_tail();
}
