#!/bin/sh
# Writes the components of a binary as CycloneDX, without what differs from run to run:
# sbom.sh BINARY DOCUMENT VERSION
binary=$(realpath "$1") document=$(realpath -m "$2")
GOFLAGS='' exec go -C "$(dirname "$0")" tool cyclonedx-gomod bin -json -noserial -notimestamp -licenses -assert-licenses -std -version "$3" -output "$document" "$binary"
