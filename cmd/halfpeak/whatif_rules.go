package main

// whatifAnswers are those that a flag asks for. Without any, --target has one, and else the costs
// before and after --set are the answer.
var whatifAnswers = [...]struct {
	flag, help string
}{
	{"sensitivity", "list the change per percent of each parameter; --plot draws a tornado"},
	{"breakdown", "break the one-way time and the gap down by stage or parameter"},
	{"landmarks", "list n½, 90 % of the peak, and the best protocol thresholds"},
	{"uncertainty", "predict with 95 % intervals: of the next measurement if the platform was " +
		"fitted, else from those of the parameters"},
}

// whatifRules say which flags go together. There is one question at most, since each has a table of
// its own; without one, the costs before and after --set are the answer. A flag that depends on
// another comes before the number of questions: "--solve-for requires --target" says more than
// "no question".
var whatifRules = []rule{
	needs("--solve-for", "--target",
		"; give a condition, as in --target 'bandwidth(4KiB) >= 100MB/s'"),
	needs("a second platform", "--uncertainty",
		"; halfpeak compare shows platforms side by side"),
	oneOf("--sweep, --target, --sensitivity, --breakdown, --landmarks, --uncertainty",
		"--sweep, --target, --sensitivity, --breakdown, --landmarks and --uncertainty are "+
			"different questions; choose one"),
	excludes("--schedule, --collective", "--landmarks",
		"--landmarks are sizes of single messages; of a collective, halfpeak collective "+
			"--crossovers lists the sizes where the best algorithm changes"),
	needs("--schedule, --collective",
		"--set, --sweep, --target, --sensitivity, --breakdown, --uncertainty",
		"--schedule and --collective require --set, --sweep, --target, --sensitivity, "+
			"--breakdown or --uncertainty"),
	excludes("--schedule", "--collective", ""),
	excludes("--nodes", "--ranks", "--nodes and --ranks cannot be combined"),
	atLeast("--ranks-per-node", 1, ""),
	needs("--nodes, --ranks-per-node", "--collective",
		"--nodes and --ranks-per-node are of --collective, as in --collective allreduce"),
	needs("--collective", "--ranks, --nodes, --places",
		"--collective {--collective} requires --ranks, for example --ranks 64"),
	needs("a program as --schedule", "one --ranks",
		"--schedule {--schedule} is a program, which needs one number of --ranks"),
	needs("--param", "a program as --schedule",
		"--param sets a parameter of a program (--schedule NAME.star)"),
	needs("--ranks", "--collective, a program as --schedule",
		"--ranks requires --collective, for example --collective allreduce, or a program as "+
			"--schedule"),
	needs("--map-by, --places", "--collective, --schedule",
		"--map-by and --places place the ranks of --collective or --schedule"),
	excludes("--places", "--map-by", ""),
	excludes("--schedule, --collective", "--breakdown with --plot",
		"--breakdown of --collective or --schedule has no picture; halfpeak plot --kind ranks "+
			"draws a schedule"),
	needs("", "--set, --sweep, --target, --sensitivity, --breakdown, --landmarks, --uncertainty",
		"no question: give --set NAME=VALUE, --sweep, --target, --sensitivity, --breakdown, "+
			"--landmarks or --uncertainty"),
	needs("--plot", "--sweep, --target, --sensitivity, --breakdown, --uncertainty",
		"--plot draws --sweep, --target, --sensitivity, --breakdown and --uncertainty; for "+
			"curves before and after, use halfpeak plot"),
	// Three parameters that reach a target are a surface, which no table shows.
	within("--solve-for", 1, 2,
		"--solve-for takes one parameter for a value, two for a curve (got {n})"),
	needs("--target with --plot", "two --solve-for",
		"--plot requires two --solve-for, whose curve it draws"),
	// Only these two are sums over stages; a bandwidth has no parts.
	excludes("--breakdown with --plot", "another quantity than one_way or gap",
		"--breakdown divides the one-way time or the gap: give --quantity one_way or --quantity "+
			"gap"),
	// The table of sensitivities takes several sizes; its picture does not.
	excludes("--sensitivity with --plot", "several --size, several --quantity",
		"a tornado shows one quantity of one size; give one --size and one --quantity"),
	excludes("--target", "--quantity",
		"the condition of --target names the quantity; omit --quantity"),
	needs("--quantity", "--sweep, --sensitivity, --uncertainty, --breakdown with --plot, "+
		"--schedule, --collective", ""),
	excludes("--landmarks", "--size", "--landmarks are sizes; omit --size"),
	needs("--samples, --seed, --assume", "--uncertainty, --landmarks", ""),
	samplesRule,
}
