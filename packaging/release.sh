#!/usr/bin/env bash
# Makes all files of a release in packaging/dist and publishes nothing: from the commit that is checked out, in a
# clone of its own, so that nothing else of the checkout gets in. Arguments go to goreleaser. GORELEASER
# names one that is there already (it takes some minutes to compile, and then is in Go's cache);
# DIST, another folder for the files; PARALLELISM, how many builds run at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS= GOWORK=off
goreleaser=${GORELEASER:-$(cd packaging && go tool -n goreleaser)}
dist=$(realpath -m "${DIST:-packaging/dist}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q . "$work/halfpeak"
cd "$work/halfpeak"
HALFPEAK_VERSION=$(packaging/version.sh)
export HALFPEAK_VERSION
"$goreleaser" release --snapshot --clean --parallelism "${PARALLELISM:-2}" "$@"
cp packaging/stage/*-source.tar.gz packaging/dist
packaging/wheels.sh packaging/dist
packaging/recipes.sh packaging/dist
packaging/sign.sh packaging/dist
rm -rf "$dist"
mkdir -p "$(dirname "$dist")"
mv packaging/dist "$dist"
