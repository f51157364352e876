# SPDX-License-Identifier: Apache-2.0
# Prints the texts of files, one a line, as "FILE:LINE: TEXT", for check-words.sh: paragraphs of Markdown without code, lines of
# manual pages, string literals (`want` is "strings") or comments ("comments") of C and of property files.
FNR == 1 { flush(); fenced = in_comment = 0; kind = FILENAME ~ /\.md$/ ? "md" : FILENAME ~ /\.1$/ ? "man" : "code" }

function flush() {
	if (text != "")
		print from ":" start ": " text
	text = ""
}
function add(words) {
	if (text == "") {
		from = FILENAME
		start = FNR
	}
	text = text " " words
}

kind == "md" && /^```/ { flush(); fenced = !fenced; next }
kind == "md" && (fenced || /^    /) { flush(); next }
kind == "md" && (/^$/ || /^[-*|#]/) { flush() }
kind == "md" { gsub(/`[^`]*`/, ""); add($0); next }

kind == "man" && /^\.\\"/ { next }
kind == "man" { gsub(/\\f[BIRP]/, ""); gsub(/\\/, ""); add($0); flush(); next }

/^#include/ { next }
{ code($0) }

# The rest of a line from a place outside of comments and strings on.
function code(rest) {
	if (in_comment) {
		if (!(place = index(rest, "*/"))) {
			if (want == "comments")
				add(rest)
			return
		}
		if (want == "comments") {
			add(substr(rest, 1, place - 1))
			flush()
		}
		in_comment = 0
		rest = substr(rest, place + 2)
	}
	while (match(rest, /\/\*|\/\/|"|'/)) {
		begin = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		if (begin == "/*") {
			in_comment = 1
			code(rest)
			return
		} else if (begin == "//") {
			if (want == "comments") {
				add(rest)
				flush()
			}
			return
		} else {
			match(rest, begin == "'" ? "^([^'\\\\]|\\\\.)*'" : "^([^\"\\\\]|\\\\.)*\"")
			if (RLENGTH < 1)
				return
			if (want == "strings" && begin != "'") {
				add(substr(rest, 1, RLENGTH - 1))
				flush()
			}
			rest = substr(rest, RLENGTH + 1)
		}
	}
}
END { flush() }
