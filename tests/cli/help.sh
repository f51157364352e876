# SPDX-License-Identifier: Apache-2.0
# The list of commands, and the help of each that this file knows.
for command in report list help; do memsearch $command -h; echo; done
memsearch help --json report
