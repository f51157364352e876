# SPDX-License-Identifier: Apache-2.0
# A program that would answer more questions if it ran again: it does, unseen, and the last record is printed.
# A script plays the program and the tool in it.
cat > program <<"END"
#!/bin/sh
echo run >> runs
echo "said on stdout"
echo "said on stderr" >&2
read line && echo "read $line"
[ -w "/proc/${MEMSEARCH__RUN%%.*}/fd/$(echo "$MEMSEARCH__RUN" | cut -d. -f3)" ] || echo "no state" >> runs
echo "$MEMSEARCH_OUTPUT" | sed "s|.*/||" >> runs
cp "$TESTS/experiments/clean.ms" record.ms
[ "$(grep -c "^run" runs)" -lt "$LAST" ] || cp "$TESTS/experiments/sample.ms" record.ms
printf "%s" record.ms > "/proc/${MEMSEARCH__RUN%%.*}/fd/$(echo "$MEMSEARCH__RUN" | cut -d. -f2)"
exit 7
END
chmod +x program
export LAST
for LAST in 9 2; do
	echo input | memsearch run --restarts 3 -o x.ms -- ./program 2> said
	echo "exit $?"
	head -n 6 said
	cat runs
	rm runs
done
LAST=9
memsearch run --restarts 2 --quiet -- ./program < /dev/null
true
