#!/usr/bin/env bash
# Fills in the recipes for the files of a release: recipes.sh DIST, the folder with checksums.txt.
# They go to DIST/recipes, and their sums into checksums.txt, under the names that they are
# published by.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dist=$(cd "$1" && pwd)
version=$(sed -n 's/^.*  halfpeak-\(.*\)-source\.tar\.gz$/\1/p' "$dist/checksums.txt")
go=$(sed -n 's/^go \([0-9]*\.[0-9]*\).*/\1/p' "$here/../go.mod")
# conda's versions have no "-": 0.3.0-dev is 0.3.0.dev0, 0.3.0-rc.1 is 0.3.0rc1, as in Python.
conda=$(sed 's/-dev$/.dev0/; s/-rc\.*/rc/' <<<"$version")
fill=(-e "s/@VERSION@/$version/g" -e "s/@CONDAVERSION@/$conda/g" -e "s/@GO@/$go/g")
while read -r sum name; do
	fill+=(-e "s/@SHA256 ${name#halfpeak-"$version"-}@/$sum/")
done < <(grep '\.tar\.gz$' "$dist/checksums.txt")
rm -rf "$dist/recipes"
mkdir "$dist/recipes"
for recipe in "$here"/recipes/*; do
	name=$(basename "$recipe")
	sed "${fill[@]}" "$recipe" >"$dist/recipes/${name/halfpeak.eb/halfpeak-$version.eb}"
done
for recipe in "$dist"/recipes/*; do # of a build of some systems only
	if grep -q '@[A-Z0-9]*\( [a-z0-9._-]*\)\?@' "$recipe"; then
		echo "no $(basename "$recipe"): not all of its files were made" >&2
		rm "$recipe"
	fi
done
for recipe in "$dist"/recipes/*; do # also if they were made before
	sed -i "/  $(basename "$recipe")\$/d" "$dist/checksums.txt"
done
(cd "$dist/recipes" && sha256sum -- * >>"$dist/checksums.txt")
