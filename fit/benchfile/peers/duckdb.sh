#!/bin/sh
# duckdb.sh reads a CSV file of 10 million rows (127 MB) with halfpeak, and with DuckDB on two
# threads, and compares the lines they put through the points. Rounds alternate, so that whatever
# else the machine does meets both. The table shows the time on the clock, the processor time, and
# the peak of memory of each process; of DuckDB also the query alone, without the start of node. The
# load of the machine stands beside: with more than the two threads running, the clock says little.
#
#   fit/benchfile/peers/duckdb.sh [ROUNDS] [DIRECTORY]      3 rounds; the directory is kept
#
# It needs Go, node with npm, and GNU time, and fetches @duckdb/node-api into the directory.
set -eu
rounds=${1:-3}
dir=${2:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
root=$(cd "$(dirname "$0")/../../.." && pwd)
(cd "$root" && go build -o "$dir/halfpeak" ./cmd/halfpeak)
cd "$dir"
if [ ! -d node_modules/@duckdb/node-api ]; then
	npm init -y >/dev/null 2>&1
	npm install --no-fund --no-audit @duckdb/node-api >npm.log 2>&1 || { cat npm.log >&2; exit 1; }
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
cat >duckdb.mjs <<'JS'
import { DuckDBInstance } from '@duckdb/node-api';
const db = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
const start = process.hrtime.bigint();
const rows = await db.runAndReadAll(`SELECT regr_intercept(time_us, size_bytes), 1024 * regr_slope(time_us, size_bytes), count(*), version() FROM read_csv('rows.csv')`);
const seconds = Number(process.hrtime.bigint() - start) / 1e9;
const [beta, tau, n, version] = rows.getRows()[0];
console.log(`${seconds.toFixed(2)} ${beta.toPrecision(9)} ${tau.toPrecision(9)} ${n} ${version}`);
JS
export GOMAXPROCS=2
: >halfpeak.txt
: >duckdb.txt
i=1
while [ "$i" -le "$rounds" ]; do
	cat rows.csv >/dev/null # into the system's cache
	for who in halfpeak duckdb; do
		load=$(cut -d' ' -f1 /proc/loadavg)
		case $who in
		halfpeak) /usr/bin/time -o time.txt -f '%e %U %S %M' ./halfpeak fit rows.csv --model linear --method ordinary --format json >out.txt ;;
		duckdb) /usr/bin/time -o time.txt -f '%e %U %S %M' node duckdb.mjs >out.txt ;;
		esac
		echo "$i $load $(cat time.txt) $(tr -d '\n' <out.txt)" >>$who.txt
	done
	i=$((i + 1))
done
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2), $(nproc) processors, $(wc -c <rows.csv) bytes, $(awk 'END { print NR - 1 }' rows.csv) rows, $(awk '{ print "DuckDB " $11; exit }' duckdb.txt)"
echo
echo "| round | | load | clock, s | user, s | system, s | peak, MB | query alone, s | β, µs | τ, µs/KiB |"
echo "|---:|---|---:|---:|---:|---:|---:|---:|---:|---:|"
field() { sed -n "s/.*\"$1\": *\([-0-9.e+]*\).*/\1/p"; }
while read -r round load clock user sys peak rest; do
	echo "| $round | halfpeak | $load | $clock | $user | $sys | $((peak / 1000)) | | $(echo "$rest" | field beta_us) | $(echo "$rest" | field tau_us_per_kib) |"
	sed -n "${round}p" duckdb.txt | awk '{ printf "| %s | DuckDB | %s | %s | %s | %s | %d | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6 / 1000, $7, $8, $9 }'
done <halfpeak.txt
