/* libdw-dev: -ldw -lelf */
#include <elfutils/libdwfl.h>
int main(void) { return dwfl_begin == 0; }
