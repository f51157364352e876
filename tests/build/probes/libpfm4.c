/* libpfm4-dev: -ldl */
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
int main(void) { return dlopen("libpfm.so.4", RTLD_NOW) == 0 || PFM_PMU_MAX == 0; }
