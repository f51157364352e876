# SPDX-License-Identifier: Apache-2.0
# What this memsearch knows: names only, since the texts grow.
memsearch list metrics --format csv | cut -d, -f1-2
memsearch list strategies --json | grep "\"strategy\""
memsearch list properties --format csv | head -n 1
