/* libomp-19-dev:  */
#include <omp-tools.h>
int main(void) { return (int)ompt_thread_initial - 1; }
