#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the programs of workloads.sh and runs as they are those that do not say what they print, which needs no quiet; workloads.sh finds that done, and says what failed.
# Runs beside others, first.
. "$(dirname "$0")/workloads_lib.sh"

each_workload prepare > /dev/null
