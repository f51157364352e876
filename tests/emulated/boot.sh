#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# boot.sh ARCHITECTURE FOLDER NODES CPUS CPU ICOUNT JOB: starts the machine, which runs JOB/command
# and leaves JOB/output and JOB/status. Ends with 0 when there is a status; JOB/console holds
# what the kernel said. All CPUs share one thread of this machine: QEMU 7.2 with a thread a CPU
# hangs or crashes now and then.
set -u
. "$(dirname "$0")"/architectures/"$1".sh
folder=$2 nodes=$3 cpus=$4 cpu=$5 icount=$6 job=$7
MEMORY=512                       # MiB a node; a pseries wants multiples of 256
SECONDS_EACH=400                 # a machine takes 20 to 70 on an idle CPU

each=$((cpus / nodes))
set -- -machine "$board" -cpu "$cpu" -accel tcg,thread=single -m $((MEMORY * nodes)) \
	-smp "$cpus,sockets=$nodes,cores=$each,threads=1" -nodefaults -no-user-config -no-reboot -display none
[ "$icount" = no ] || set -- "$@" -icount shift=0
for node in $(seq 0 $((nodes - 1))); do
	set -- "$@" -object "memory-backend-ram,id=memory$node,size=${MEMORY}M" \
		-numa "node,nodeid=$node,memdev=memory$node,cpus=$((node * each))-$((node * each + each - 1))"
done
if [ "$nodes" = 4 ]; then
	pair=0
	for distance in ${distances:-}; do
		set -- "$@" -numa "dist,src=$((pair / 4)),dst=$((pair % 4)),val=$distance"
		pair=$((pair + 1))
	done
fi
rm -f "$job/status" "$job/output"
timeout -k 5 $SECONDS_EACH "$qemu" "$@" -kernel "$folder/kernel" -initrd "$folder/initrd" \
	-append "console=$console rdinit=/init panic=-1 quiet rcupdate.rcu_cpu_stall_suppress=1 $kernel_arguments" \
	-serial "file:$job/console" \
	-device virtio-9p-pci,fsdev=root,mount_tag=root -fsdev "local,id=root,path=$folder/root,security_model=none,readonly=on,multidevs=remap" \
	-device virtio-9p-pci,fsdev=job,mount_tag=job -fsdev "local,id=job,path=$job,security_model=none" \
	< /dev/null > "$job/qemu" 2>&1
[ -s "$job/status" ]
