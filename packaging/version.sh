#!/bin/sh
# Prints the version of the commit: its tag's, or the one that is being made.
cd "$(dirname "$0")/.." || exit 1
tag=$(git describe --exact-match --match 'v[0-9]*' HEAD 2>/dev/null) && { echo "${tag#v}"; exit; }
sed -n 's/^var version = "v\(.*\)"$/\1/p' internal/flags/version.go
