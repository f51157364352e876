#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gates of docs/ci, run as a runner would: their shell steps, in a clone of a repository with a branch that makes a loop worse, and with one that does not.
# Not run: the installation, which needs a network, and other people's actions.
# Runs beside others.
. "$(dirname "$0")/lib.sh"

"$memsearch" list sensors | grep -q '^accesses  *yes' || { echo "reason: no accesses can be recorded here"; echo "skip ci_example"; exit 0; }
have git || { echo "reason: no git"; echo "skip ci_example"; exit 0; }
PATH=$BUILD/bin:$PATH
HOME=$scratch/home
MEMSEARCH_NO_CALIBRATE=1
export PATH HOME MEMSEARCH_NO_CALIBRATE
mkdir "$HOME"
git config --global user.name nobody
git config --global user.email nobody@localhost
git config --global init.defaultBranch main

# Shell of a step of GitHub's file: a line, or a block with its indentation.
github_step() {        # NAME
	awk -v name="$1" '
		/^ *- / { on = $0 ~ "^ *- name: " name "$"; block = 0 }
		on && /^ *run: \|$/ { block = match($0, /run/); next }
		on && /^ *run: / { sub(/^ *run: /, ""); print }
		block && /[^ ]/ && match($0, /[^ ]/) <= block { block = 0 }
		block { print substr($0, block + 2) }' "$root/docs/ci/github-actions.yml"
}
# Commands of a list of GitLab's file.
gitlab_list() {        # KEY
	awk -v key="$1" '/^  [a-z_]+:/ { on = $0 == "  " key ":" } on && /^    - / { print substr($0, 7) }' "$root/docs/ci/gitlab-ci.yml"
}

# A repository with the branches better, which moves lines alone, and worse, where the first loop reads one array more.
make_repository() {
	mkdir -p "$scratch/project/src" && cd "$scratch/project" || exit 1
	cp "$root/tests/live/programs/versions.c" src/solver.c
	cp "$root/docs/ci/memsearch.limits" .
	printf 'solver: src/solver.c\n\t%s -O1 -g -fopenmp -o $@ $<\n' "$CC" > Makefile
	git init -q . && git add . && git commit -q -m base
	git branch worse && git checkout -q -b better
	{ printf '/* A comment\n * above all. */\n'; cat src/solver.c; } > moved && mv moved src/solver.c && git commit -q -a -m "Moves lines."
	git checkout -q worse
	{ printf '#define ONE_MORE 1\n'; cat src/solver.c; } > more && mv more src/solver.c && git commit -q -a -m "Weighs heat."
	git checkout -q main
}

# Clones the branch, and its runner's folders.
check_out() {  # BRANCH
	place=$scratch/$1
	rm -rf "$place"
	mkdir "$place" "$place/temp"
	git clone -q -b "$1" "$scratch/project" "$place/clone" && cd "$place/clone" || exit 1
	export RUNNER_TEMP="$place/temp" GITHUB_BASE_REF=main GITHUB_STEP_SUMMARY="$place/summary" CI_BUILDS_DIR="$place/temp" CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main
	export CI_API_V4_URL=https://gitlab.invalid/api/v4 CI_PROJECT_ID=1 CI_MERGE_REQUEST_IID=2 MEMSEARCH_TOKEN=token
}
run_step() {   # NAME: its status is in $status, what it prints in "said"
	github_step "$1" > "$place/step"
	[ -s "$place/step" ] || wrong "there is no step '$1'"
	timeout -k 1 200 sh -e "$place/step" > "$place/said" 2>&1
	status=$?
}
expect_step() {        # STATUS NAME
	run_step "$2"
	[ "$status" = "$1" ] || wrong "$2: status $status, not $1: $(cat "$place/said")"
}
expect_in() {  # FILE PATTERN
	grep -q "$2" "$1" || wrong "'$2' is not in $(basename "$1"): $(cat "$1")"
}
# What runners do next with the files; lines of the worse version are those of its source.
expect_report() {      # worse|better
	if [ "$1" = worse ]; then
		expect_in memsearch.md '^- \*\*fail\*\*: stall\\_cycles\\>+5%: exceeded: .*weights in the loop in diffuse'
		expect_in memsearch.sarif '"uri": "src/solver.c"'
		expect_in memsearch.sarif '"level": "error"'
		expect_in memsearch.sarif "\"startLine\": $(line_of src/solver.c diffuse)\$"
	else
		expect_in memsearch.md '^- fail: stall\\_cycles\\>+5%: kept'
		expect_in memsearch.md '^No difference'
		expect_in memsearch.sarif '"results": \[\]'
	fi
	[ ! -e "$place/summary" ] || cmp -s "$place/summary" memsearch.md || wrong "the summary: $(cat "$place/summary")"
}

make_repository
for target in setup install; do
	github_step "Install memsearch" | grep -q "make -C /opt/memsearch $target" && gitlab_list before_script | grep -q "make -C /opt/memsearch $target" || wrong "$target is not run"
	grep -q "^$target:" "$root"/tests/build/*.mk || wrong "there is no target $target"
done
for branch in better worse; do
	check_out $branch
	expect_step 0 "Build base and new"
	for attempt in 1 2 3 4; do       # under load a record may lack a whole step: a job is started again then
		expect_step 0 Record
		run_step Compare
		[ "$status" = 3 ] || break
	done
	if [ $branch = better ]; then
		[ "$status" = 0 ] || wrong "$branch: status $status: $(cat "$place/said")"
		grep -q '^::error\|^::warning' "$place/said" && wrong "$branch: $(cat "$place/said")"
	else
		[ "$status" = 1 ] || wrong "$branch: status $status: $(cat "$place/said")"
		expect_in "$place/said" "^::error file=src/solver.c,line=$(line_of src/solver.c diffuse),title=memsearch::stall_cycles>+5%25: exceeded: .*weights in the loop in diffuse"
	fi
	expect_step 0 Report
	expect_report $branch
done
check ci_example__github

# The comment goes to a stand-in of curl.
mkdir "$scratch/stand_ins"
# shellcheck disable=SC2016
printf '#!/bin/sh\nprintf "%%s\\n" "$@" > "$CI_BUILDS_DIR/sent"\n' > "$scratch/stand_ins/curl"
chmod +x "$scratch/stand_ins/curl"
PATH=$scratch/stand_ins:$PATH
gitlab_list script > "$scratch/script"
for branch in better worse; do
	for attempt in 1 2 3 4; do
		check_out $branch
		timeout -k 1 300 sh -e "$scratch/script" > "$place/said" 2>&1
		status=$?
		[ $status = 3 ] || break
	done
	[ $status = "$([ $branch = worse ] && echo 1 || echo 0)" ] || wrong "$branch: status $status: $(cat "$place/said")"
	expect_report $branch
	expect_in "$place/temp/sent" '^body@memsearch.md$'
	expect_in "$place/temp/sent" '^https://gitlab.invalid/api/v4/projects/1/merge_requests/2/notes$'
done
check ci_example__gitlab
