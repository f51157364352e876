# SPDX-License-Identifier: Apache-2.0
# Several programs under one `run`: two that one process turns into, a third that ends well, and a tool that could not start.
cp "$TESTS/experiments/killed.ms" first.ms
cp "$TESTS/experiments/killed.ms" second.ms
cp "$TESTS/experiments/sample.ms" third.ms
cat > program <<"END"
#!/bin/sh
for name in $RECORDS; do echo "$name" >> "/proc/${MEMSEARCH__RUN%%.*}/fd/$(echo "$MEMSEARCH__RUN" | cut -d. -f2)"; done
END
chmod +x program
export RECORDS="$PWD/first.ms $PWD/second.ms $PWD/third.ms"
memsearch run -- ./program 2> said
grep -c "^memsearch: .*   16 threads" said
grep "^memsearch: '" said
memsearch run --json -- ./program 2> said
grep -c '"pid"' said
RECORDS=- memsearch run -- ./program
RECORDS="- $PWD/missing.ms" memsearch run -- ./program 2>&1 | sed "s,$PWD,HERE,"
