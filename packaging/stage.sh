#!/usr/bin/env bash
# Makes what goreleaser does not: man pages, completions, the page's program inside the source tree, and the
# source tarball with its modules. Everything has the time of the commit, so that it is made alike again.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS= GOWORK=off LC_ALL=C TZ=UTC
stage=packaging/stage
version=$(packaging/version.sh)
epoch=$(git log -1 --format=%ct)
grep -q "^var version = \"v$version\"$" internal/flags/version.go || {
	echo "the tag says v$version, and internal/flags/version.go another version" >&2
	exit 1
}
rm -rf "$stage"
mkdir -p "$stage/man" "$stage/completions"

go generate ./internal/wasm # explorer.wasm.gz, wasm_exec.js
packaging/fonts.sh          # release.mod

CGO_ENABLED=0 go build -trimpath -o "$stage/halfpeak" ./cmd/halfpeak
"$stage/halfpeak" docs man "$stage/man"
gzip -9n "$stage"/man/*.1
for shell in bash zsh fish powershell; do
	"$stage/halfpeak" completion "$shell" >"$stage/completions/halfpeak.${shell/powershell/ps1}"
done
rm "$stage/halfpeak"

# The source of the commit, with the modules, and with the page's program.
name=halfpeak-$version
git archive --prefix="$name/" HEAD | tar -x -C "$stage"
cp internal/wasm/explorer.wasm.gz internal/wasm/wasm_exec.js "$stage/$name/internal/wasm/"
(cd "$stage/$name" && go mod vendor)
tar -C "$stage" --sort=name --mtime="@$epoch" --owner=root:0 --group=root:0 --mode=go=rX,u+rw -c "$name" | gzip -9n >"$stage/$name-source.tar.gz"
rm -rf "${stage:?}/$name"
