# SPDX-License-Identifier: Apache-2.0
# Sourced: 64-bit ARM, QEMU's virtual board. Counts instructions under -icount only, and then for the whole machine.
debian=arm64
triple=aarch64-linux-gnu
kernel=linux-image-arm64
qemu=qemu-system-aarch64
board=virt,gic-version=3
console=ttyAMA0
kernel_arguments=
