# SPDX-License-Identifier: Apache-2.0
# Sourced: x86-64, a q35 without a PMU.
debian=amd64
triple=x86_64-linux-gnu
kernel=linux-image-amd64
qemu=qemu-system-x86_64
board=q35
# Beside guest-packages.txt: code is copied on this architecture only, so that accesses are simulated on the model of the guest itself.
packages="libzstd1 libzstd-dev libzydis4.0 libzydis-dev libzycore1.4 libzycore-dev libhwloc15 libhwloc-dev libudev1"
# Of machines with 4 nodes: two pairs, of which the second is far.
distances="10 12 20 32 12 10 32 20 20 32 10 12 32 20 12 10"
console=ttyS0
# The guest's clock and watchdogs cannot keep up with an emulated CPU.
kernel_arguments="tsc=reliable nowatchdog no_timer_check mitigations=off"
