#!/usr/bin/env bash
# Proves that a release can be installed and runs.
#
#	packaging/check.sh             the short form, for .ci/run: a binary made as for a release runs without Go, network
#	                               and home, and starts fast; its size is printed; recipes and workflows are well-formed
#	packaging/check.sh --long DIR  and besides: the files in DIR, made by packaging/release.sh, are installed and run;
#	                               with --twice OTHER, those in OTHER are the same bytes
#
# What this machine lacks is skipped, and said.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

max_version_ms=15  # "halfpeak version", from start to exit
max_predict_ms=30  # "halfpeak predict"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}
skip() { echo "skipped: $*"; }
say() { printf '%-12s %s\n' "$1" "$2"; }

# alone DIR COMMAND… runs it as in a login node's home: empty, no Go, no network, no variables.
if unshare -rn true 2>/dev/null; then
	alone() { (cd "$1" && shift && unshare -rn env -i HOME="$PWD" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"); }
else
	skip "namespaces: unshare -rn does not work here; the commands run with this machine's network"
	alone() { (cd "$1" && shift && env -i HOME="$PWD" PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"); }
fi

# runs BINARY NAME runs README's commands, and what else needs files that only a release has.
runs() {
	local home
	home=$(mktemp -d "$work/home.XXXX")
	alone "$home" "$1" version >"$work/out" || fail "$2: version"
	grep -q "v$(packaging/version.sh)" "$work/out" || fail "$2: version is $(tail -1 "$work/out")"
	alone "$home" "$1" predict clip --size 64KiB --packet 4096 >"$work/out" || fail "$2: predict"
	grep -q '111.2 MB/s' "$work/out" || fail "$2: predict does not print the 111.2 MB/s of docs/papers.md"
	cp fit/benchfile/testdata/netpipe-3.7.2-openmpi-4.1.4-sm.np.out "$home/np.out"
	alone "$home" "$1" fit np.out --segments 5 --save my.toml >"$work/out" || fail "$2: fit"
	alone "$home" "$1" predict my.toml --size 64,64KiB,8MiB >"$work/out" || fail "$2: predict of a fitted platform"
	grep -q '64 KiB' "$work/out" || fail "$2: predict my.toml prints no 64 KiB"
	[ "$(cd "$home" && find . -type f | sort | tr '\n' ' ')" = "./my.toml ./np.out " ] || fail "$2 left other files: $(ls -A "$home")"
	if [ "${3:-}" = page ]; then
		alone "$home" "$1" explore clip -o page.html >"$work/out" || fail "$2: explore needs a compiler"
		[ "$(wc -c <"$home/page.html")" -gt 1000000 ] || fail "$2: the page has no program in it"
	fi
	say "$2" "runs without Go, network and home: version, predict, fit, predict of the fit${3:+, explore}"
}

# fastest LIMIT COMMAND… prints the shortest of 20 runs in ms, and of up to 300 where other work makes all of them
# longer than the limit.
fastest() {
	local best=1000000 limit=$(($1 * 1000)) from to i
	shift
	for ((i = 0; i < 20 || i < 300 && best >= limit; i++)); do
		from=${EPOCHREALTIME/./}
		"$@" >/dev/null
		to=${EPOCHREALTIME/./}
		((to - from < best)) && best=$((to - from))
	done
	echo "$((best / 1000)).$((best % 1000 / 100))"
}

# wheel DIR NAME installs the wheel of this system in DIR with pip, without network, and runs it.
wheel() {
	local env=$work/venv.$2
	if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
		skip "wheel: no python3 with venv"
		return
	fi
	python3 -m venv "$env" || fail "wheel: python3 -m venv"
	"$env/bin/pip" --disable-pip-version-check install -q --no-index --no-deps --find-links "$1" --pre halfpeak ||
		fail "wheel: pip finds none for this system in $(cd "$1" && ls -m -- *.whl)"
	runs "$env/bin/halfpeak" "$2" "${3:-}"
	"$env/bin/pip" --disable-pip-version-check uninstall -q -y halfpeak
	[ ! -e "$env/bin/halfpeak" ] || fail "wheel: pip leaves the binary"
	say "$2" "installed by pip without network, run, removed"
}
# conda RECIPE checks the form of conda's recipe, whose builder is seldom installed: its keys are
# those of schema 1, and nothing is left to fill in.
conda() {
	python3 - "$1" <<'PYTHON'
import re, sys, yaml
recipe = yaml.safe_load(open(sys.argv[1]))
want = {"schema_version", "context", "package", "source", "build", "requirements", "tests", "about"}
assert set(recipe) == want and recipe["schema_version"] == 1, set(recipe)
assert re.fullmatch(r"[0-9a-z.]+", recipe["context"]["version"]), recipe["context"]
assert re.fullmatch(r"[0-9a-f]{64}", recipe["source"]["sha256"]), recipe["source"]
assert recipe["about"]["license"] == "BSD-3-Clause" and recipe["tests"][0]["script"]
unix = recipe["build"]["script"]["content"][0]["then"]
assert all(isinstance(line, str) for line in unix), unix
PYTHON
}

# gate runs the step of packaging/action as GitHub does, by its variables.
gate() {
	local pack=$work/gate sum
	mkdir -p "$pack/halfpeak"
	cp "$work/halfpeak" "$pack/halfpeak/"
	tar -C "$pack" -czf "$pack/archive.tar.gz" halfpeak
	sum=$(sha256sum "$pack/archive.tar.gz" 2>/dev/null || shasum -a 256 "$pack/archive.tar.gz")
	(cd "$pack" && "$work/halfpeak" demo samples >"$work/out") || fail "gate: demo"
	# A run that takes 1.3 times as long, and one that is 1 % off.
	awk '/^[0-9]/ { $2 *= 1.3 } { print }' "$pack/samples/latency.txt" >"$pack/slow.txt"
	awk '/^[0-9]/ { $2 *= 1.01 } { print }' "$pack/samples/latency.txt" >"$pack/same.txt"
	# step WANT TEXT VARIABLES… runs the step; its exit status and output must be WANT, its summary has TEXT.
	step() {
		local want=$1 text=$2 status=0
		shift 2
		: >"$pack/summary" >"$pack/output"
		(cd "$pack" && env "SHA256=${sum%% *}" ARCHIVE=archive.tar.gz "$@" GITHUB_STEP_SUMMARY=summary GITHUB_OUTPUT=output \
			RUNNER_TEMP="$work" bash "$OLDPWD/packaging/action/gate.sh" >log 2>&1) || status=$?
		[ "$status" = "$want" ] || fail "gate: $*: status $status, want $want: $(cat "$pack/log")"
		grep -qx "status=$want" "$pack/output" || fail "gate: $*: output is $(cat "$pack/output")"
		grep -qF -- "$text" "$pack/log" "$pack/summary" || fail "gate: $*: no \"$text\""
	}
	step 0 'fit: nothing has changed' BEFORE=samples/latency.txt AFTER=same.txt
	step 3 '| slower |' BEFORE=samples/latency.txt AFTER=slow.txt
	step 3 '| node | n07 |' FLEET=samples/fleet.csv
	step 3 'slower than before' FLEET=samples/fleet.csv FLEET_BEFORE=samples/yesterday.csv
	step 1 'fleet: **something has changed**' BEFORE=none.txt AFTER=slow.txt FLEET=samples/fleet.csv
	step 1 'the sum of archive.tar.gz is' SHA256=0 FLEET=samples/fleet.csv
	step 1 'nothing to do' BEFORE=
	say action "the gate has status 0, 1 and 3, and writes its summary"
}

# image builds packaging/Dockerfile, and runs it without network.
image() {
	if ! command -v docker >/dev/null || ! docker info >/dev/null 2>&1; then
		skip "image: no docker that answers"
		return
	fi
	docker build -q -f packaging/Dockerfile -t halfpeak-check . >"$work/out" || fail "image: docker build"
	docker run --rm --network none halfpeak-check predict clip --size 64KiB --packet 4096 >"$work/out" || fail "image: predict"
	grep -q '111.2 MB/s' "$work/out" || fail "image: predict prints $(cat "$work/out")"
	docker run --rm --network none -v "$PWD/fit/benchfile/testdata:/data:ro" halfpeak-check \
		fit netpipe-3.7.2-openmpi-4.1.4-sm.np.out >"$work/out" || fail "image: fit of a file beside it"
	docker rmi halfpeak-check >/dev/null
	say image "built by docker; predict and fit run in it without network"
}

small_and_fast() {
	local size v p
	size=$(wc -c <"$1")
	v=$(fastest $max_version_ms "$1" version) p=$(fastest $max_predict_ms "$1" predict clip --size 64KiB)
	((${v%.*} < max_version_ms)) || fail "$2 version takes $v ms, more than $max_version_ms"
	((${p%.*} < max_predict_ms)) || fail "$2 predict takes $p ms, more than $max_predict_ms"
	say "$2" "$size bytes; version $v ms, predict $p ms"
}

short() {
	packaging/fonts.sh
	CGO_ENABLED=0 go build -modfile packaging/stage/release.mod -ldflags "-s -w" -o "$work/halfpeak" ./cmd/halfpeak
	runs "$work/halfpeak" built
	small_and_fast "$work/halfpeak" built
	if [ "$(uname -s)" = Linux ]; then # as in the image of packaging/Dockerfile
		mkdir "$work/scratch"
		cp "$work/halfpeak" "$work/scratch/halfpeak"
		if unshare -rn chroot "$work/scratch" /halfpeak version >/dev/null 2>&1; then
			unshare -rn chroot "$work/scratch" /halfpeak predict clip --size 64KiB >/dev/null || fail "predict needs other files"
			say scratch "the binary is all that an image needs"
		else
			skip "chroot: unshare -r chroot does not work here"
		fi
	fi

	# A wheel of this binary, made as a release makes it from an archive.
	version=$(packaging/version.sh)
	if [ "$(uname -s)" = Linux ] && command -v python3 >/dev/null; then
		local archive
		archive=halfpeak-$version-linux-$(uname -m)
		mkdir -p "$work/wheels" "$work/packed/$archive"
		cp "$work/halfpeak" LICENSE NOTICE README.md "$work/packed/$archive"
		tar -C "$work/packed" -czf "$work/wheels/$archive.tar.gz" "$archive"
		packaging/wheels.sh "$work/wheels" >/dev/null || fail "wheels.sh"
		wheel "$work/wheels" wheel
	else
		skip "wheel: not Linux, or no python3"
	fi

	gate
	image

	mkdir "$work/made" # recipes, filled with sums of nothing
	for name in source linux-x86_64 linux-aarch64 linux-ppc64le linux-riscv64; do
		printf '%064d  halfpeak-%s-%s.tar.gz\n' 0 "$version" "$name"
	done >"$work/made/checksums.txt"
	packaging/recipes.sh "$work/made"
	[ "$(find "$work/made/recipes" -type f | wc -l)" = "$(find packaging/recipes -type f | wc -l)" ] || fail "recipes: some were not filled"
	if command -v python3 >/dev/null; then
		for f in package.py "halfpeak-$version.eb"; do
			python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$work/made/recipes/$f" || fail "$f"
		done
		if python3 -c 'import yaml' 2>/dev/null; then
			conda "$work/made/recipes/recipe.yaml" || fail recipe.yaml
		else
			skip "recipe of conda: no PyYAML"
		fi
	else
		skip "recipes of Spack and EasyBuild: no Python"
	fi
	if command -v ruby >/dev/null; then ruby -c "$work/made/recipes/halfpeak.rb" >/dev/null || fail halfpeak.rb; else skip "formula: no Ruby"; fi
	if command -v tclsh >/dev/null; then
		echo 'foreach p {module-whatis conflict prepend-path} { proc $p args {} }; source [lindex $argv 0]' >"$work/module.tcl"
		tclsh "$work/module.tcl" "$work/made/recipes/modulefile" || fail modulefile
	else
		skip "modulefile: no Tcl"
	fi
	for f in packaging/*.sh packaging/action/*.sh; do bash -n "$f" || fail "$f"; done
	(cd "$work/made/recipes" && sha256sum --quiet --ignore-missing -c ../checksums.txt) || fail "recipes: sums"
	COSIGN_KEY='' packaging/sign.sh "$work/made" | grep -q '^skipped: not signed' || fail "sign.sh"
	say recipes "filled and parsed, with sums"

	if offline=$(cd packaging && GOFLAGS= GOPROXY=off go list -deps github.com/rhysd/actionlint/cmd/actionlint 2>&1 >/dev/null); then
		(cd packaging && GOFLAGS= go tool actionlint -shellcheck= -pyflakes= ../.github/workflows/*.yml) || fail "workflows"
		say workflows "actionlint finds nothing"
	else
		skip "workflows: actionlint is not in the module cache (go -C packaging mod download): ${offline%%$'\n'*}"
	fi
}

# long DIR [OTHER]
long() {
	local dist name arch page
	dist=$(cd "$1" && pwd)
	# Recipes stand in a folder of their own here, and beside the rest where they are published.
	for folder in "$dist" "$dist/recipes"; do
		(cd "$folder" && sha256sum --quiet --ignore-missing -c "$dist/checksums.txt") || fail "checksums"
	done
	for f in $(cut -c67- "$dist/checksums.txt"); do
		[ -e "$dist/$f" ] || [ -e "$dist/recipes/$f" ] || fail "checksums: $f is missing"
	done
	if [ -n "${2:-}" ]; then
		diff "$dist/checksums.txt" "$2/checksums.txt" || fail "two builds differ"
		say twice "$(wc -l <"$dist/checksums.txt") files are the same bytes in two builds"
	fi

	arch=$(uname -m) version=$(packaging/version.sh)
	name=halfpeak-$version-linux-$arch
	mkdir "$work/prefix"
	tar -xzf "$dist/$name.tar.gz" -C "$work/prefix"
	runs "$work/prefix/$name/halfpeak" archive page
	small_and_fast "$work/prefix/$name/halfpeak" archive
	[ "$(cd "$work/prefix/$name" && ls -m)" = "CHANGELOG.md, LICENSE, NOTICE, README.md, halfpeak, share" ] || fail "archive: $(ls "$work/prefix/$name")"
	gzip -dc "$work/prefix/$name/share/man/man1/halfpeak-predict.1.gz" | grep -q '^\.TH' || fail "archive: man page"
	bash -n "$work/prefix/$name/share/completions/halfpeak.bash" || fail "archive: completion"
	for f in "$dist"/halfpeak-*-{linux,darwin,freebsd,windows}-*.{tar.gz,zip}; do
		[ -e "$f" ] || continue
		case $f in
		*.zip) size=$(unzip -l "$f" | awk '$4 ~ /halfpeak\.exe$/ { print $1 }') ;;
		*) size=$(tar -tvzf "$f" | awk '$6 ~ /\/halfpeak$/ { print $3 }') ;;
		esac
		((size > 0)) || fail "$f: it has no binary"
		say size "$size bytes: $(basename "$f")"
	done

	if compgen -G "$dist/*.whl" >/dev/null; then
		[ "$(find "$dist" -name '*.whl' | wc -l)" = 5 ] || skip "wheels of some systems: $(cd "$dist" && ls -m -- *.whl)"
		wheel "$dist" released page
	else
		skip "wheel: $1 has none"
	fi

	if command -v dpkg >/dev/null && [ "$(id -u)" = 0 ]; then
		page=/usr/share/man/man1/halfpeak.1.gz
		dpkg -s halfpeak >/dev/null 2>&1 && fail "deb: halfpeak is installed here already"
		dpkg -i "$dist/halfpeak_${version/-/\~}_$(dpkg --print-architecture).deb"
		[ -e "$page" ] || grep -rqs "path-exclude=/usr/share/man" /etc/dpkg/dpkg.cfg.d || fail "deb: no man page"
		runs /usr/bin/halfpeak deb page
		dpkg -P halfpeak
		[ ! -e /usr/bin/halfpeak ] && [ ! -e "$page" ] && [ ! -e /usr/share/doc/halfpeak ] || fail "deb: files are left"
		say deb "installed, run, removed; nothing is left"
	else
		skip "deb: no dpkg, or not root"
	fi
	if command -v rpm >/dev/null; then
		rpm -qlp "$dist"/halfpeak-*."$arch".rpm | grep -qx /usr/bin/halfpeak || fail "rpm"
		say rpm "lists its files"
	else
		skip "rpm: no rpm to read it with"
	fi

	# The source builds and tests itself without network and module cache, with no more than Go.
	tar -xzf "$dist/halfpeak-$version-source.tar.gz" -C "$work"
	(
		cd "$work/halfpeak-$version"
		go=$(go env GOROOT)/bin
		unshare -rn env -i HOME="$work/nohome" PATH="$go:/usr/bin:/bin" GOFLAGS=-mod=vendor GOPROXY=off GOTOOLCHAIN=local CGO_ENABLED=0 GOCACHE="${GOCACHE:-$work/cache}" \
			go build -trimpath -tags explorer -ldflags '-s -w -buildid=' -o "$work/fromsource" ./cmd/halfpeak
	) || fail "the source does not build without network"
	runs "$work/fromsource" source page
	if python3 -c 'import yaml' 2>/dev/null; then
		# The commands of conda's recipe, as its builder runs them: in the source, with its variables.
		python3 -c 'import sys, yaml
script = yaml.safe_load(open(sys.argv[1]))["build"]["script"]
for name, value in script["env"].items(): print(f"export {name}={value}")
print(*script["content"][0]["then"], sep="\n")' "$dist/recipes/recipe.yaml" >"$work/conda.sh"
		(cd "$work/halfpeak-$version" && PREFIX=$work/conda bash -e "$work/conda.sh") || fail "the commands of recipe.yaml"
		runs "$work/conda/bin/halfpeak" conda page
	else
		skip "recipe of conda: no PyYAML"
	fi
	for f in "$dist"/*.cdx.json; do
		grep -q '"bomFormat": "CycloneDX"' "$f" && [ "$(grep -c '"purl": "pkg:golang' "$f")" -gt 20 ] || fail "$f lists too little"
	done
	say sbom "$(find "$dist" -name '*.cdx.json' | wc -l) lists of components, of $(grep -c '"type": "library"' "$dist/$name.cdx.json") libraries"
	say recipes "$(cd "$dist/recipes" && ls -m)"
}

case ${1:-} in
"") short ;;
--long)
	[ -n "${2:-}" ] || fail "--long needs the folder of a release"
	short
	if [ "${3:-}" = --twice ]; then long "$2" "${4:?the folder of the second build}"; else long "$2"; fi
	;;
*) fail "usage: packaging/check.sh [--long DIR [--twice OTHER]]" ;;
esac
echo "the release's files are as they should be"
