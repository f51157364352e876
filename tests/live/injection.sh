#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Nothing of memsearch's in a program's environment lets others put something into it or its children, or changes a file.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

guests=$root/tests/live/guest
programs=$root/tests/live/programs
chmod 755 "$scratch"
cd "$scratch" || exit 1

# -- a child that outlives the run

wait_for_end() {       # FILE
	for i in 1 2 3 4 5 6 7 8 9 10; do
		grep -q '^end' "$1" 2> /dev/null && return
		sleep 0.5
	done
	wrong "the child wrote nothing to $1"
}

# COMPILER NAME [VARIABLE=VALUE…]: whose child names no folder open to all, and none that is gone.
survives() {
	compiler=$1 name=$2
	shift 2
	have "$compiler" || { echo "reason: no $compiler"; echo "skip injection__$name"; return; }
	"$compiler" -O1 -g -fopenmp -o survivor "$programs/survivor.c" || exit 1
	rm -f paths
	env -u XDG_CACHE_HOME "$@" "$memsearch" run --quiet --no-calibrate --overhead 100% -o it.ms -- ./survivor paths > out 2> err || wrong "status $?: $(cat err)"
	grep -q 499500 out || wrong "output: $(cat out)"
	wait_for_end paths
	grep '^LD_LIBRARY_PATH\|^LD_PRELOAD\|^OMP_TOOL\|^MEMSEARCH' paths | grep -v '^MEMSEARCH_OUTPUT' > ours
	grep ' gone$' ours > /dev/null && wrong "a path is gone: $(cat ours)"
	case $BUILD in /tmp/*) ;; *) grep ' open ' ours > /dev/null && wrong "anyone may write to a path: $(cat ours)" ;; esac
	"$memsearch" report -v it.ms > report 2>&1 || wrong "$(cat report)"
	rm -f it.ms
}
survives clang-19 clang
check injection__clang
survives gcc-12 gcc
grep -q '^LD_PRELOAD .*/lib/libmemsearch-gomp.so' ours || wrong "libgomp has no events: $(cat ours)"
check injection__gcc
survives gcc-12 swapped MEMSEARCH_RUNTIME=libomp
grep -q '^LD_LIBRARY_PATH .*/lib/memsearch/gomp$' ours || wrong "not the installation's link: $(cat ours)"
check injection__swapped

# Another libomp than that of the build: its link is in a private folder of the user, the same for each run.
libomp=$(realpath "$BUILD/lib/memsearch/gomp/libgomp.so.1" 2> /dev/null)
own=$(mktemp -d "$BUILD/own.XXXXXX")
trap 'rm -rf "$scratch" "$own"' EXIT
mkdir "$own/home" "$own/other" && cp "$libomp" "$own/other/libomp.so.5"
is_private() { # FOLDER
	while [ "$1" != / ]; do
		case $(stat -c %A "$1") in d????-??-?) ;; *) return 1 ;; esac
		set -- "$(dirname "$1")"
	done
}
if is_private "$own/home"; then
	for turn in 1 2; do
		survives gcc-12 users MEMSEARCH_RUNTIME=libomp "HOME=$own/home" "LD_LIBRARY_PATH=$own/other"
		grep -q "^LD_LIBRARY_PATH closed $own/home/.cache/memsearch/gomp-" ours || wrong "not the user's link: $(cat ours)"
	done
	[ "$(find "$own/home" -type l | wc -l)" = 1 ] || wrong "$(find "$own/home")"
	[ -z "$(find "$own/home" -mindepth 1 -type d -perm /077)" ] || wrong "folders others can read: $(ls -laR "$own/home")"
	check injection__users_folder
else
	echo "reason: others can change a folder that the build folder is in"; echo "skip injection__users_folder"
fi

# No private folder at all: the program runs as it is, and a line says why nothing is measured. HOME is not made.
env -u XDG_CACHE_HOME -u XDG_RUNTIME_DIR HOME="$scratch/home" LD_LIBRARY_PATH="$own/other" \
	"$memsearch" run --no-calibrate --runtime libomp -- ./survivor > out 2> err || wrong "status $?"
grep -q 'nothing was measured: .*only you can write to' err || wrong "$(cat err)"
grep -q 499500 out || wrong "output: $(cat out)"
[ ! -e "$scratch/home" ] || wrong "HOME was made"
mkdir home
env -u XDG_CACHE_HOME -u XDG_RUNTIME_DIR HOME="$scratch/home" LD_LIBRARY_PATH="$own/other" \
	"$memsearch" run --no-calibrate --runtime libomp -- ./survivor > out 2> err || wrong "status $?"
grep -q 'nothing was measured: .*only you can write to' err || wrong "a link below /tmp: $(cat err)"
check injection__no_folder

# -- what the variable between launcher and tool can do

# A value that names files of others, or a launcher that is gone: one line, and no file changes.
clang-19 -O1 -g -fopenmp -o survivor "$programs/survivor.c" || exit 1
echo mine > mine
exec 7<> mine
token=0123456789abcdef0123456789abcdef
for value in "$$.7.7.$token" "1.1.2.$token" "$scratch/mine" "999999.3.4.$token" x; do
	MEMSEARCH__RUN=$value OMP_TOOL_LIBRARIES=$tool MEMSEARCH_QUIET=1 MEMSEARCH_OUTPUT=hostile.ms ./survivor > out 2> err || wrong "status $?"
	[ "$(cat mine)" = mine ] || wrong "'$value' changed a file"
	[ "$(grep -c . err)" = 1 ] && grep -q 'cannot reach `memsearch run`' err || wrong "'$value': $(cat err)"
	grep -q 499500 out || wrong "output: $(cat out)"
done
exec 7>&-
check injection__hostile_values

# A program that a child starts after the run must not replace the run's record.
cat > later.sh << 'END'
"$1"
(sleep 1; "$1" > later 2>&1; echo end >> later) > /dev/null 2>&1 &
END
"$memsearch" run --quiet --no-calibrate -o first.ms -- sh later.sh ./survivor > out 2> err || wrong "status $?: $(cat err)"
cp first.ms kept.ms
wait_for_end later
cmp -s first.ms kept.ms || wrong "the record was replaced"
[ -s first-2.ms ] || wrong "no record of its own: $(ls; cat later)"
check injection__records_of_a_run_that_ended

# A program that cannot reach the launcher from its user namespace: the launcher finds the record, and prints it in its place.
clang-19 -O1 -g -fopenmp -I"$guests" -o apart "$guests/namespaces.c" || exit 1
./apart > alone 2> /dev/null
if [ $? = 77 ]; then
	echo "reason: no user namespaces here"; echo "skip injection__out_of_reach"
else
	for options in "" "-o named.ms"; do
		# shellcheck disable=SC2086
		"$memsearch" run --no-calibrate --format json $options -- ./apart > out 2> err || wrong "status $?"
		cmp -s alone out || wrong "output: $(cat out)"
		grep -q 'cannot reach `memsearch run`' err || wrong "$(cat err)"
		grep -q 'nothing was measured' err && wrong "'$options': said that nothing was measured"
		grep -q '"schema"' err || wrong "'$options': no report: $(cat err)"
	done
	check injection__out_of_reach
fi

# -- programs with another user's rights

can_be_another() {     # whether setuid works here, and a program can run as nobody
	[ "$(id -u)" = 0 ] && have setpriv && as_nobody true 2> /dev/null
}
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"
}
# NAME: both ways to start ./rights as nobody; its output is what it is alone.
left_alone() {
	as_nobody ./rights > plain 2>&1; plain=$?
	grep -q '^secure 1 core 0 variables 0' plain || { echo "reason: it runs with no other rights here: $(cat plain)"; echo "skip injection__$1"; return; }
	(cd out_of_nobody && as_nobody "$memsearch" run --no-calibrate -- ../rights > ../out 2> ../err); status=$?
	[ $status = $plain ] || wrong "status $status, not $plain: $(cat err)"
	cmp -s plain out || wrong "under run: $(cat out)"
	grep -q 'nothing was measured: .*setuid' err || wrong "$(cat err)"
	(cd out_of_nobody && as_nobody env OMP_TOOL_LIBRARIES="$tool" LD_PRELOAD="$tool" MEMSEARCH_DEBUG=1 ../rights > ../out 2> ../err); status=$?
	[ $status = $plain ] || wrong "bare: status $status, not $plain: $(cat err)"
	grep -q '^secure 1 core 0' out || wrong "bare: $(cat out)"
	[ ! -s err ] || wrong "bare: said $(cat err)"
	[ -z "$(ls out_of_nobody)" ] || wrong "wrote $(ls out_of_nobody)"
	check "injection__$1"
}
if can_be_another && as_nobody test -x "$memsearch"; then
	mkdir -m 777 out_of_nobody
	for compiler in clang-19 gcc-12; do
		have $compiler || continue
		rm -f rights
		$compiler -O1 -fopenmp -o rights "$programs/rights.c" || exit 1
		chown 1:1 rights && chmod 6755 rights
		left_alone "setuid $compiler"
		chown 0:1 rights && chmod 2755 rights
		left_alone "setgid $compiler"
		chown 0:0 rights && chmod 755 rights
		if have setcap && setcap cap_net_raw+ep rights 2> /dev/null; then
			left_alone "capabilities $compiler"
		else
			echo "reason: no setcap here"; echo "skip injection__capabilities $compiler"
		fi
	done
else
	echo "reason: not root, no setpriv, or nobody cannot read the build folder"; echo "skip injection__other_rights"
fi
