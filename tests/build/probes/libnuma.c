/* libnuma-dev: -ldl */
#include <dlfcn.h>
#include <numaif.h>
int main(void) { return dlopen("libnuma.so.1", RTLD_NOW) == 0 || MPOL_MF_MOVE == 0; }
