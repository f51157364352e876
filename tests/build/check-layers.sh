#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No include points against the data flow of layers.txt, and, where the folder of objects is given, no call does.
# The files that connect the parts of a session include few headers. No object calls a forbidden function of libc.
#   check-layers.sh [build/obj]
set -u
rows=$(dirname "$0")/layers.txt
failed=0

# Lines "FILE TARGET-FOLDER WHAT" on stdin.
judge() {
	awk -v rows="$rows" '
	BEGIN {
		while ((getline row < rows) > 0) {
			if (row ~ /^#/ || split(row, word, /:? +|:$/) < 1)
				continue
			room[word[1]] = 1
			allowed[word[1], word[1]] = allowed[word[1], "include/memsearch"] = allowed[word[1], "analysis/base"] = 1
			for (i = 2; i in word; i++) {
				if (word[i] != "" && !(word[i] in room)) {
					print rows ": " word[1] " may use " word[i] ", which has no row above it"
					failed = 1
				}
				allowed[word[1], word[i]] = 1
			}
		}
	}
	{
		folder = $1
		sub(/\/[^\/]*$/, "", folder)
		if (!(folder in room)) {
			if (!told[folder]++)
				print folder " has no row in " rows
			failed = 1
		} else if (!((folder, $2) in allowed)) {
			what = $0
			sub(/^[^ ]+ [^ ]+ /, "", what)
			print $1 " " what ": against the data flow"
			failed = 1
		}
	}
	END { exit failed }'
}

includes() {
	find analysis ompt_tool include -name '*.[chly]' -exec awk '
	FNR == 1 && FILENAME !~ /^include/ { folder = FILENAME; sub(/\/[^\/]*$/, "", folder); print FILENAME, folder }
	/^#include "[^"]*\/[^"]*"/ {
		split($0, part, "\"")
		target = part[2]
		sub(/\/[^\/]*$/, "", target)
		print FILENAME, target == "memsearch" ? "include/memsearch" : target, "includes", part[2]
	}' {} +
}

# A table that include/memsearch declares is a contract: its rows come from above its users.
# Of libraries that are linked alone (loader, gomp) no other folder uses a function: they define malloc and the like.
calls() {
	(cd "$1" && find analysis ompt_tool gen -name '*.o' -exec nm -A -P -g {} +) | awk '
	/^ompt_tool\/(loader|gomp)\// { next }
	{
		file = $1
		sub(/:$/, "", file)
		sub(/\.o(\[.*)?$/, ".c", file)
		if (file ~ /^gen\//)
			file = "analysis/properties/" substr(file, 5)
		else if (!(file in is_source)) {
			is_source[file] = (getline line < file) > 0       # else an object of a file that is gone
			close(file)
		}
		if (file !~ /^analysis\/properties\// && !is_source[file])
			next
		folder = file
		sub(/\/[^\/]*$/, "", folder)
		if ($3 == "U" || $3 == "w") {
			use[++nr] = file " " $2
		} else {
			sub(/\/x86_64$/, "", folder)
			home[$2] = folder
		}
	}
	END {
		while (("cat include/memsearch/*.h" | getline line) > 0)
			if (match(line, /^extern const struct [a-z_]+ \*const [a-z_]+\[/)) {
				sub(/\[.*/, "", line)
				sub(/.*const /, "", line)
				home[line] = "include/memsearch"
			}
		for (i = 1; i <= nr; i++) {
			split(use[i], word, " ")
			if (word[2] in home)
				print word[1], home[word[2]], "calls", word[2], "of", home[word[2]]
		}
	}'
}

# getenv: programs with privileges must not follow their caller's environment.
forbidden() {
	(cd "$1" && find analysis ompt_tool -name '*.o' -exec nm -A -P -u {} +) | awk '
	$2 ~ /^getenv(@|$)/ {
		sub(/\.o(\[.*)?:$/, ".c", $1)
		if ((getline line < $1) > 0 && !failed[$1]++)       # else an object of a file that is gone
			print $1 " calls getenv: use secure_getenv"
	}
	END { for (file in failed) exit 1 }'
}

includes | judge || failed=1
if [ $# -gt 0 ]; then
	calls "$1" | judge || failed=1
	forbidden "$1" || failed=1
fi
# In these folders no module (.c and .h of one name) includes itself by way of others.
for folder in analysis/record analysis/report analysis/store analysis/differential analysis/numa analysis/remedies; do
	for file in "$folder"/*.[ch]; do
		module=${file##*/}
		sed -n "s|^#include \"$folder/\([^\"]*\)\.h\".*|${module%.*} \1|p" "$file"
	done | awk '$1 != $2' | tsort >/dev/null || { echo "$folder: modules include each other in a circle"; failed=1; }
done
# What needs a further header belongs into one of the parts that these files connect.
most=12
for file in ompt_tool/session/online.c ompt_tool/session/core.c ompt_tool/session/finish.c ompt_tool/recording/recording.c; do
	nr=$(grep -c '^#include "' "$file") && [ "$nr" -le "$most" ] || { echo "$file: $nr headers of the project, $most at most"; failed=1; }
done
exit $failed
