#!/usr/bin/env bash
# Writes packaging/stage/release.mod, with which released binaries are built (go build -modfile). It
# differs from go.mod in the fonts: gonum/plot registers twelve faces of Liberation, of which halfpeak's
# figures use two, and gonum measures some labels by a third; no option leaves one out. In a copy of
# that module the other nine stand for the first, which saves 4 MB.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS= GOWORK=off
module=codeberg.org/go-fonts/liberation
fonts=packaging/stage/fonts
mkdir -p packaging/stage
rm -rf "$fonts"
cp -r "$(go list -m -f '{{.Dir}}' $module)" "$fonts"
chmod -R u+w "$fonts"
for folder in "$fonts"/liberation*/; do
	face=$(basename "$folder")
	case $face in
	liberationsansregular | liberationsansbold | liberationserifregular) continue ;;
	esac
	rm "$folder"/*
	printf 'package %s\n\nimport "%s/liberationsansregular"\n\nvar TTF = liberationsansregular.TTF\n' "$face" "$module" >"$folder/data.go"
done
cp go.mod packaging/stage/release.mod
cp go.sum packaging/stage/release.sum
go mod edit -replace="$module=./$fonts" packaging/stage/release.mod
