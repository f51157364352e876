/* libsqlite3-dev: -lsqlite3 */
#include <sqlite3.h>
int main(void) { return sqlite3_libversion_number() < 3000000; }
