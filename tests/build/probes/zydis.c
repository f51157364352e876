/* libzydis-dev: -lZydis */
#include <Zydis/Zydis.h>
int main(void) { return ZydisGetVersion() < ZYDIS_VERSION; }
