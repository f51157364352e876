# SPDX-License-Identifier: Apache-2.0
# Seconds: 240
# What memory delivers is measured on demand, kept, shown, and measured anew when the file is damaged. A calibration takes 3 s and more where a
# CPU has 480 MiB of caches.
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD MEMSEARCH__CALIBRATION_MS=20 MEMSEARCH__CALIBRATION_SPREAD=0.05
plain() { sed "s|$PWD|PWD|; s/[0-9][0-9.]* [GMk]B/N GB/g; s/spread [^;]*;/spread S;/; s/measured [-0-9: ]* UTC/measured WHEN/
	s/to [0-9]* threads*/to all threads/; s/bandwidth-[0-9a-f]*/bandwidth-X/; s/uncertain-[0-9a-f]*/uncertain-X/"; }
# Arrays take 12 times the caches, and at most a fourth of the free memory: only where that is too little, or nearly, may it be said.
is_little() {
	caches=$(cat "$PWD"/cache/memsearch/* 2> /dev/null | sed -n 's/^caches //p' | head -n 1)
	[ $((44 * ${caches:-0})) -gt "$(awk '/^MemAvailable/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)" ]
}
says() {
	memsearch doctor "$@" --format csv > said 2>&1
	is_little && sed -i '/too little memory is free for arrays/d' said
	grep 'delivers\|memsearch:' said | plain
}
says
says --calibrate
ls cache/memsearch | plain
says
echo oops > "$(ls cache/memsearch/*)"
says
says --calibrate
# What is uncertain does not replace it; alone it is kept apart, as a range, until a better one comes.
MEMSEARCH__CALIBRATION_SPREAD=0.4 says --calibrate
rm cache/memsearch/*
MEMSEARCH__CALIBRATION_SPREAD=0.4 says --calibrate
ls cache/memsearch | plain
says --calibrate
ls cache/memsearch | plain
# Where it cannot be kept it is measured all the same.
export XDG_CACHE_HOME=/proc/self/fdinfo
says --calibrate
memsearch doctor --calibrate --table
echo "exit $?"
memsearch doctor --calibrate ./swim
echo "exit $?"
