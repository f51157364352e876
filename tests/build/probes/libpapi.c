/* libpapi-dev: -ldl */
#include <papi.h>
int main(void) { return PAPI_VER_CURRENT == 0; }
