# SPDX-License-Identifier: Apache-2.0
# Every command has a manual page whose options are those of -h, in the same order.
for command in $(memsearch help --format csv | sed 1d | cut -d, -f1); do
	page=$TESTS/../analysis/man/memsearch-$command.1
	[ -f "$page" ] || { echo "there is no $page"; continue; }
	memsearch help --options "$command" | awk -F"\t" "{
		print \$2 (\$1 != \"\" && \$2 != \"\" ? \", \" : \"\") \$1 (\$3 != \"\" ? \" \" \$3 : \"\") }" > wanted
	sed -n "/^\.SH OPTIONS/,/^\.SH [^O]/p" "$page" | grep -A 1 "^\.TP" | grep -v "^\.TP\|^--$" |
		sed "s/\\\\f[BIR]//g; s/\\\\-/-/g" > found
	diff wanted found > difference || { echo "$page differs from memsearch $command -h:"; cat difference; }
	grep -q "^\.SH \"EXIT STATUS\"" "$page" || echo "$page does not tell the exit status"
	grep -q "^\.SH EXAMPLES" "$page" || echo "$page has no example"
done
