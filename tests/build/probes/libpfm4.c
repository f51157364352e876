/* libpfm4-dev: -lpfm */
#include <perfmon/pfmlib_perf_event.h>
int main(void) { return pfm_initialize() != PFM_SUCCESS; }
