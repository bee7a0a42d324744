#!/bin/sh
# run.sh compares the engine with Open MPI and NetPIPE on this machine: shm with Open MPI's shared
# memory, and tcp with NetPIPE's own TCP over loopback, once on two processors and once on one.
# Each pair of programs is pinned to the same processors, and the table says which: a message that
# wakes a process on the other processor takes many times as long as one that does not.
#
# Runs alternate, so that whatever else the machine does meets all of them. The tables show medians
# over the rounds and the ratio of the times; below 1, halfpeak is faster. The load of the machine
# is printed before each round.
#
#   internal/engine/live/peers/run.sh [ROUNDS] [DIRECTORY]      5 rounds; results stay in the directory
#
# On Debian, as root, it installs what is missing. It needs Go and about a minute for a round.
set -eu
rounds=${1:-5}
dir=${2:-$(mktemp -d)}
mkdir -p "$dir"
if ! command -v NPtcp >/dev/null || ! command -v NPopenmpi >/dev/null; then
	apt-get install -y -qq netpipe-tcp netpipe-openmpi openmpi-bin >/dev/null
fi
root=$(cd "$(dirname "$0")/../../../.." && pwd)
(cd "$root" && go build -o "$dir/halfpeak" ./cmd/halfpeak)
cd "$dir"
sizes=1,16,64,256,1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# The first two processors that this script may use, which are those that halfpeak pins nodes to.
allowed=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }')
first=$(echo "$allowed" | sed -n 1p)
second=$(echo "$allowed" | sed -n 2p)

mpi() { timeout 300 mpirun -np 2 --oversubscribe --bind-to core NPopenmpi -p 0 "$@" >/dev/null 2>&1 || echo "NPopenmpi failed" >&2; }
tcp() { # SERVER'S PROCESSOR, CLIENT'S, NetPIPE's options
	there=$1
	here=$2
	shift 2
	timeout 300 taskset -c "$there" NPtcp -p 0 "$@" >/dev/null 2>&1 &
	server=$!
	sleep 0.5
	timeout 300 taskset -c "$here" NPtcp -h 127.0.0.1 -p 0 "$@" >/dev/null 2>&1 || echo "NPtcp failed" >&2
	wait $server || true
}
bench() { ./halfpeak engine bench "$1" --pin --programs ping_bulk --size $sizes --budget 4s --format netpipe -o "$2" >/dev/null 2>&1; }

# medians FILE… prints size and median time in µs of NetPIPE's files.
medians() {
	cat "$@" | awk 'NF == 3 { print $1, $3 * 1e6 }' | sort -k1,1n -k2,2n |
		awk '$1 != s { if (n) print s, t[int((n + 1) / 2)]; s = $1; n = 0 } { t[++n] = $2 } END { if (n) print s, t[int((n + 1) / 2)] }'
}

table() { # PEER'S FILES, OURS, what the peer is called, what ours is called, where they ran
	medians "$1".*.out >"$1.median"
	medians "$2".*.out >"$2.median"
	echo "$5:"
	echo
	echo "| size in bytes | $3, µs | halfpeak $4, µs | ratio | $3, MB/s | halfpeak, MB/s |"
	echo "|---:|---:|---:|---:|---:|---:|"
	awk 'NR == FNR { t[$1] = $2; next } $1 in t { printf "| %d | %.3f | %.3f | %.2f | %.1f | %.1f |\n", $1, t[$1], $2, $2 / t[$1], $1 / t[$1], $1 / $2 }' "$1.median" "$2.median"
	echo
}

rm -f ./*.out ./rate.*.csv
i=1
while [ "$i" -le "$rounds" ]; do
	echo "round $i: load $(cut -d' ' -f1-3 /proc/loadavg)" >&2
	if [ -n "$second" ]; then
		mpi -u 256 -o "openmpi.$i.a.out"
		bench shm "shm.$i.out"
		mpi -l 1024 -u 4194304 -o "openmpi.$i.b.out"
		./halfpeak engine bench shm --checksum --programs hand_over,thru_bulk --size 1 --budget 2s --format csv >"rate.$i.csv" 2>/dev/null
		tcp "$second" "$first" -u 256 -o "nptcp-two.$i.a.out"
		bench tcp "tcp-two.$i.out"
		tcp "$second" "$first" -l 1024 -u 1048576 -o "nptcp-two.$i.b.out"
	fi
	tcp "$first" "$first" -u 256 -o "nptcp-one.$i.a.out"
	taskset -c "$first" ./halfpeak engine bench tcp --pin --programs ping_bulk --size $sizes --budget 4s --format netpipe -o "tcp-one.$i.out" >/dev/null 2>&1
	tcp "$first" "$first" -l 1024 -u 1048576 -o "nptcp-one.$i.b.out"
	i=$((i + 1))
done
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) processors, $(uname -sr), $(mpirun --version | head -1), $rounds rounds"
echo
if [ -n "$second" ]; then
	table openmpi shm "Open MPI" shm "Shared memory, two processors ($first and $second)"
	table nptcp-two tcp-two NPtcp tcp "TCP over loopback, two processors ($first and $second)"
fi
table nptcp-one tcp-one NPtcp tcp "TCP over loopback, both processes on processor $first"
if [ -n "$second" ]; then
	# The interval of thru_bulk and the time of hand_over are in the same column.
	median() { awk -F, -v p="$1" '$2 == p { print $4 }' rate.*.csv | sort -n | awk '{ t[NR] = $1 } END { print t[int((NR + 1) / 2)] }'; }
	echo "shm: a frame without data or endpoint is handed over in $(median hand_over) µs;"
	echo "messages of 1 byte one way, with credits and checksums, every $(median thru_bulk) µs"
fi
