#!/bin/sh
# ablate.sh runs a program of this module as if a file of the project had another text, so that its
# table says what a term or a number is worth:
#
#   ablate.sh ../fitted/interval.go 'lean       = 0.2' 'lean = 0.0' ./collectives -only questions
#
# The old text is a line or a part of one, which the file must have once. Look at the rows "chosen
# on" alone: docs/tables/looks.csv has each look at the others.
set -eu
cd "$(dirname "$0")"
file=$1 old=$2 new=$3 program=$4
shift 4
[ "$(grep -cF -- "$old" "$file")" = 1 ] || { echo "$file has not one line with '$old'" >&2; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
OLD=$old NEW=$new awk '{
	at = index($0, ENVIRON["OLD"])
	if (at) $0 = substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(ENVIRON["OLD"]))
	print
}' "$file" >"$dir/changed.go"
printf '{"Replace": {"%s": "%s"}}' "$(realpath "$file")" "$dir/changed.go" >"$dir/overlay.json"
go build -overlay "$dir/overlay.json" -o "$dir/program" "$program"
"$dir/program" "$@"
