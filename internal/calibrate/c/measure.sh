#!/bin/sh
# measure.sh LAUNCHER… PROGRAM ARGUMENTS…
#
# It compiles calibrate.c and trace.c beside it, measures the machine (me.csv), and records a run of
# the program (trace.NNNNNN), both with the same launcher:
#
#   sh measure.sh mpirun -np 4 ./program
#   halfpeak simulate trace.[0-9]* --machine me.csv
#
# The program is the first executable file with a slash in its name. MPICC names the compiler, MINUTES
# how long to measure (2 by default). An existing me.csv stays as it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
launcher=
while [ $# -gt 0 ]; do
	case $1 in */*) [ -x "$1" ] && [ ! -d "$1" ] && [ -n "$launcher" ] && break ;; esac
	launcher="$launcher $1"
	shift
done
if [ $# -eq 0 ]; then
	for word in $launcher; do
		case $word in
		*/*) echo "measure.sh: $word is no executable file" >&2 ;;
		esac
	done
	echo "usage: sh measure.sh LAUNCHER... ./PROGRAM ARGUMENTS..., as in sh measure.sh mpirun -np 4 ./program" >&2
	exit 2
fi
${MPICC:-mpicc} -O2 "$here/calibrate.c" -o "$here/calibrate" -lm
${MPICC:-mpicc} -shared -fPIC -O2 "$here/trace.c" -o "$here/libtrace.so"
if [ ! -s me.csv ]; then
	$launcher "$here/calibrate" --minutes "${MINUTES:-2}" --output me.csv.part
	mv me.csv.part me.csv
fi
rm -f trace.[0-9]*
$launcher env LD_PRELOAD="$here/libtrace.so" HALFPEAK_TRACE="$PWD" "$@"
echo "now: halfpeak simulate trace.[0-9]* --machine me.csv" >&2
