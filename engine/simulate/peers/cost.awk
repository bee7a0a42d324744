#!/usr/bin/awk -f
# From the output of BenchmarkEvents: a CSV of the least processor time per event of each pattern and number of ranks.
BEGIN { print "pattern,ranks,rules,cpu_ns_per_event" }
/^BenchmarkEvents\// {
	name = $1
	sub(/^BenchmarkEvents\//, "", name)
	sub(/-[0-9]+$/, "", name)
	gsub(/\//, ",", name)
	for (i = 2; i < NF; i++)
		if ($(i + 1) == "cpu-ns/event") {
			if (!(name in least)) order[++n] = name
			if (!(name in least) || $i + 0 < least[name]) least[name] = $i + 0
		}
}
END { for (i = 1; i <= n; i++) printf "%s,%g\n", order[i], least[order[i]] }
