#!/usr/bin/awk -f
# From the output of run.sh: the table of docs/simulate.md, with the least processor time of each
# program and its largest memory.
function spaced(n,  text) { # 1048576 as 1,048,576
	for (text = ""; n >= 1000; n = int(n / 1000)) text = sprintf(",%03d", n % 1000) text
	return n text
}
BEGIN {
	FS = ","
	words["dissemination"] = "dissemination"
	words["binomialtreebcast"] = "binomial broadcast"
	words["linear_alltoall"] = "linear all-to-all"
	programs = split("LogGOPSim|halfpeak loggopsim bin|halfpeak default bin", program, "|")
	print "| | LogGOPSim | | `--rules loggopsim` | | default rules | |"
	print "|---|---|---|---|---|---|---|"
	print "| | s | MB | s | MB | s | MB |"
}
NR > 1 && NF >= 9 {
	row = $1 "," $2
	if (!(row in events)) order[++rows] = row
	if ($4 ~ /loggopsim/) events[row] = $8; else events[row] = events[row]
	if (!((row, $4) in least) || $5 < least[row, $4]) least[row, $4] = $5
	if ($7 > most[row, $4]) most[row, $4] = $7
}
END {
	for (i = 1; i <= rows; i++) {
		split(order[i], of, ",")
		line = sprintf("| %s, %s ranks, %.1f million events", words[of[1]], spaced(of[2]), events[order[i]] / 1e6)
		for (k = 1; k <= programs; k++)
			line = line sprintf(" | %.2f | %.0f", least[order[i], program[k]], most[order[i], program[k]] / 1024)
		print line " |"
	}
}
