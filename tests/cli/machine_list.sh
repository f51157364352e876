# SPDX-License-Identifier: Apache-2.0
# The modelled machines there are, by two commands; all can be simulated.
memsearch machine --list | cut -c 1-53
memsearch machine --list --json > one
memsearch list machines --json | cmp - one
for name in $(memsearch list machines --format csv | sed 1d | cut -d, -f1); do
	memsearch machine "$name" host --format csv | grep -c "^$name,l1"
done
