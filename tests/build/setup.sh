#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup.sh [LIST]: finds which packages of packages.txt, or LIST, are missing and installs them with apt,
# as root or through sudo without a password; else prints the command and changes nothing.
# OPTIONAL names lists whose packages are installed at the same time, as far as they can be had.
# FORGET names a file that told what the machine had before and is not true after an installation.
set -u
list=${1:-$(dirname "$0")/packages.txt}

if ! command -v dpkg-query > /dev/null 2>&1; then
	echo "setup: this is not a Debian system; memsearch needs what $list lists" >&2
	exit 0
fi
missing_of() {         # LIST
	for package in $(sed 's/#.*//' "$1" | awk 'NF { print $1 }'); do
		dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || printf ' %s' "$package"
	done
}
missing=$(missing_of "$list")
optional=$(for other in ${OPTIONAL:-}; do missing_of "$other"; done)
[ -n "$missing$optional" ] || exit 0
forget=${missing:+${FORGET:-}}

install="apt-get install -y --no-install-recommends"
echo "setup: missing packages:$missing$optional" >&2
if [ "$(id -u)" = 0 ]; then
	as=
elif command -v sudo > /dev/null 2>&1 && sudo -n true 2> /dev/null; then
	as="sudo -n"
else
	echo "setup: nothing was changed; as root, run:  apt-get update && $install$missing$optional" >&2
	[ -z "$missing" ]
	exit
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
installed() {          # PACKAGES…
	$as env DEBIAN_FRONTEND=noninteractive $install "$@" > "$log" 2>&1
}
if $as apt-get update -qq; then
	# shellcheck disable=SC2086
	if installed $missing $optional; then missing= optional=
	elif [ -n "$missing" ] && [ -n "$optional" ] && installed $missing; then missing=
	fi
fi
if [ -n "$missing$optional" ]; then
	tail -n 20 "$log" >&2
	echo "setup: apt failed; as root, run:  apt-get update && $install$missing$optional" >&2
	[ -z "$missing" ] || exit 1
fi
rm -f ${forget:+"$forget"}
