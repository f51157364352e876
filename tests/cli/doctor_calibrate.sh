# SPDX-License-Identifier: Apache-2.0
# What memory delivers is measured on demand, kept, shown, and measured anew when the file is damaged.
# With 4 MB of memory it is always too little that is free, and calibrations take no time.
export XDG_CACHE_HOME=$PWD/cache HOME=$PWD MEMSEARCH__CALIBRATION_MS=20 MEMSEARCH__CALIBRATION_SPREAD=0.05 MEMSEARCH__CALIBRATION_MEMORY=4000000
plain() { sed "s|$PWD|PWD|; s/[0-9][0-9.]* [GMk]B/N GB/g; s/spread [^;]*;/spread S;/; s/measured [-0-9: ]* UTC/measured WHEN/
	s/to [0-9]* threads*/to all threads/; s/bandwidth-[0-9a-f]*/bandwidth-X/; s/uncertain-[0-9a-f]*/uncertain-X/"; }
says() { memsearch doctor "$@" --format csv 2>&1 | grep 'delivers\|memsearch:' | plain; }
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
