/* libncurses-dev: -lncursesw -ltinfo */
#include <curses.h>
int main(void) { return newterm(0, stdout, stdin) == 0 || endwin() == ERR; }
