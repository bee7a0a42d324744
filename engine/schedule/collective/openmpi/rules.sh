#!/bin/sh
# rules.sh [RANKS ...]: shows that Open MPI does what a rules file of package rules says. It writes
# the classic file of the table in rules_test.go, lets one call of each collective run under mpirun
# with coll_tuned_use_dynamic_rules 1, that file and the monitoring layer on, and compares the
# counted messages with the schedule of the algorithm that the file names for that size (default:
# 5 and 8 ranks). First it counts the same calls without the file, for comparison. Exit 1 if a
# rule was not followed. Needs go, mpicc and mpirun; takes some minutes.
set -eu
[ $# -gt 0 ] || set -- 5 8
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$here" && go test -c -o "$work/openmpi" .)
mpicc -O1 -o "$work/call" "$here/program/call.c"
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
./openmpi -test.run Rules -rules rules
# calls FILE OPTION ...: counts all calls into FILE.
calls() {
	out=$1
	shift
	echo collective,number,algorithm,segment,ranks,bytes,src,dst,messages,total_bytes >"$out"
	for ranks in $all; do
		for what in bcast reduce allreduce reduce_scatter allgather alltoall gather scatter barrier; do
			for bytes in 64 512 996 1000 4092 4096 16384 100000; do
				[ "$what" = barrier ] && [ "$bytes" != 64 ] && continue
				rm -f mon.*.prof
				timeout 60 mpirun -np "$ranks" --oversubscribe --mca coll '^han,hcoll,ml,adapt' "$@" \
					--mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 3 \
					--mca pml_monitoring_filename mon ./call "$what" "$bytes" </dev/null
				cat mon.*.prof | awk -v line="$what,0,,0,$ranks,$bytes" \
					'$1 == "E" { printf "%s,%d,%d,%d,%d\n", line, $2, $3, $6, $4 }' >>"$out"
			done
		done
	done
}
all=$*
calls without.csv
echo "without the file: $(./openmpi -test.run Rules -used without.csv | grep -c 'not followed') of $(./openmpi -test.run Rules -test.v -used without.csv | grep -c counted:) calls are not as the file says"
calls with.csv --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename "$work/rules"
./openmpi -test.run Rules -test.v -used with.csv
