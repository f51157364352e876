#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup.sh [LIST]: finds which packages of packages.txt, or LIST, are missing and installs them with apt,
# as root or through sudo without a password; else prints the command and changes nothing.
# FORGET names a file that told what the machine had before and is not true after an installation.
set -u
list=${1:-$(dirname "$0")/packages.txt}

if ! command -v dpkg-query > /dev/null 2>&1; then
	echo "setup: this is not a Debian system; memsearch needs what $list lists" >&2
	exit 0
fi
missing=
for package in $(sed 's/#.*//' "$list" | awk 'NF { print $1 }'); do
	dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
echo "setup: missing packages:$missing" >&2
if [ "$(id -u)" = 0 ]; then
	as=
elif command -v sudo > /dev/null 2>&1 && sudo -n true 2> /dev/null; then
	as="sudo -n"
else
	echo "setup: nothing was changed; as root, run:  apt-get update && $install" >&2
	exit 1
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
$as apt-get update -qq && $as env DEBIAN_FRONTEND=noninteractive $install > "$log" 2>&1 || {
	tail -n 20 "$log" >&2
	echo "setup: apt failed; as root, run:  apt-get update && $install" >&2
	exit 1
}
rm -f ${FORGET:+"$FORGET"}
