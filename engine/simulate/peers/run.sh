#!/bin/sh
# Beside LogGOPSim: random programs, which must give the same, and a table of time and memory.
#
#	engine/simulate/peers/run.sh FOLDER [PROGRAMS [ROUNDS [PATTERN:RANKS …]]]
#
# FOLDER has LogGOPSim, txt2bin and schedgen, built from spcl/LogGOPSim; nothing of it is compiled or kept here.
# The table is CSV: what a run took in processor time, user and system, which other load disturbs less than the clock,
# and in memory. Each round runs all programs. The peer reads its binary form, which is made once and not counted;
# halfpeak reads the same, and the text too.
set -eu
peer=$(cd "$1" && pwd)
programs=${2:-1000}
rounds=${3:-3}
[ $# -gt 3 ] && shift 3 || set -- dissemination:65536 binomialtreebcast:1048576 linear_alltoall:256 linear_alltoall:512 linear_alltoall:1024
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=${TMPDIR:-/tmp}/halfpeak-peers.$$
mkdir "$work"
trap 'rm -rf "$work"' EXIT

cd "$root"
if [ "$programs" -gt 0 ]; then
	LOGGOPSIM=$peer LOGGOPSIM_PROGRAMS=$programs go test -count=1 -v -timeout 1h -run 'TestPeer$' ./engine/simulate
fi
go build -o "$work/halfpeak" ./cmd/halfpeak
# timed FILE COMMAND … writes the processor and wall-clock seconds and the memory of a command, in one line.
timed() {
	file=$1
	shift
	/usr/bin/time -f "%U %S %e %M" -o "$file.raw" "$@"
	awk '{printf "%.2f,%s,%s\n", $1 + $2, $3, $4}' "$file.raw" >"$file"
}
echo "pattern,ranks,round,program,cpu_s,wall_s,max_kb,events,finish_ns"
for run; do
	pattern=${run%:*} ranks=${run#*:}
	"$peer/schedgen" -p "$pattern" -s "$ranks" -d 8 -o "$work/$pattern.goal" >/dev/null
	"$peer/txt2bin" -i "$work/$pattern.goal" -o "$work/$pattern.bin" >/dev/null
	for round in $(seq "$rounds"); do
		# A linear all-to-all of 1024 ranks takes the peer hours.
		if [ "$pattern" != linear_alltoall ] || [ "$ranks" -le 512 ]; then
			timed "$work/time" "$peer/LogGOPSim" -f "$work/$pattern.bin" -b >"$work/out"
			events=$(sed -n 's/.*Events: \([0-9]*\).*/\1/p' "$work/out")
			finish=$(sed -n 's/Maximum finishing time at host [0-9]*: \([0-9]*\).*/\1/p' "$work/out")
			echo "$pattern,$ranks,$round,LogGOPSim,$(cat "$work/time"),$events,$finish"
		fi
		for how in "loggopsim goal" "loggopsim bin" "default bin"; do
			rules=${how% *} form=${how#* }
			timed "$work/time" "$work/halfpeak" simulate "$work/$pattern.$form" --rules "$rules" --summary --format csv >"$work/out"
			echo "$pattern,$ranks,$round,halfpeak $how,$(cat "$work/time"),$(awk -F, 'NR == 2 {printf "%s,%.0f", $4, 1000 * $5}' "$work/out")"
		done
	done
	rm "$work/$pattern".*
done
