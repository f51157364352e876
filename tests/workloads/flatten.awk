# SPDX-License-Identifier: Apache-2.0
# JSON, any layout, to one line a value: "findings/0/region/line<TAB>27". Objects and arrays only as paths.
{ text = text $0 "\n" }

function blank() { sub(/^[ \t\r\n]+/, "", text) }

# A string keeps its escapes; what is compared here has none.
function string(    length_) {
	match(text, /^"([^"\\]|\\.)*"/)
	length_ = RLENGTH
	if (length_ < 2) bad("string")
	taken = substr(text, 2, length_ - 2)
	text = substr(text, length_ + 1)
	return taken
}

function bad(what) {
	print "malformed JSON: " what " before '" substr(text, 1, 30) "'" > "/dev/stderr"
	failed = 1
	exit 3
}

function value(path,    nr, key, first) {
	blank()
	first = substr(text, 1, 1)
	if (first == "\"") {
		print path "\t" string()
	} else if (first == "{" || first == "[") {
		text = substr(text, 2)
		blank()
		for (nr = 0; substr(text, 1, 1) !~ /[\]}]/; nr++) {
			if (nr && substr(text, 1, 1) != ",") bad("element")
			if (nr) { text = substr(text, 2); blank() }
			key = nr
			if (first == "{") {
				key = string()
				blank()
				if (substr(text, 1, 1) != ":") bad("member")
				text = substr(text, 2)
			}
			value(path == "" ? key : path "/" key)
			blank()
			if (text == "") bad("end")
		}
		text = substr(text, 2)
	} else {
		if (!match(text, /^(true|false|null|-?[0-9.]+([eE][-+]?[0-9]+)?)/)) bad("value")
		print path "\t" substr(text, 1, RLENGTH)
		text = substr(text, RLENGTH + 1)
	}
}

END {
	if (failed) exit 3
	value("")
	blank()
	if (text != "") bad("text after the end")
}
