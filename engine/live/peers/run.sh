#!/bin/sh
# Measures halfpeak's transports beside NetPIPE on this machine: shm against Open MPI's shared
# memory, tcp against NetPIPE's own TCP over loopback. Runs alternate, so that what else the machine
# does meets all of them; the tables show medians over the runs, and the ratio of times (below 1: halfpeak
# is faster). The load of the machine is printed before each round.
#
#   engine/live/peers/run.sh [ROUNDS] [DIRECTORY]      5 rounds; results stay in the directory
#
# On Debian, as root, it installs what is missing. It needs Go and about a minute for a round.
set -eu
rounds=${1:-5}
dir=${2:-$(mktemp -d)}
mkdir -p "$dir"
if ! command -v NPtcp >/dev/null || ! command -v NPopenmpi >/dev/null; then
	apt-get install -y -qq netpipe-tcp netpipe-openmpi openmpi-bin >/dev/null
fi
root=$(cd "$(dirname "$0")/../../.." && pwd)
(cd "$root" && go build -o "$dir/halfpeak" ./cmd/halfpeak)
cd "$dir"
sizes=1,16,64,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

mpi() { timeout 300 mpirun -np 2 --oversubscribe --bind-to core NPopenmpi -p 0 "$@" >/dev/null 2>&1 || echo "NPopenmpi failed" >&2; }
tcp() {
	timeout 300 NPtcp -p 0 "$@" >/dev/null 2>&1 &
	server=$!
	sleep 0.5
	timeout 300 NPtcp -h 127.0.0.1 -p 0 "$@" >/dev/null 2>&1 || echo "NPtcp failed" >&2
	wait $server || true
}

# medians FILE… prints size and median time in µs of NetPIPE's files.
medians() {
	cat "$@" | awk 'NF == 3 { print $1, $3 * 1e6 }' | sort -k1,1n -k2,2n |
		awk '$1 != s { if (n) print s, t[int((n + 1) / 2)]; s = $1; n = 0 } { t[++n] = $2 } END { if (n) print s, t[int((n + 1) / 2)] }'
}

table() { # PEER TRANSPORT
	medians "$1".*.out >"$1.median"
	medians "$2".*.out >"$2.median"
	echo "| size in bytes | $1, µs | halfpeak $2, µs | ratio | $1, MB/s | halfpeak, MB/s |"
	echo "|---:|---:|---:|---:|---:|---:|"
	awk 'NR == FNR { t[$1] = $2; next } $1 in t { printf "| %d | %.3f | %.3f | %.2f | %.1f | %.1f |\n", $1, t[$1], $2, $2 / t[$1], $1 / t[$1], $1 / $2 }' "$1.median" "$2.median"
	echo
}

rm -f ./*.out ./rate.*.csv
i=1
while [ "$i" -le "$rounds" ]; do
	echo "round $i: load $(cut -d' ' -f1-3 /proc/loadavg)" >&2
	mpi -u 64 -o "openmpi.$i.a.out"
	./halfpeak engine bench shm --pin --programs ping_bulk --size $sizes --budget 4s --netpipe "shm.$i.out" >/dev/null
	mpi -l 1024 -u 4194304 -o "openmpi.$i.b.out"
	./halfpeak engine bench shm --check --programs hand_over,thru_bulk --size 1 --budget 2s --format csv >"rate.$i.csv" 2>/dev/null
	tcp -u 64 -o "nptcp.$i.a.out"
	./halfpeak engine bench tcp --pin --programs ping_bulk --size $sizes --budget 4s --netpipe "tcp.$i.out" >/dev/null
	tcp -l 1024 -u 1048576 -o "nptcp.$i.b.out"
	i=$((i + 1))
done
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) processors, $(uname -sr), $(mpirun --version | head -1), $rounds rounds"
echo
table openmpi shm
table nptcp tcp
# The interval of thru_bulk and the time of hand_over are in the same column.
median() { awk -F, -v p="$1" '$2 == p { print $4 }' rate.*.csv | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'; }
echo "shm: a frame without data or endpoint is handed over in $(median hand_over) µs;"
echo "messages of 1 byte one way, with credits and checksums, every $(median thru_bulk) µs"
