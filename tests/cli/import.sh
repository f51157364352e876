# SPDX-License-Identifier: Apache-2.0
# Records become a store; the same run again replaces itself; bad files are named and the others go on.
cp "$TESTS/data/sample.ms" whole.ms
head -c 2000 whole.ms > cut.ms
head -c 20 whole.ms > header.ms
echo text > text.ms
memsearch import whole.ms && memsearch import -o memsearch.db whole.ms
memsearch import -o two.db cut.ms memsearch.db --format csv
memsearch import -o two.db header.ms text.ms none.ms whole.ms --json
echo "exit $?"
memsearch import -o none.db text.ms
echo "exit $?"
test -e none.db && echo "a store was made for nothing"
memsearch import
echo "exit $?"
sqlite3=$(command -v sqlite3) && "$sqlite3" memsearch.db 'SELECT count(*) FROM runs' | grep -vx 1
memsearch report memsearch.db > from_store && memsearch report whole.ms > from_record && cmp from_store from_record
