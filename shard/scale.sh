#!/bin/sh
# scale.sh measures what one machine does, for docs/validation/scale.md: how fast a fleet's files, the rows of a
# CSV file and the points of a sweep are read and computed, and what dividing the work costs: the
# time of each shard, and of merging its part. It prints tables in Markdown. Each time is the least
# of the rounds: the clock, and beside it the processor time, which other work on the machine
# disturbs less.
#
#   shard/scale.sh [ROUNDS] [DIRECTORY]      3 rounds; the directory is kept
#
# It needs Go and GNU time, 1 GB in the directory and some five minutes.
set -eu
rounds=${1:-3}
dir=${2:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
root=$(cd "$(dirname "$0")/.." && pwd)
(cd "$root" && go build -o "$dir/halfpeak" ./cmd/halfpeak)
cd "$dir"

# least COMMAND… prints the least clock and processor time in seconds, and the peak in MB.
least() {
	: >times.txt
	r=0
	while [ "$r" -lt "$rounds" ]; do
		/usr/bin/time -a -o times.txt -f '%e %U %S %M' "$@" >/dev/null 2>&1
		r=$((r + 1))
	done
	awk 'NR == 1 || $1 < c { c = $1 } NR == 1 || $2 + $3 < u { u = $2 + $3 } $4 > m { m = $4 } END { printf "%.2f %.2f %.0f\n", c, u, m / 1000 }' times.txt
}

# row WHAT UNITS UNIT COMMAND… is a row of the first table.
row() {
	what=$1 units=$2 unit=$3
	shift 3
	least "$@" | awk -v what="$what" -v n="$units" -v unit="$unit" '{ printf "| %s | %d %s | %.2f | %.2f | %.0f | %d | %d |\n", what, n, unit, $1, $2, $3, n / $1, n / $2 }'
}

if [ ! -d night ]; then # all pairs of 142 nodes but a few: 10,000 files of nccl-tests, of 13 sizes
	mkdir night
	awk 'BEGIN {
		srand(2)
		for (a = 0; a < 142; a++) {
			for (b = a + 1; b < 142 && files < 10000; b++) {
				name = sprintf("night/sendrecv_n%03d_n%03d.log", a, b)
				printf "# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22902\n# Collective test starting: sendrecv_perf\n# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 4(factor) warmup iters: 5 iters: 20\n#\n# Using devices\n" >name
				printf "#  Rank  0 Group  0 Pid  1234 on n%03d device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n#  Rank  1 Group  0 Pid  1235 on n%03d device  0 [0000:1b:00] NVIDIA H100 80GB HBM3\n#\n", a, b >name
				printf "#                                                              out-of-place                       in-place\n#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n" >name
				for (n = 8; n <= 134217728; n *= 4) {
					t = (20 + n * 2.5e-5) * (1 + 0.01 * (rand() + rand() - 1)) * (a == 17 || b == 17 ? 1.1 : 1)
					printf "%12d  %12d    double     sum      -1  %.2f   %.2f   %.2f       0  %.2f   %.2f   %.2f    N/A\n", n, n / 8, t, n / t / 1e3, n / t / 1e3, 1.01 * t, n / t / 1e3, n / t / 1e3 >name
				}
				printf "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 41.2951\n#\n" >name
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
			printf "%d,%.3f\n", n, (5 + n / 2000) * (1 + 0.02 * sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()))
		}
	}' >rows.csv
fi
cat night/* rows.csv >/dev/null # into the system's cache
sweep='whatif clip --sweep host-dma.tau=1us/KiB..8us/KiB/2000 --sweep wire.tau=1us/KiB..8us/KiB/2000'

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) processors, load $(cut -d' ' -f1 /proc/loadavg), the least of $rounds rounds"
echo
echo "| what | units | clock, s | processor, s | peak, MB | a second of the clock | a second of a processor |"
echo "|:---|---:|---:|---:|---:|---:|---:|"
row "outputs of nccl-tests, 2.3 kB each" 10000 files ./halfpeak fleet night --format csv
row "a CSV file of 127 MB, a straight line" 10000000 rows ./halfpeak fit rows.csv --model linear
# shellcheck disable=SC2086
row "points of a sweep over two parameters, three quantities each, into a picture" 4000000 points ./halfpeak $sweep --plot map.png
# shellcheck disable=SC2086
row "the same into a CSV file" 4000000 points ./halfpeak $sweep -o sweep.csv --force

# shards NAME COUNT OUT COMMAND… is a row of the second table: the mean over the shards, which run one
# after the other, and the merge.
shards() {
	name=$1 count=$2 out=$3
	shift 3
	rm -rf parts merged.* whole.*
	mkdir parts
	: >shards.txt
	i=1
	while [ "$i" -le "$count" ]; do
		/usr/bin/time -a -o shards.txt -f '%e %U %S %M' ./halfpeak "$@" --shard "$i/$count" -o "parts/part-$i" >/dev/null 2>&1
		i=$((i + 1))
	done
	merge=$(least ./halfpeak "$1" merge parts/part-* -o "merged.$out")
	./halfpeak "$@" -o "whole.$out" >/dev/null 2>&1
	same=no
	cmp -s "whole.$out" "merged.$out" && same=yes
	awk -v name="$name" -v n="$count" -v merge="$merge" -v bytes="$(du -sb parts | cut -f1)" -v same=$same '
		{ c += $1; u += $2 + $3; if ($4 > m) m = $4 }
		END { split(merge, g, " "); printf "| %s | %d | %.3f | %.3f | %.0f | %d | %s | %s | %.2f | %s | %s |\n", name, n, c / n, u / n, m / 1000, bytes / n, g[1], g[2], 1000 * g[2] / n, g[3], same }' shards.txt
}

echo
echo "| what | shards | a shard: clock, s | processor, s | peak, MB | its part, bytes | merge: clock, s | processor, s | a part, ms | peak, MB | same as unsharded |"
echo "|:---|---:|---:|---:|---:|---:|---:|---:|---:|---:|:---|"
for n in 1 10 100 1000; do
	shards "10,000 files" $n csv fleet night
done
