#!/usr/bin/env bash
# Signs the sums of a release, sign.sh DIST, with cosign and the key of the releaser: COSIGN_KEY
# names a file or a key of a key store, as cosign takes it. Without a key it says that nothing is
# signed. checksums.txt names all files, so that one signature covers them:
#
#	cosign verify-blob --key cosign.pub --signature checksums.txt.sig checksums.txt
set -euo pipefail
dist=$1
if [ -z "${COSIGN_KEY:-}" ]; then
	echo "skipped: not signed, since COSIGN_KEY names no key"
elif ! command -v cosign >/dev/null; then
	echo "COSIGN_KEY is set, and cosign is not installed" >&2
	exit 1
else
	cosign sign-blob --yes --key "$COSIGN_KEY" --tlog-upload=false \
		--output-signature "$dist/checksums.txt.sig" "$dist/checksums.txt"
fi
