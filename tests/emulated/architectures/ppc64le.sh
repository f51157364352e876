# SPDX-License-Identifier: Apache-2.0
# Sourced: little-endian 64-bit POWER, a pseries with pages of 64 KiB. Counts instructions per CPU.
debian=ppc64el
triple=powerpc64le-linux-gnu
kernel=linux-image-powerpc64le
qemu=qemu-system-ppc64
# Mitigations that the emulated CPU does not have; QEMU refuses to start when they are asked for.
board=pseries,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off
console=hvc0
kernel_arguments=
