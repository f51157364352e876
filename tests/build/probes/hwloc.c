/* libhwloc-dev: -ldl */
#include <dlfcn.h>
#include <hwloc.h>
int main(void) { return dlopen("libhwloc.so.15", RTLD_NOW) == 0 || HWLOC_API_VERSION < 0x00020100; }
