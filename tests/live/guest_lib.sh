# SPDX-License-Identifier: Apache-2.0
# What tests/live/guest.sh and bench/guest.sh share: sourced, not run. tests/live/guest/README.md says what a guest is.
# A run is a guest, compiled in one way, with a number of threads, alone and under memsearch in one of the ways below.
. "${live:=$(dirname "$0")}/lib.sh"

guests=$root/tests/live/guest
export GUEST_TIMES=1                 # guests run longer by this factor
recording="record bare_record"      # of which accesses must have been recorded
mkdir -p "$scratch/runs" "$scratch/programs" "$scratch/cache"
if [ -z "${XDG_CACHE_HOME:-}" ]; then
	export XDG_CACHE_HOME="$scratch/cache"
	MEMSEARCH__CALIBRATION_SPREAD=0.05 "$memsearch" doctor --calibrate > /dev/null 2>&1
fi

header() {     # FILE WORD: the text behind it in the first lines' comments
	sed -n "25q; s, *\*/ *\$,,; s,^[/!]\** *$2: *\(.*[^ ]\) *\$,\1,p" "$1"
}
named() {      # FILE: the guest's name
	basename "$1" | sed 's/\.[^.]*$//'
}

# -- how it is compiled

compiler_of() {        # FILE clang|gcc FOLDER: where modules go
	case $1.$2 in
	*.c.clang) echo "$CC" ;;
	*.c.gcc) echo gcc-12 ;;
	*.cc.clang) echo clang++-19 ;;
	*.cc.gcc) echo g++-12 ;;
	*.f90.clang) echo flang-new-19 -J"$3" ;;
	*.f90.gcc) echo gfortran -J"$3" ;;
	esac
}
flags_of() {   # O2|O3
	case $1 in O2) echo -O2 ;; O3) echo "-O3 -march=native" ;; esac
}

# Compiles it once, with the library of the same source if it has one, into $program; nothing where there is no such compiler.
build() {      # FILE clang|gcc O2|O3
	folder=$scratch/programs/$2.$3 program=
	compiler=$(compiler_of "$1" "$2" "$folder")
	case " $(header "$1" Compilers) " in "  " | *" $2 "*) ;; *) return ;; esac
	have "${compiler%% *}" || return
	program=$folder/$(named "$1")
	[ -x "$program" ] && return
	mkdir -p "$folder"
	! grep -q '^/\* Library:' "$1" ||
		$compiler $(flags_of "$3") -g -w -fopenmp -fPIC -shared -DLIBRARY -I"$guests" -o "$program.so" "$1" $(header "$1" Library) > "$program.log" 2>&1
	# What is linked to the library of its own says so by a flag.
	$compiler $(flags_of "$3") -g -w -fopenmp -I"$guests" -o "$program" "$1" \
		$(header "$1" Flags | sed "s,OWN_LIBRARY,$program.so -Wl\,-rpath\,\$ORIGIN,") >> "$program.log" 2>&1 ||
		{ wrong "$compiler: $(tail -n 5 "$program.log")"; program=; }
}

# -- one run

# Begins it in a new folder, with HOME and TMPDIR of its own, and writes what came of it: out, err, status, files.
begin() {      # FOLDER SHELL-COMMANDS PROGRAM ARGUMENTS…
	at=$1 before=$2
	shift 2
	rm -rf "$at"
	mkdir -p "$at/cwd" "$at/home" "$at/tmp"
	(cd "$at/cwd" && HOME=$at/home TMPDIR=$at/tmp && export HOME TMPDIR && eval "$before" && exec timeout -k 1 100 "$@") \
		> "$at/out" 2> "$at/err" < /dev/null
	echo $? > "$at/status"
	(cd "$at" && find cwd home tmp | sort) > "$at/files"
} 2> /dev/null

# Without what memsearch says, which is its report and lines that begin with its name, wrapped or not.
others_words() {       # FILE
	awk '/^memsearch: .*   ([0-9]+ threads?|threads not known)/ { report = 1 }
		!report && !/^memsearch: / { print }
		/^memsearch: .* is the record/ { report = 0 }' "$1"
}

under() {      # WAY FOLDER SHELL-COMMANDS PROGRAM
	way=$1 at=$2 before=$3 full="--overhead 1000%"
	shift 3
	case $way in
	default) set -- "$@" ;;
	record) set -- $full --machine xeon-2s -- "$@" ;;
	refine) set -- $full --strategy data_structure_refine --follow libm -- "$@" ;;
	host) set -- $full --machine host -- "$@" ;;
	all) set -- $full --measure all --sampling-rate 4000 -- "$@" ;;
	faults) set -- $full --addresses faults --event perf::PAGE-FAULTS -- "$@" ;;
	swapped) set -- $full --runtime libomp -- "$@" ;;
	sampled) set -- $full --trace-limit 1 --jobs 3 -- "$@" ;;
	phase_only) set -- $full --no-bursts --same-addresses --try -- "$@" ;;
	page_writes) set -- $full --page-writes -- "$@" ;;
	quick) set -- --quick --strategy deep_start --counters-at-once 1 -- "$@" ;;
	bare) begin "$at" "$before" env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_OUTPUT=it.ms "$@"; return ;;
	bare_record)
		begin "$at" "$before" env OMP_TOOL_LIBRARIES="$tool" MEMSEARCH_OUTPUT=it.ms MEMSEARCH_OVERHEAD=1000% MEMSEARCH_MACHINE=xeon-2s "$@"
		return ;;
	*)
		echo "guest_lib.sh: no way is called $way" >&2
		exit 2 ;;
	esac
	begin "$at" "$before" "$memsearch" run --no-calibrate -o it.ms "$@"
}

# What differs from the run alone, one line each; nothing if nothing does.
differences() {        # ALONE UNDER
	[ "$(cat "$1/status")" = "$(cat "$2/status")" ] || echo "status $(cat "$2/status"), alone $(cat "$1/status"): $(tail -n 3 "$2/err")"
	cmp -s "$1/out" "$2/out" || { echo "stdout changed:"; diff -a "$1/out" "$2/out" | head -n 6; }
	others_words "$2/err" | diff -a "$1/err" - > "$2/words" || { echo "stderr changed:"; head -n 6 "$2/words"; }
	twice=$(sed -n 's/^memsearch: \(.*\) is the record.*/\1/p' "$2/err" | sort | uniq -d)
	[ -z "$twice" ] || echo "reported twice: $twice"
	grep -v '^cwd/it\(-[0-9]*\)\{0,1\}\.ms\(\.kept\)\{0,1\}$' "$2/files" | diff "$1/files" - > "$2/left" || { echo "files left behind:"; grep '^[<>]' "$2/left" | head -n 6; }
}

# One line of what memsearch did: what was recorded of the accesses, or why nothing was; else what it said.
did() {        # FOLDER
	record=$(ls "$1"/cwd/*.ms 2> /dev/null | head -n 1)
	if [ "$record" ]; then
		"$memsearch" arrays "$record" 2>&1 | tr -s ' \n' ' ' | grep -o 'Accesses were\([^.:]\|\.[0-9]\)*\(: [^.]*\)\{0,1\}\.' | head -n 1
	else
		grep '^memsearch: ' "$1/err" | head -n 1
	fi
}
has_recorded() {       # LINE: what did() printed
	case $1 in *"Accesses were recorded in regions with "[1-9]*) return 0 ;; *) return 1 ;; esac
}
# The words that the guest's file promises its user.
says() {       # FOLDER WORDS
	{ cat "$1/err"; for record in "$1"/cwd/*.ms; do "$memsearch" report -v "$record"; "$memsearch" arrays "$record"; done; } 2> /dev/null |
		tr -s ' \n' ' ' | grep -E -o "[^.:]{0,160}($2)[^.]{0,160}" | head -n 1
}

# The guest alone in $alone, once for each way to compile it and number of threads.
run_alone() {  # FILE clang|gcc O2|O3
	alone=$scratch/runs/$(named "$1").$2.$3.$OMP_NUM_THREADS.$GUEST_TIMES.alone
	[ -f "$alone/files" ] || begin "$alone" "$(header "$1" Shell)" "$program"
}

# One run under memsearch into $now; what is wrong goes to $bad. $outcome: ok, FAIL, skip. $line: what memsearch did.
run_guest() {  # FILE clang|gcc O2|O3 THREADS WAY
	outcome=skip line= now=$scratch/runs/$(named "$1").$2.$3.$4.$5
	export OMP_NUM_THREADS=$4
	case $2.$5 in gcc.bare*) return ;; esac        # libgomp opens no tool
	case " $(header "$1" Not) " in *" $5 "*) return ;; esac
	build "$1" "$2" "$3"
	[ "$program" ] || { [ -z "$bad" ] || outcome=FAIL; return; }
	forget_ended
	run_alone "$1" "$2" "$3"
	[ "$(cat "$alone/status")" != 77 ] || return   # what it needs is not to be had here
	under "$5" "$now" "$(header "$1" Shell)" "$program"
	wrong_there=$(differences "$alone" "$now")
	outcome=ok line=$(did "$now")
	[ -z "$wrong_there" ] || { outcome=FAIL; wrong "$5, $2 -$3, $4 threads: $wrong_there"; steady "$1" "$2" "$3"; }
}
# A guest that is not the same each time when it is alone proves nothing.
steady() {     # FILE clang|gcc O2|O3
	for again in 1 2 3; do
		begin "$now.again" "$(header "$1" Shell)" "$program"
		differences "$alone" "$now.again" | grep -q . && { wrong "alone it is not the same each time"; return; }
	done
}

# What the guest's file promises of a run that records everything, tried again where the phase was not found: "transparent" (its accesses
# are recorded), or what else is done (words of the file), and what the user reads.
promised() {   # FILE clang|gcc O2|O3 THREADS WAY
	[ $outcome = ok ] || return
	words=$(header "$1" Says)
	case $(header "$1" Does) in "" | transparent | left*) need=recorded ;; *) need= ;; esac
	case " $recording " in *" $5 "*) ;; *) return ;; esac
	for times in 1 2 3 4 end; do
		missing=
		[ -z "$need" ] || has_recorded "$line" || { sleep 1; has_recorded "$(did "$now")"; } || missing="nothing was recorded: $line"
		[ -z "$words" ] || [ "$(says "$now" "$words")" ] || missing="$missing; does not say '$words'"
		[ "$missing" ] || return
		[ $times != end ] || break
		sleep 1
		GUEST_TIMES=$times
		run_guest "$1" "$2" "$3" "$4" "$5"
		GUEST_TIMES=1
		[ $outcome = ok ] || return
	done
	outcome=FAIL
	wrong "$5, $2 -$3, $4 threads: $missing"
}

# Takes guests that no other lane has; `each FILE` is called for them, in a subshell with $bad and a file for its results.
lanes() {      # NUMBER FUNCTION FILE…
	nr=$1 each=$2 pids=
	shift 2
	mkdir -p "$scratch/taken" "$scratch/results"
	for lane in $(seq "$nr"); do
		(trap - EXIT
		for file in "$@"; do
			mkdir "$scratch/taken/$(named "$file")" 2> /dev/null || continue
			bad=
			$each "$file" > "$scratch/results/$(named "$file")" 2>&1
		done) &
		pids="$pids $!"
	done
	wait $pids
	rm -rf "$scratch/taken"
}
