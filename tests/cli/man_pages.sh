# SPDX-License-Identifier: Apache-2.0
# Every command has a manual page whose options are those of -h, in the same order.
# A page writes them as "\fB\-\-most\fR \fIN\fR" or as ".BR \-\-most " N"".
plain() {
	awk '
		/^\.SH OPTIONS/ { options = 1; next }
		/^\.SH/ { options = 0 }
		options && after { print $0 }
		{ after = /^\.TP/ }' "$1" |
	awk -F'"' '
		{ gsub(/\\f[BIR]/, ""); gsub(/\\-/, "-") }
		!/^\.[BIR]+ / { print; next }
		{ sub(/^\.[BIR]+ /, ""); line = ""
		  for (i = 1; i <= NF; i++) { if (i % 2) gsub(/ /, "", $i); line = line $i }
		  print line }'
}
for command in $(memsearch help --format csv | sed 1d | cut -d, -f1); do
	page=analysis/man/memsearch-$command.1
	[ -f "$TESTS/../$page" ] || { echo "there is no $page"; continue; }
	memsearch help --options "$command" |
		awk -F'\t' '{ print $2 ($1 != "" && $2 != "" ? ", " : "") $1 ($3 != "" ? " " $3 : "") }' > wanted
	plain "$TESTS/../$page" > found
	diff wanted found > difference || { echo "$page differs from memsearch $command -h:"; cat difference; }
	# … and the defaults that -h tells.
	memsearch help --options "$command" | sed -n 's/.*\((default: [^)]*)\).*/\1/p' | sort > wanted
	sed 's/\\f[BIR]//g; s/\\-/-/g' "$TESTS/../$page" | sed -n 's/.*\((default: [^)]*)\).*/\1/p' | sort > found
	diff wanted found > difference || { echo "$page tells other defaults than memsearch $command -h:"; cat difference; }
	grep -q '^\.SH "*EXIT STATUS"*' "$TESTS/../$page" || echo "$page does not tell the exit status"
	grep -q '^\.SH EXAMPLE' "$TESTS/../$page" || echo "$page has no example"
done
