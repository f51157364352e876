# SPDX-License-Identifier: Apache-2.0
# The program dies before the tool can print: `run` does it, unless it was told to be quiet.
cat > program <<"END"
#!/bin/sh
cp "$TESTS/experiments/killed.ms" record.ms
printf "%s" "$PWD/record.ms" > "/proc/${MEMSEARCH__RUN%%.*}/fd/$(echo "$MEMSEARCH__RUN" | cut -d. -f2)"
kill -KILL $$
END
chmod +x program
memsearch run -- ./program 2> said
echo "exit $?"
head -n 8 said
memsearch run --json -- ./program 2> said
echo "exit $?"
sed -n "1,4p" said
memsearch run --quiet -- ./program
echo "exit $?"
