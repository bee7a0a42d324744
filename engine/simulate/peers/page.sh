#!/bin/sh
# The numbers of docs/simulate.md: its table beside LogGOPSim, and docs/tables/simulate.csv with its range. The
# all-to-all takes the peer two minutes in each round.
#
#	engine/simulate/peers/page.sh FOLDER [ROUNDS]
#
# FOLDER is as for run.sh. What is printed goes into the page by hand; the CSV is written.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)

"$here/run.sh" "$1" 0 "${2:-3}" dissemination:65536 binomialtreebcast:1048576 linear_alltoall:512 | "$here/table.awk"
cd "$root"
go test ./engine/simulate -run '^$' -bench Events -benchtime 50ms -count "${2:-3}" |
	"$here/cost.awk" >docs/tables/simulate.csv.new
mv docs/tables/simulate.csv.new docs/tables/simulate.csv
awk -F, 'NR == 2 {low = high = $4} NR > 1 {low = $4 < low ? $4 : low; high = $4 > high ? $4 : high}
	END {printf "An event takes %.0f to %.0f ns of processor time.\n", low, high}' docs/tables/simulate.csv
