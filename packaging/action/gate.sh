#!/usr/bin/env bash
# The step of action.yml, whose inputs are variables here. It unpacks the pinned binary, runs "fit
# --against" and "fleet", writes their tables into the summary of the job, and exits with the status
# of the worst: 1 or 2 for an error, 3 for a change, else 0.
set -uo pipefail
work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/halfpeak.XXXXXX")
summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}

# stop MESSAGE ends the step by an error that GitHub shows beside the job.
stop() {
	echo "::error title=halfpeak::$1"
	echo "status=1" >>"${GITHUB_OUTPUT:-/dev/null}"
	exit 1
}

case ${ARCHIVE:-} in
"") stop "no archive: name a release's archive for this system" ;;
https://*) curl -fsSL --retry 3 -o "$work/archive" "$ARCHIVE" || stop "cannot fetch $ARCHIVE" ;;
*) cp -- "$ARCHIVE" "$work/archive" || stop "cannot read $ARCHIVE" ;;
esac
if command -v sha256sum >/dev/null; then
	sum=$(sha256sum <"$work/archive")
else # macOS
	sum=$(shasum -a 256 <"$work/archive")
fi
[ "${sum%% *}" = "${SHA256:-}" ] || stop "the sum of $ARCHIVE is ${sum%% *}, and sha256 is ${SHA256:-empty}"
tar -xzf "$work/archive" -C "$work" || stop "$ARCHIVE is no archive for Linux or macOS"
halfpeak=$(find "$work" -type f -name halfpeak -perm -u+x | head -1)
[ -n "$halfpeak" ] || stop "$ARCHIVE has no halfpeak in it"
[ -n "${BEFORE:-}${AFTER:-}${FLEET:-}" ] || stop "nothing to do: give before and after, or fleet"

worst=0
# gate TITLE COMMAND… runs a command of halfpeak, and adds its table to the summary.
gate() {
	local title=$1 status=0 verdict
	shift
	"$halfpeak" "$@" --fail-on-change --format markdown >"$work/table" 2>"$work/doubts" || status=$?
	case $status in
	0) verdict="nothing has changed" ;;
	3) verdict="**something has changed**" ;;
	*) verdict="**an error**" ;;
	esac
	{
		echo "### halfpeak $title: $verdict"
		echo
		cat "$work/table"
		if [ -s "$work/doubts" ]; then
			printf '\n```text\n%s\n```\n' "$(cat "$work/doubts")"
		fi
		echo
	} >>"$summary"
	case $status in
	0) ;;
	3) echo "::warning title=halfpeak $title::something has changed; the job's summary has the table" ;;
	*) echo "::error title=halfpeak $title::$(head -1 "$work/doubts")" ;;
	esac
	# An error comes before a change, and both before 0.
	if [ "$status" != 0 ] && { [ "$worst" = 0 ] || [ "$worst" = 3 ]; }; then
		worst=$status
	fi
}

if [ -n "${BEFORE:-}${AFTER:-}" ]; then
	[ -n "${BEFORE:-}" ] && [ -n "${AFTER:-}" ] || stop "before needs after, and after needs before"
	gate fit fit "$BEFORE" --against "$AFTER"
fi
if [ -n "${FLEET:-}" ]; then
	gate fleet fleet "$FLEET" ${FLEET_BEFORE:+--against "$FLEET_BEFORE"}
fi
rm -rf "$work"
echo "status=$worst" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$worst"
