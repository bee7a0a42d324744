#!/bin/sh
# count.sh RANKS ...: what Open MPI's own monitoring layer counts for one call of each collective
# with each algorithm of coll/tuned forced, as CSV on standard output: who sent how many
# messages and bytes to whom. SIZES and SEGMENTS (bytes, 0: none) may be set. Two ranks are
# the algorithms for two processes alone. Needs mpicc and mpirun (Debian: openmpi-bin,
# libopenmpi-dev); a call takes half a second. "go test . -run Messages -counts TABLE" in this
# directory compares such a table with the schedules.
set -eu
[ $# -gt 0 ] || { echo "usage: count.sh RANKS ..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mpicc -O1 -o "$work/call" "$here/program/call.c"
cd "$work"
# As root Open MPI wants to be told twice.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# collective number name: + if it takes segments, 2 if it is for two ranks
algorithms='
allgather 1 linear
allgather 2 bruck
allgather 3 recursive_doubling
allgather 4 ring
allgather 5 neighbor
allgather 6 two_proc 2
allreduce 1 basic_linear
allreduce 2 nonoverlapping
allreduce 3 recursive_doubling
allreduce 4 ring
allreduce 5 segmented_ring +
allreduce 6 rabenseifner
alltoall 1 linear
alltoall 2 pairwise
alltoall 3 modified_bruck
alltoall 4 linear_sync
alltoall 5 two_proc 2
barrier 1 linear
barrier 2 double_ring
barrier 3 recursive_doubling
barrier 4 bruck
barrier 5 two_proc 2
barrier 6 tree
bcast 1 basic_linear
bcast 2 chain +
bcast 3 pipeline +
bcast 4 split_binary_tree +
bcast 5 binary_tree +
bcast 6 binomial +
bcast 7 knomial +
bcast 8 scatter_allgather
bcast 9 scatter_allgather_ring
gather 1 basic_linear
gather 2 binomial
gather 3 linear_sync
reduce 1 linear
reduce 2 chain +
reduce 3 pipeline +
reduce 4 binary +
reduce 5 binomial +
reduce 6 in-order_binary +
reduce 7 rabenseifner
reduce_scatter 1 non-overlapping
reduce_scatter 2 recursive_halving
reduce_scatter 3 ring
reduce_scatter 4 butterfly
reduce_scatter_block 1 basic_linear
reduce_scatter_block 2 recursive_doubling
reduce_scatter_block 3 recursive_halving
reduce_scatter_block 4 butterfly
scan 1 linear
scan 2 recursive_doubling
scatter 1 basic_linear
scatter 2 binomial
scatter 3 linear_nb
'
echo collective,number,algorithm,segment,ranks,bytes,src,dst,messages,total_bytes
for ranks; do
	echo "$algorithms" | while read -r what number name kind; do
		[ -n "$what" ] || continue
		case "$kind$ranks" in
		22) segments=0 ;;
		2*) continue ;; # for two ranks, and there are others
		*2) continue ;; # two ranks, and it is for others
		+*) segments=${SEGMENTS:-0 1024} ;;
		*) segments=0 ;;
		esac
		sizes=${SIZES:-8 4096 100000}
		[ "$what" = barrier ] && sizes=8
		for segment in $segments; do
			for bytes in $sizes; do
				# A segment as long as the message is none.
				[ "$segment" -lt "$bytes" ] || continue
				rm -f mon.*.prof
				if ! timeout 60 mpirun -np "$ranks" --oversubscribe --mca coll '^han,hcoll,ml,adapt' \
					--mca coll_tuned_use_dynamic_rules 1 \
					--mca "coll_tuned_${what}_algorithm" "$number" \
					$([ "$segment" = 0 ] || echo --mca "coll_tuned_${what}_algorithm_segmentsize" "$segment") \
					--mca pml_monitoring_enable 1 --mca pml_monitoring_enable_output 3 \
					--mca pml_monitoring_filename mon ./call "$what" "$bytes" </dev/null >log 2>&1; then
					echo "count.sh: $what $number of $bytes bytes on $ranks ranks failed: $(head -n 1 log)" >&2
					continue
				fi
				cat mon.*.prof | awk -v line="$what,$number,$name,$segment,$ranks,$bytes" \
					'$1 == "E" { printf "%s,%d,%d,%d,%d\n", line, $2, $3, $6, $4 }' | sort -t, -k7n -k8n
			done
		done
	done
done
