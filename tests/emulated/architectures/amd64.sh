# SPDX-License-Identifier: Apache-2.0
# Sourced: x86-64, a q35 without a PMU.
debian=amd64
triple=x86_64-linux-gnu
kernel=linux-image-amd64
qemu=qemu-system-x86_64
board=q35
packages="libzydis4.0 libzydis-dev libzycore1.4 libzycore-dev"     # beside guest-packages.txt: code is copied on this architecture only
console=ttyS0
# The guest's clock and watchdogs cannot keep up with an emulated CPU.
kernel_arguments="tsc=reliable nowatchdog no_timer_check mitigations=off"
