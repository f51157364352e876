/* SPDX-License-Identifier: Apache-2.0 */
/* The screen of `memsearch watch`: a text that scrolls, drawn anew when the record or the size changes. */
#include "analysis/cmds/watch_screen.h"

#ifndef HAVE_NCURSES

const char *watch_screen_unsupported(void)
{
	return "built without ncurses (libncurses-dev)";
}

bool watch_screen_run(struct watch_record *record)
{
	(void)record;
	return false;
}

#else

#include <curses.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/watch_record.h"
#include "analysis/cmds/watch_state.h"
#include "analysis/report/text.h"

#define POLL_MS 200
#define LEAST_WIDTH 40

const char *watch_screen_unsupported(void)
{
	return NULL;
}

static const char *line_at(const char *text, int number)
{
	while (number-- > 0 && text && *text) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

static int nr_lines(const char *text)
{
	int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* The lines from `top` on, and below them what the keys do. Returns `top` within the text. */
static int draw(const struct watch_record *record, int top)
{
	struct arena *arena = arena_new();
	int rows = LINES > 1 ? LINES - 1 : 1, most;
	const char *line;
	struct text out;

	if (!arena)
		return top;
	text_init(&out, arena);
	watch_state_print(&out, record->run, !record->ended,
			  COLS > LEAST_WIDTH ? COLS : LEAST_WIDTH);
	most = nr_lines(out.bytes) - rows;
	top = top > most ? most : top;
	top = top < 0 ? 0 : top;
	erase();
	line = line_at(out.bytes, top);
	for (int row = 0; row < rows && line && *line; row++, line = line_at(line, 1))
		mvaddnstr(row, 0, line, (int)strcspn(line, "\n"));
	attron(A_REVERSE);
	mvaddnstr(LINES - 1, 0,
		  record->ended ? " ended   up, down: scroll   q: quit "
				: " up, down: scroll   q: quit, the program continues ",
		  COLS);
	attroff(A_REVERSE);
	refresh();
	arena_free(arena);
	return top;
}

static int scrolled(int key, int top)
{
	int page = LINES > 2 ? LINES - 2 : 1;

	switch (key) {
	case KEY_UP: return top - 1;
	case KEY_DOWN: return top + 1;
	case KEY_PPAGE: return top - page;
	case KEY_NPAGE: return top + page;
	case KEY_HOME: return 0;
	default: return top;
	}
}

bool watch_screen_run(struct watch_record *record)
{
	SCREEN *screen;
	int key = KEY_RESIZE, top = 0;

	setlocale(LC_CTYPE, "");
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	curs_set(0);
	timeout(POLL_MS);
	while (key != 'q' && key != 'Q') {
		bool changed = !record->ended && watch_record_read(record);

		if (changed || key != ERR || record->ended)
			top = draw(record, scrolled(key, top));
		key = getch();
	}
	endwin();
	delscreen(screen);
	return true;
}

#endif
