#!/bin/sh
# scale.sh measures how fast one machine reads the files of a fleet and the rows of a CSV file, and
# how fast it computes the points of a sweep: the table of docs/why.md. Each time is the minimum
# over the rounds: the clock, and beside it the processor time, which other work on the machine
# disturbs less.
#
#   internal/evidence/scale.sh [ROUNDS] [DIRECTORY]      3 rounds; the directory is kept
#
# It needs Go, GNU time, 8 GB and a million free inodes in the directory, and about half an hour.
# MANY is the number of small files, a million if it is not set.
set -eu
rounds=${1:-3}
dir=${2:-}
many=${MANY:-1000000}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
root=$(cd "$(dirname "$0")/../.." && pwd)
(cd "$root" && go build -o "$dir/halfpeak" ./cmd/halfpeak)
cd "$dir"

# least ROUNDS COMMAND… prints the least clock and processor time in seconds, and the peak in MB.
least() {
	times=$1
	shift
	: >times.txt
	r=0
	while [ "$r" -lt "$times" ]; do
		/usr/bin/time -a -o times.txt -f '%e %U %S %M' "$@" >/dev/null 2>&1
		r=$((r + 1))
	done
	awk '
		NR == 1 || $1 < clock { clock = $1 }
		NR == 1 || $2 + $3 < processor { processor = $2 + $3 }
		$4 > peak { peak = $4 }
		END { printf "%.2f %.2f %.0f\n", clock, processor, peak / 1000 }' times.txt
}

# row ROUNDS WHAT UNITS UNIT COMMAND… is a row of the table.
row() {
	times=$1 what=$2 units=$3 unit=$4
	shift 4
	least "$times" "$@" | awk -v what="$what" -v n="$units" -v unit="$unit" '{
		printf "| %s | %d %s | %.2f | %.2f | %.0f | %d |\n", what, n, unit, $1, $2, $3, n / $2
	}'
}

# All pairs of 142 nodes but a few: 10,000 files of nccl-tests with 13 sizes each. Node 17 is slow.
if [ ! -d night ]; then
	mkdir night
	awk 'BEGIN {
		srand(2)
		for (a = 0; a < 142; a++) {
			for (b = a + 1; b < 142 && files < 10000; b++) {
				name = sprintf("night/sendrecv_n%03d_n%03d.log", a, b)
				printf "# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22902\n" >name
				printf "# Collective test starting: sendrecv_perf\n" >name
				printf "# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 " >name
				printf "step: 4(factor) warmup iters: 5 iters: 20\n#\n# Using devices\n" >name
				gpu = "device  0 [0000:1b:00] NVIDIA H100 80GB HBM3"
				printf "#  Rank  0 Group  0 Pid  1234 on n%03d %s\n", a, gpu >name
				printf "#  Rank  1 Group  0 Pid  1235 on n%03d %s\n#\n", b, gpu >name
				printf "#                           out-of-place               in-place\n" >name
				printf "#       size         count      type   redop    root" >name
				printf "     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n" >name
				printf "#        (B)    (elements)                         " >name
				printf "     (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n" >name
				for (n = 8; n <= 134217728; n *= 4) {
					slow = a == 17 || b == 17 ? 1.1 : 1
					t = (20 + n * 2.5e-5) * (1 + 0.01 * (rand() + rand() - 1)) * slow
					rate = n / t / 1e3
					printf "%12d  %12d    double     sum      -1", n, n / 8 >name
					printf "  %.2f   %.2f   %.2f       0", t, rate, rate >name
					printf "  %.2f   %.2f   %.2f    N/A\n", 1.01 * t, rate, rate >name
				}
				printf "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 41.2951\n#\n" >name
				close(name)
				files++
			}
		}
	}'
fi
# Pairs of 1,415 nodes, in CSV files of five rows each, 1,000 in a folder.
if [ ! -d many ]; then
	mkdir many
	seq -f 'many/%05.0f' 0 $(((many - 1) / 1000)) | xargs mkdir
	awk -v many="$many" 'BEGIN {
		srand(3)
		for (a = 0; files < many; a++) {
			for (b = 0; b < a && files < many; b++) {
				name = sprintf("many/%05d/pair_n%04d_n%04d.csv", int(files / 1000), a, b)
				printf "size_bytes,time_us\n" >name
				for (n = 8; n <= 2097152; n *= 16) {
					printf "%d,%.3f\n", n, (2 + n / 1000) * (1 + 0.01 * (rand() + rand() - 1)) >name
				}
				close(name)
				files++
			}
		}
	}'
fi
if [ ! -f rows.csv ]; then
	awk 'BEGIN {
		srand(1)
		print "size_bytes,time_us"
		for (i = 0; i < 1e7; i++) {
			n = 1000 + 1000 * int(64 * rand())
			normal = sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand())
			printf "%d,%.3f\n", n, (5 + n / 2000) * (1 + 0.02 * normal)
		}
	}' >rows.csv
fi
cat night/* rows.csv >/dev/null # into the cache of the system

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) processors," \
	"load $(cut -d' ' -f1 /proc/loadavg), the least of $rounds rounds"
echo
echo "| what | units | clock, s | processor, s | peak, MB | a second of a processor |"
echo "|:---|---:|---:|---:|---:|---:|"
row "$rounds" "\`fleet\`: outputs of nccl-tests, 2.3 kB each" 10000 files ./halfpeak fleet night
row 1 "\`fleet\`: CSV files of five rows, 0.1 kB each" "$many" files \
	./halfpeak fleet many --name 'pair_{a}_{b}.csv'
row "$rounds" "\`fit\`: a CSV file of 127 MB, a straight line" 10000000 rows \
	./halfpeak fit rows.csv --model linear
tau=tau=1us/KiB..8us/KiB/2000
row "$rounds" "\`whatif sweep\` over two parameters, into a picture" 4000000 points \
	./halfpeak whatif sweep clip "host-dma.$tau" "wire.$tau" --plot map.png
row "$rounds" "the same into a CSV file" 4000000 points \
	./halfpeak whatif sweep clip "host-dma.$tau" "wire.$tau" -o sweep.csv
row "$rounds" "\`whatif sweep\` of points that simulate an allreduce of 64 ranks" 1000 points \
	./halfpeak whatif sweep clip "host-dma.tau=1us/KiB..8us/KiB/1000" \
	--collective allreduce/ring --ranks 64 -o points.csv
