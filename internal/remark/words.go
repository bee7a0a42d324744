package remark

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func read(format string, args ...any) Note {
	return Note{Kind: Reading, Text: fmt.Sprintf(format, args...)}
}

func doubt(do, format string, args ...any) Note {
	return Note{Doubt, fmt.Sprintf(format, args...), do}
}

func advise(text, do string, args ...any) Note {
	return Note{Advice, text, fmt.Sprintf(do, args...)}
}

// Described is a text that the subject of the answer has of itself: the title of a platform, the
// shape of a machine, the source of a number.
func Described(text string) Note { return read("%s", text) }

// Warned is a doubt that a reader of files or a fit has put into words.
func Warned(text string) Note { return doubt("", "%s", text) }

// Advised is advice that was put together from what an answer found.
func Advised(text string) Note { return advise("", "%s", text) }

// Files and tables.

// SameFile is of a file that was given twice.
func SameFile(name, other string) Note {
	return doubt("", "skipped: %s is the same file as %s", name, other)
}

// Skipped is of a file or table that is none of the answer's.
func Skipped(reason string) Note { return doubt("", "skipped: %s", reason) }

// LeftOut is of a file or table that cannot be used, though the answer should have it.
func LeftOut(reason string) Note { return doubt("", "left out: %s", reason) }

// ForeignLines is of lines of a file that are not a table's. A few are titles and comments; if they
// are the most, a table was not recognised.
func ForeignLines(skipped, all int) Note {
	n := read("%d of %d lines do not belong to a table and were skipped", skipped, all)
	if 2*skipped > all {
		n.Kind = Doubt
	}
	return n
}

// ForeignTables is of tables without a collective, beside some with one.
func ForeignTables(n int) Note {
	return doubt("", "skipped %d tables that measure no collective", n)
}

// ForeignTablesFit is the same where they could be fitted.
func ForeignTablesFit(n int) Note {
	return doubt("the model piecewise fits each table by itself",
		"skipped %d tables that measure no collective", n)
}

// SavedBeside is of tables that are layers of the platform beside its collectives.
func SavedBeside(n int, layers string) Note {
	return doubt("the model piecewise prints their lines",
		"%d tables measure no collective: they are saved as layers (%s)", n, layers)
}

// NoAlgorithm is of a table of a collective that is not known here.
func NoAlgorithm(collective string) Note {
	return doubt("", "no algorithm of %s is known, and it is left out", collective)
}

// FewRanks is of a table on one rank.
func FewRanks(n int) Note { return doubt("", "on %s, left out", quantity.Plural(n, "rank")) }

// NoSchedules is of algorithms whose names are not known.
func NoSchedules(names string) Note { return doubt("", "no schedule is known of %s", names) }

// Apart is of runs of the same calls, some of which take times as long as the fastest.
func Apart(slow, all int, times, names string) Note {
	return doubt("", "%d of %d tables with the same calls take %s times as long as the fastest "+
		"(%s): another setting? Each call has the median of its times", slow, all, times, names)
}

// AloneInRuns is of a table that no other run has.
func AloneInRuns(place string) Note { return doubt("", "%s has no partner and is skipped", place) }

// OnlyRun is of a table that is the only one of its kind among runs.
func OnlyRun(place string) Note { return doubt("", "%s is the only run of its kind", place) }

// NotUsed is of tables that LogGP has no place for.
func NotUsed(names string) Note {
	return doubt("", "not used: %s; LogGP takes one table of latencies, one of a stream, and "+
		"overheads; files that are given as runs are merged", names)
}

// RanksForAll is of tables that do not give their ranks and take the one number that was given.
func RanksForAll(n, ranks int) Note {
	return doubt("with a number for each they are fitted jointly",
		"%d tables of collectives do not give their numbers of ranks, so that %d is used for all",
		n, ranks)
}

// NoRanks is of tables that do not give their ranks.
func NoRanks(n int) Note {
	return doubt("with these they are fitted jointly",
		"%d tables of collectives do not give their numbers of ranks", n)
}

// OneNumberOfRanks is of a collective that was measured on one number of ranks.
func OneNumberOfRanks(ranks int) Note {
	return doubt("add files of other numbers", "a collective on %d ranks only: one number of "+
		"ranks identifies neither its algorithm nor the times on other numbers", ranks)
}

// OneSizeEach is of tables that no line can be fitted to.
func OneSizeEach() Note {
	return read("These tables have one size each. A line needs at least 2 sizes, and 10 over a " +
		"factor of 100 to be trusted.")
}

// SharedCore is of launches of a pipeline whose processors shared a core.
func SharedCore(left, all int) Note {
	return read("%d of %d packets of launches are left out, because the two processors shared a "+
		"core: a word between them came at once.", left, all)
}

// Measurements of a machine, by calibrate.c.

// CutLine is of a last line that is not whole.
func CutLine(number int) Note { return doubt("", "line %d was cut off and is left out", number) }

// ForeignOutput is of lines in the output of calibrate.c that are not its own.
func ForeignOutput(lines int) Note {
	return doubt("", "%d lines are not calibrate's and are left out", lines)
}

// EndedEarly is of a run of calibrate.c that did not come to its end.
func EndedEarly() Note {
	return doubt("", "calibrate was ended early: cases that it had not come to are missing")
}

// TwoStates is of hosts that were slower in a part of the run: one of the two is kept.
func TwoStates(first, second float64, message, kept string, missing int) Note {
	alone := ""
	if missing > 0 {
		alone = fmt.Sprintf(", with %d cases that were measured in it alone", missing)
	}
	return doubt("", "the hosts had two states during the run, with %.3g and %.3g µs for %s; the "+
		"machine describes the %s one, and rows of the other are left out%s", first, second,
		message, kept, alone)
}

// NoSharedStreams is of a class of links that no two measured streams shared.
func NoSharedStreams(class string) Note {
	return doubt("", "no two measured streams shared one of the %s: each is taken to carry what "+
		"one pair sends", class)
}

// BesideComputations is of a level whose large messages fit no protocol beside computations.
func BesideComputations(level string, off float64, protocol string) Note {
	return doubt("", "level %s: messages beside computations are off by %.0f %% of a message's "+
		"time with the nearest protocol (%s)", level, 100*off, protocol)
}

// LikeProtocols is of two protocols that two ranks do not tell apart.
func LikeProtocols(level, one, other string) Note {
	return doubt("", "level %s: two ranks do not tell %q from %q", level, one, other)
}

// LevelOff is of a level whose checks are off by a part of their times.
func LevelOff(level string, off float64, measure string) Note {
	return doubt("measure again on quiet nodes, and do not use the level before",
		"warning: level %s is off by %.0f %% in the median of %s", level, 100*off, measure)
}

// LevelLikeNext is of a level without measurements.
func LevelLikeNext(level string) Note {
	return doubt("", "level %s: not measured; it is taken to be like the next one", level)
}

// RunsAs is of the algorithm that a measured collective runs as, with its largest relative error.
func RunsAs(collective, algorithms string, worst float64) Note {
	return read("as measured, %s runs as %s (within %.0f %%)", collective, algorithms, 100*worst)
}

// Combines is of the time in which reductions combine a byte.
func Combines(nanos float64) Note {
	return read("reductions combine a byte in %.3g ns, which the saved machine has too", nanos)
}

// Traces of programs.

// CutTraces is of traces that end before their programs.
func CutTraces(ends string) Note {
	return doubt("", "Traces end before MPI_Finalize: %s. They are read up to their ends; what "+
		"waits for later messages is left out.", ends)
}

// NotSimulated is of calls that count as computation, with their share of the run.
func NotSimulated(share, calls string) Note {
	return doubt("", "One-sided communication, files and processes that are started later are not "+
		"simulated. Their time%s counts as computation: %s.", share, calls)
}

// Sizes and times of messages.

// BeyondMeasured is of sizes outside of the measured ones, where those are not named.
func BeyondMeasured() Note {
	return doubt("", "Beyond the sizes that were measured the protocol may change.")
}

// BeyondSizes is of one size outside of the measured ones.
func BeyondSizes(of string, n, first, last quantity.Bytes) Note {
	return doubt("", "%s%s is beyond the sizes that were measured, %s to %s: the protocol may "+
		"change.", of, n, first, last)
}

// Extrapolated is of messages of collectives that are larger than the measured ones.
func Extrapolated(layer string, last quantity.Bytes) Note {
	return doubt("", "%s was measured up to %s: times of larger messages are extrapolated.", layer,
		last)
}

// ExtrapolatedCrossings is of crossings outside of the measured sizes.
func ExtrapolatedCrossings(layer string, first, last quantity.Bytes) Note {
	return doubt("", "%s was measured from %s to %s; its crossings elsewhere are extrapolated.",
		layer, first, last)
}

// ModelAlone is of a layer whose measured points make no curve.
func ModelAlone(why string) Note { return doubt("", "%s; the costs are by the model alone", why) }

// NoLatency is of a layer of LogP with L = 0.
func NoLatency(layer string) Note {
	return doubt("give the round trip with the signature, as in halfpeak fit FILE --model logp "+
		"--rtt 20us", "%s: L is 0, so its times are lower bounds", layer)
}

// ShortMessages is of LogP at sizes that it is not for.
func ShortMessages(layer string, from quantity.Bytes, takes quantity.Micros) Note {
	return doubt("LogGP has G", "%s: LogP is for short messages and has no cost per byte: above "+
		"%s its times, here %s, are lower bounds and its rates are none", layer, from, takes)
}

// NoInterval is of one time without an interval.
func NoInterval(of string, n quantity.Bytes, why string) Note {
	return doubt("", "%s, %s: %s", of, n, why)
}

// NoIntervals is of the times of collectives without an interval.
func NoIntervals(why string) Note { return doubt("", "No interval: %s.", why) }

// NextOfBenchmark is of intervals of a table or a picture of several layers.
func NextOfBenchmark(text string) Note { return read("%s", text) }

// AboveRoof is of a model that is faster than its hardware.
func AboveRoof(layer string, rate quantity.MBps, roof string) Note {
	return doubt("", "%s: r∞ is above its roof, the %s that %s carries at most: one of the two is "+
		"inexact, and so is the share of the roof", layer, rate, roof)
}

// NoGap is of times that say nothing of a stream.
func NoGap(what string, why error) Note { return advise("", "no %s: %v", what, why) }

// OneOfLayers is of a platform that has further fitted layers.
func OneOfLayers(layer string, all int, others string) Note {
	return advise("", "%s is one of %d fitted layers; the others are %s", layer, all, others)
}

// UncertainParameters is of times whose intervals another command has.
func UncertainParameters(layer string) Note {
	return advise(layer+": the parameters have intervals", "whatif gives those of the times")
}

// NextMeasurement is of what a predicted time and its interval are.
func NextMeasurement(what string, byCurve bool, runs int) Note {
	from := "predicted by the model that was fitted by its name"
	if byCurve {
		from = "predicted from the measured curve; the lines of the model explain it"
	}
	which := "the nodes and the run that were measured: others may differ by more"
	if runs > 1 {
		which = fmt.Sprintf("another run, or pair of nodes, like the %d that were measured", runs)
	}
	return read("%s is the next measurement, %s. The interval is of %s.", what, from, which)
}

// BetweenProtocols is of a size between two measured ones where the protocol changes.
func BetweenProtocols(n quantity.Bytes, layer, protocol string) Note {
	return read("%s of %s lies between the measured sizes of two protocols: its time is the line "+
		"of %s, and the interval covers both.", n, layer, protocol)
}

// StreamGaps is of a layer that was fitted to a stream.
func StreamGaps(layer string) Note {
	return read("%s: gaps between messages of a stream, which do not show the latency of a "+
		"message.", layer)
}

// OperationTimes is of a layer that was fitted to an operation.
func OperationTimes(layer string) Note {
	return read("%s: times of an operation, not of a message: no RTT, gap or bandwidth follows.",
		layer)
}

// BusBandwidth is of the rates of a collective.
func BusBandwidth(layer string, perRank, ranksKnown bool) Note {
	text := "algbw is bytes over time; busbw is algbw times what each rank has to send for a " +
		"byte, as nccl-tests counts it"
	if perRank {
		text += "; the size is the block of one rank, and the bytes are those of all"
	}
	if !ranksKnown {
		text += "; the file does not give the number of ranks; for busbw, write ranks = \"8\" " +
			"into the layer"
	}
	return read("%s: %s.", layer, text)
}

// Packets.

// LongPlans is of plans that a table has no room for.
func LongPlans(most int) Note {
	return read("Plans of more than %d packets have no plan_bytes.", most)
}

// WholePlan is the plan of whole bytes.
func WholePlan(text string) Note { return read("unequal-whole, bytes: %s", text) }

// SearchedPlan is of stages with measured times.
func SearchedPlan() Note {
	return read("unequal is the fastest plan that a search found: stages have measured times, " +
		"for which no limit is known.")
}

// SwitchTables is of tables for a library that switches between a few packets.
func SwitchTables() Note {
	return read("For a library that switches between a few packets: paper-table has the packets " +
		"of equation 10, judged by CLIP's bound, equation 8 (sec. 4.2.2.2); equal-table has the " +
		"best equal packets, judged by the exact time. The thresholds make the sum of the times " +
		"of all message sizes least, each relative to the fastest packet's.")
}

// Changes of a design.

// Changed is a parameter before and after a change.
func Changed(path, from, to string) Note { return read("%s: %s → %s", path, from, to) }

// Target is what a parameter is sought for.
func Target(text string) Note { return read("Target: %s.", text) }

// OnCurve is of the points of a curve of two parameters.
func OnCurve(target string) Note { return read("On the curve, %s just holds.", target) }

// SolveByName is of a target that is met already.
func SolveByName() Note {
	return advise("",
		"Solve for a parameter by its name for the values that still meet the target.")
}

// WithoutEffect is of parameters that are not listed.
func WithoutEffect(n int) Note { return read("Parameters without effect: %d.", n) }

// Unchanged is of a quantity that something else limits.
func Unchanged(what, by, parameter, change string) Note {
	return advise(fmt.Sprintf("%s does not change: %s limits it, by %s", what, by, parameter),
		"with 1 %% more of that it changes by %s.", change)
}

// SlowestStage is of the parts of a time through a pipeline.
func SlowestStage() Note {
	return read("Packets wait for the slowest stage, and this time counts as that of the stage. " +
		"If it becomes faster, they wait for the next slowest.")
}

// SharesOfLines is of parts of a measured time.
func SharesOfLines() Note {
	return read("The times are those of the measured curve, the shares those of the fitted lines.")
}

// CriticalPath is of the parts of the time of a call.
func CriticalPath() Note {
	return read("The components are parts of the critical path. One that is set to zero saves " +
		"its part, if path and algorithm stay the same.")
}

// NoneOfPart is of a curve that reaches no part of its peak.
func NoneOfPart(what, peak string) Note { return read("%s: none, %s.", what, peak) }

// NeverFaster is of a protocol that is faster at no size.
func NeverFaster(what, above, below string, inUse quantity.Bytes, better string) Note {
	return read("%s: %s is faster than %s at no size; at %s, %s is the faster one.", what, above,
		below, inUse, better)
}

// FasterEverywhere is of two layers that never cross.
func FasterEverywhere(faster, slower string) Note {
	return read("%s is faster than %s at all sizes up to 1 GiB.", faster, slower)
}

// NeverSlower is of two layers that cost the same at some sizes.
func NeverSlower(faster, slower string) Note {
	return read("%s is never slower than %s up to 1 GiB, and as fast at some sizes.", faster,
		slower)
}

// SameCost is of two layers that cost the same.
func SameCost(one, other string) Note { return read("%s and %s cost the same.", one, other) }

// MayNotCross is of two costs that may not cross at all.
func MayNotCross(what, probability string) Note {
	return doubt("", "%s: within the intervals of the parameters the two do not cross at all with "+
		"probability %s", what, probability)
}

// FittedCrossings is of crossings of fitted layers.
func FittedCrossings() Note {
	return read("Crossings of fitted layers are those of the predicted times; their intervals " +
		"are those of the next measurements.")
}

// NextCall is of the interval of a measured collective after a change.
func NextCall() Note {
	return read("The interval is that of the next call, as halfpeak collective has it.")
}

// LogNormalTimes is of the probability that one of two calls is faster.
func LogNormalTimes() Note {
	return read("The probability takes the two times as log-normal, with independent errors.")
}

// LogNormalNext is of the probability that one of two messages is faster.
func LogNormalNext() Note {
	return read("The probability assumes that the next measurements are log-normal.")
}

// NextOfCurve is of times and bandwidths with the interval of the next measurement.
func NextOfCurve() Note {
	return read("Times and bandwidth are those of the next measurement, predicted from the " +
		"measured curve, or by the lines of a model that was fitted by its name.")
}

// OfParameters is of intervals that no measured curve gives.
func OfParameters() Note {
	return read("Without a measured curve, or after a change, there is no next measurement: the " +
		"intervals are those of the parameters.")
}

// OthersFollow is of quantities beside those with the interval of the next measurement.
func OthersFollow() Note {
	return read("Intervals of other quantities follow from those of the parameters:")
}

// Sampled is of intervals that were found by samples.
func Sampled(samples int, seed uint64) Note {
	return read("%d samples, seed %d; parameters vary independently, except that β and τ of a "+
		"fit are correlated.", samples, seed)
}

// Collectives.

// TooLarge is of calls without a time.
func TooLarge(n int, first string) Note {
	return doubt("", "%d left out, the first: %s.", n, first)
}

// OnRanksAlone is of a collective that was measured on one number of ranks, and is simulated.
func OnRanksAlone(collective string, ranks int) Note {
	return doubt("fit files of several numbers of ranks together to have its times.",
		"%s was measured on %d ranks alone, and these are simulations of messages", collective,
		ranks)
}

// Deviates is how far the times of a machine may be off, in words. If nothing is known of the
// machine itself, the closing line has what is known of others.
func Deviates(text string, known bool) Note {
	n := read("%s", text)
	if known {
		n.Kind = Doubt
	}
	return n
}

// ByLevels is of collectives that no log has, and that the levels of the machine describe.
func ByLevels(machine, names string) Note {
	return doubt("", "Not measured, and so by their schedules on the levels of %s, which is a "+
		"bound: %s.", machine, names)
}

// LeastCertain is of the collective of a program whose measured or fitted time has the widest
// interval.
func LeastCertain(name string, n quantity.Bytes, ranks int, in quantity.Interval) Note {
	return read("Collectives take the times that were measured, or are fitted to these; the least "+
		"certain one is %s of %s on %d ranks: %v, %v to %v.", name, n, ranks,
		quantity.Micros(in.Value), quantity.Micros(in.Low), quantity.Micros(in.High))
}

// Channels is of an algorithm that runs in several channels.
func Channels(algorithm string, n int) Note {
	return read("%s in %d channels, each by its rail.", algorithm, n)
}

// Fitted is how well a fit of a collective predicts times that were held out.
func Fitted(collective, statistic, accuracy string) Note {
	return read("%s, %s: %s", collective, statistic, accuracy)
}

// FormsOfAlgorithms is of what fitted times are.
func FormsOfAlgorithms() Note {
	return read("Times are of algorithms' forms, fitted to the measurements nearby and weighted " +
		"by how well they predict those held out; intervals are of one more measurement.")
}

// NoSlowest is of algorithms that are compared by averages.
func NoSlowest() Note {
	return doubt("", "The time of the slowest rank was not measured for all: algorithms are "+
		"compared by the average over ranks, whose interval this is.")
}

// MeasuredOnly is of a collective that was measured by one algorithm, or by the library's choice.
func MeasuredOnly(by, command string) Note {
	return advise("Measured "+by, "to choose an algorithm, measure each: %s.", command)
}

// OneBlock is of sizes that are those of one rank.
func OneBlock() Note {
	return read("Sizes are of one rank's block. For the bytes of all ranks, which nccl-tests " +
		"prints, ask with total sizes.")
}

// FromTable is of a table that stands for an algorithm, beside others that could.
func FromTable(collective, statistic, table, others string) Note {
	return read("%s, %s: from the table %s; its name as the algorithm selects another one: %s.",
		collective, statistic, table, others)
}

// BeyondCalls is of times on other ranks or sizes than the measured ones.
func BeyondCalls(n int) Note {
	are := "are"
	if n == 1 {
		are = "is"
	}
	return doubt("", "%d of the times %s beyond the ranks or sizes that were measured.", n, are)
}

// NotRepeated is of calls that were measured once.
func NotRepeated() Note {
	return doubt("on a shared machine, measure on several.",
		"No call was repeated, so another day was not measured")
}

// Averaged is of a time that several forms share.
func Averaged(series, shares string) Note {
	return read("%s: averaged by weight of evidence over %s.", series, shares)
}

// AboveSlowest is of averages that were fitted to more than the slowest rank takes.
func AboveSlowest(n int) Note {
	return read("%d averages over ranks were fitted to more than the slowest rank takes: they are "+
		"given as its time, whose interval holds both.", n)
}

// OnNetwork is of the time of a measured collective on a changed network.
func OnNetwork() Note {
	return read("The first time is fitted to measurements of this machine. Steps and bytes " +
		"between nodes are scaled, by the schedules of the algorithms; those inside nodes " +
		"stay. If bytes take 60 µs inside nodes and 100 µs between them, the interval is 100 " +
		"µs (both at once) to 160 µs (one after the other), widened by that of one more " +
		"measurement.")
}

// Scaled is of the time of a measured collective after another change.
func Scaled() Note {
	return read("The first time is fitted to measurements of this machine, and the second is it " +
		"times the ratio of two simulations. The interval is of one more measurement, and of the " +
		"errors of such ratios on simulated clusters; real ones may deviate more.")
}

// ChangeShared is of the interval of a change between two times that rest on one measurement.
func ChangeShared() Note {
	return read("The interval of the change leaves out the error of the measurement, which both " +
		"times have.")
}

// RatioUnknown is of the ratio of two times without one; the words are as "The change has".
func RatioUnknown(words string) Note {
	return read("%s no interval: the two times share most of their error, and how much of it they "+
		"do not share was not measured.", words)
}

// StandsIn is of an algorithm that stands for the library's.
func StandsIn() Note {
	return doubt("", "The library's algorithm is not known here, and stays as it is. It is "+
		"simulated as the one named in the row, whose time is nearest to the measured one.")
}

// ChoiceUnknown is of calls of a library whose choice is not known.
func ChoiceUnknown(library, collective string) Note {
	return doubt("name its own with --algorithm.", "Which algorithm %s takes for %s is not known "+
		"here at all of these sizes: a usual one of MPI libraries stands for it", library,
		collective)
}

// LibraryChoice is of the algorithm that runs where none is named.
func LibraryChoice(usual string) Note {
	return read("Where no algorithm is named, the library's choice runs if the platform says "+
		"library = \"openmpi\" or \"mpich\" and the choice is known, else (on 64 ranks) %s.", usual)
}

// Errors is of the errors of a model beside measured times.
func Errors(text string) Note { return read("%s", text) }

// TooLargeToCompare is of measurements without a predicted time.
func TooLargeToCompare(n int) Note {
	return doubt("", "%d measurements left out: the schedule is too large to simulate, or is that "+
		"of one rank, which has no average.", n)
}

// OwnBest is of a measured algorithm that is not known here.
func OwnBest() Note {
	return read("If the measured algorithm is not known here, the model is its own best.")
}

// Programs.

// LastOnPath is of the finish of a program and the path to it.
func LastOnPath(rank int, finish quantity.Micros, steps, on, ranks int) Note {
	return read("rank %d finishes last, after %s; its path has %d steps on %d of %d ranks", rank,
		finish, steps, on, ranks)
}

// MoreSteps is of steps of a path that are not listed.
func MoreSteps(from, to int) Note {
	return read("steps %d to %d are not shown; a trace marks all", from, to)
}

// PathShares is of the columns of a program on machines.
func PathShares(ranks int) Note {
	return read("%d ranks; computation and communication are those of the critical path, and add "+
		"up to the finish.", ranks)
}

// Defaults is of a program on no machine.
func Defaults() Note {
	return doubt("name one with --machine", "No machine is named: messages cost LogGOPSim's "+
		"defaults, L 2.5 µs, o 1.5 µs, g 1 µs, G 6 ns/B, S 65535 B")
}

// Blocks is of messages whose gap is not known.
func Blocks(at string) Note {
	return read("The gap between messages%s is unknown: each message keeps the NIC of its sender "+
		"until it has arrived.", at)
}

// NoLevels is of a machine of one layer with many ranks.
func NoLevels(layer string) Note {
	return doubt("", "%s has no levels: each rank has a NIC of its own, and messages share "+
		"nothing else.", layer)
}

// NoOverheads is of a layer whose processors compute all the time.
func NoOverheads(layer string) Note {
	return doubt("", "%s has no overheads: its processors compute while messages are sent and "+
		"received, but wait for the NIC to begin the next one", layer)
}

// MovesBeside is of large messages whose protocol beside computations is not known.
func MovesBeside(machine string) Note {
	return doubt("halfpeak calibrate measures them.", "Large messages move while their ranks "+
		"compute: %s has no handshake and data", machine)
}

// Simultaneous is of events whose order decides the finish.
func Simultaneous(finish, other quantity.Micros) Note {
	return doubt("", "simultaneous events decide the finish: it is %s in the order of the rules, "+
		"and %s in the opposite order", finish, other)
}

// OrderNotTried is of runs that are too long for a second one.
func OrderNotTried() Note {
	return read("Whether the order of simultaneous events decides the finish was not tried: a " +
		"second run takes too long.")
}

// EqualParts is of a program whose equal parts are simulated once.
func EqualParts(ranks, simulated, all int) Note {
	return read("%d ranks: %d of the program's %d parts were simulated; each other one is equal "+
		"to one of these, and begins as that did.", ranks, simulated, all)
}

// ScatteredParts is of equal parts that begin a little apart; off is half the width of the 95 %
// interval of the mean of their times, as a part of it.
func ScatteredParts(ranks int, off float64) Note {
	return read("%d ranks: NICs interleave messages, so that ranks leave equal parts a little "+
		"earlier or later, by chance. The times of those that were simulated come again; their "+
		"mean is within ±%.2g %% (95 %%).", ranks, 100*off)
}

// EqualRanks is of ranks that stand for others.
func EqualRanks(ranks, simulated int) Note {
	return read("%d ranks: %d were simulated; they stand for all, whose units do the same.", ranks,
		simulated)
}

// ByLatencies is of programs on a machine that calibrate measured.
func ByLatencies(machine string, low, high float64) Note {
	return read("%s is known from latencies alone. Collectives of such machines take %.2g to %.2g "+
		"times as long as predicted, and messages of a program may too.", machine, low, high)
}

// MeasuredPrograms is how far measured programs were from predicted ones, and their ratios.
func MeasuredPrograms(low, high, median, worst float64) Note {
	return read("Of measured programs, 90 %% take %.2g to %.3g times as long as predicted (ten "+
		"programs on two ranks of a computer that calibrate measured; each predicted by the "+
		"other nine: 18 of 20 times). Ratios of networks are off by %.2g %% in the median, "+
		"%.2g %% at worst (docs/measure.md).", low, high, 100*median, 100*worst)
}

// StepsOff is of what the interval of a step is made of.
func StepsOff(off float64) Note {
	return read("The interval holds steps that are %.0f %% off, as twelve published ones were "+
		"(docs/training.md), and all collectives at one end of theirs; that of a ratio of steps "+
		"is as if their errors were independent.", 100*off)
}

// CollectivesOff is of what the interval of a program of measured collectives is made of.
func CollectivesOff(low, high float64) Note {
	return read("The interval holds all collectives at one end of theirs together, since calls "+
		"share the error of a fit, and %.2g to %.3g times the finish, as 90 %% of measured "+
		"programs take; that of a ratio is as if their errors were independent.", low, high)
}

// NetworkScales is of the collectives of a program on a changed network.
func NetworkScales() Note {
	return read("With the network, steps and bytes of collectives between nodes are scaled, by " +
		"the schedules of the algorithms; those inside nodes stay.")
}

// CollectivesStay is of the collectives of a program after another change.
func CollectivesStay() Note {
	return doubt("", "Collectives keep the times that were measured, whatever changes: only "+
		"messages take other ones.")
}

// EfficiencyShared is the efficiency of a program whose ranks share the computation.
func EfficiencyShared() Note {
	return read("Efficiency is the speed-up over the ratio of ranks, which share the computation.")
}

// EfficiencyGrown is the efficiency of a program whose computation grows with the ranks, by growth
// in all; efficiency is its value.
func EfficiencyGrown(ranks int, growth float64, first int, efficiency float64) Note {
	return read("Efficiency is the speed-up over the ratio of ranks. All together, %d ranks "+
		"compute %.3g times as much as %d: that alone makes %.3g %% of it, and the rest %.3g %%.",
		ranks, growth, first, 100/growth, 100*efficiency*growth)
}

// EfficiencyEach is the efficiency of a program whose ranks compute as much on any number of ranks.
func EfficiencyEach() Note {
	return read("Efficiency is the speed-up: each rank computes as much on any number of ranks.")
}

// EfficiencyMore is the efficiency of a program whose ranks compute more on more ranks.
func EfficiencyMore(times float64, ranks, first int) Note {
	return read("Efficiency is the speed-up times %.3g: each of %d ranks computes so much more "+
		"than each of %d.", times, ranks, first)
}

// MessagesTakeHalf is of the ranks from which messages take most of the time, and of the line of
// the program that takes most of them.
func MessagesTakeHalf(subject, on string, share float64, line string, part float64) Note {
	return advise("", "%s take more than half of the critical path%s: %.0f %%; those of %s take "+
		"most, %.0f %%.", subject, on, 100*share, line, 100*part)
}

// NoEfficiency is of a program that computes nothing.
func NoEfficiency() Note {
	return read("No efficiency: the program computes nothing on its smallest number of ranks.")
}

// SplitParts is of the columns of a step of training.
func SplitParts() Note {
	return read("Shown: how much shorter the step is if all communication takes no time; hidden: " +
		"the rest of the collectives, beside computation; bubbles: what ranks then still wait " +
		"for each other.")
}

// OtherRanks is of schedules that cannot be compared rank by rank.
func OtherRanks() Note { return doubt("", "the schedules have different numbers of ranks") }

// NoneLeft is of rates that no step is left to judge.
func NoneLeft(one string, off float64) Note {
	return doubt("", "%s: as many rates as steps are fitted, so that none is left to judge them "+
		"by. Their intervals are of steps that are %.0f %% off, as published ones were.", one,
		100*off)
}

// MemoryGiven is of a rate of memory that was given.
func MemoryGiven() Note {
	return doubt("a second step of another batch would tell them apart.", "memory is as given, "+
		"without an interval, and flops takes what is wrong with it")
}

// Ridge is of the operations a byte above which operations bind.
func Ridge(at float64) Note {
	return read("Ridge: above %.0f operations a byte, operations bind.", at)
}

// SimulateNext is of a program's machine that was saved.
func SimulateNext(saved, program string) Note {
	return advise("", "saved %s; next: halfpeak simulate %s --machine %s --ranks 8,16,32", saved,
		program, saved)
}

// ByName is of programs that halfpeak carries.
func ByName() Note {
	return read("Run one by its name, unless the folder has a file of that name.")
}

// Fits.

// OneSize is of a table of one size; median has its unit and a comma behind it, or is empty.
func OneSize(n quantity.Bytes, count int64, least quantity.Micros, median string,
	mean, largest quantity.Micros) Note {
	return doubt("", "one size only (%s), and no line goes through one point: n = %d, least %s, "+
		"%smean %s, largest %s", n, count, least, median, mean, largest)
}

// InTables is a warning about several tables.
func InTables(n int, warning string) Note { return doubt("", "%d tables: %s", n, warning) }

// Repeats is of files that may be runs of one measurement.
func Repeats(files int) Note {
	return advise("", "%d files of one benchmark: if they are repeats of one measurement, --runs "+
		"fits them as one", files)
}

// BestPackets is of the stages of a pipeline and a size.
func BestPackets(n quantity.Bytes, takes quantity.Micros, packet quantity.Bytes) Note {
	return advise("", "%s go through these stages in %s, in packets of %s", n, takes, packet)
}

// ErrorsOfCurve is of a curve of several segments.
func ErrorsOfCurve(median, p95, worst string, at quantity.Bytes) Note {
	return read("over all sizes: median error %s, 95th percentile %s, worst %s at %s; a boundary "+
		"size belongs to the lower segment", median, p95, worst, at)
}

// Break is of the size at which a segment ends.
func Break(segment int, at quantity.Bytes, within, jump string) Note {
	return read("segment %d ends at %s (95 %%: %s), with a jump of %s", segment, at, within, jump)
}

// HeldOut is of the models that were compared.
func HeldOut(errors string) Note {
	return read("mean error in predicting held-out sizes: %s", errors)
}

// ParameterLines is of the columns of runs of nccl-tests.
func ParameterLines() Note {
	return read("T = α + β·n, a line over all sizes n of the table; busbw is the highest, " +
		"reached at that size, and from the size \"half from\" on at least half of it. " +
		"Predictions use forms over all ranks, and parameters that change with the size.")
}

// ParameterForms are of the columns of forms of collectives.
func ParameterForms() []Note {
	return []Note{
		read("T = base + steps·α + bytes·β over all sizes, with the steps and bytes of the " +
			"algorithm. The cost of a parameter without a value is in the others."),
		read("Predictions use parameters that change with the size. \"hold-out error\" is " +
			"theirs, at places and sizes that were not used in the fit."),
	}
}

// AfterBefore is of the columns of two benchmarks.
func AfterBefore() Note {
	return read("After / before: the median over the sizes, with the least and the greatest. A " +
		"change is three neighbouring sizes at least that all got slower, or faster, by more " +
		"than runs of an unchanged system differ. How far these differ is known from repeats: " +
		"with one run each, from jobs on published machines.")
}

// ComparedWith is of what the collectives of a machine are compared with.
func ComparedWith(what string) Note { return read("Collectives are compared with %s", what) }

// StagesAlone is of the columns of measured pipelines.
func StagesAlone() Note {
	return read("Predictions are from the stages alone. The best packet is the one of the " +
		"measured sizes with the least predicted time. The loss is how much longer it takes than " +
		"the fastest packet.")
}

// SaveNext is of a collective that was fitted.
func SaveNext(collective string) Note {
	return advise("", "next: save it as my.toml, then halfpeak collective %s my.toml", collective)
}

// GiveLinks is of busbw that nothing was given to judge it by.
func GiveLinks() Note {
	return advise("", "to judge the busbw, give the links of a node: --link 4x200Gbit/s")
}

// Choices of algorithms.

// WriteScript is of choices without a script.
func WriteScript() Note {
	return advise("", "next: add --write DIR, for a script that measures them")
}

// RunScript is of the script of the next measurements, and what it measures.
func RunScript(command, measurements, duels string) Note {
	return advise("", "Next: %s (%s, %s of choices and the library's), then this command again.",
		command, measurements, duels)
}

// Measured is of a question that no measurement is worth any more.
func Measured(why string) Note { return advise("", "Done: %s", why) }

// NoScript is of a command that was interrupted before it wrote a script.
func NoScript() Note {
	return doubt("", "Interrupted: no script of the next measurements was written.")
}

// UseRules is how a program reads the rules that were written.
func UseRules(text string) Note { return advise("", "%s", text) }

// Unusable is of a file of measurements that cannot be used.
func Unusable(why error) Note { return doubt("", "%v; left out", why) }

// NoRules is of decisions that keep the library's choice.
func NoRules() Note {
	return advise("", "No rules yet: the library's own choice is kept for every call.")
}

// DocumentedChoice is of a library's choice that was not measured.
func DocumentedChoice(library string) Note {
	return doubt("measure it without forcing an algorithm.", "Where the library's choice was not "+
		"measured, it is that of the documented rules of %s", library)
}

// Untried is of choices that were not run beside the library's.
func Untried(n, unseen int) Note {
	return doubt("", "Choices that were not run beside the library's, and so are no rules yet: "+
		"%d; not measured themselves: %d.", n, unseen)
}

// ExpectedLoss is the mean expected loss of the choices.
func ExpectedLoss(calls int, loss string, points, all, none int) Note {
	return read("Expected loss against the fastest, as the mean over all calls (%d): %s, from %d "+
		"of %d points. Calls without a measurement: %d.", calls, loss, points, all, none)
}

// Estimated is of times that were not measured.
func Estimated(near int) Note {
	return read("An estimated time is that of the measurements nearest to the call, at most %d, "+
		"with its 95 %% interval.", near)
}

// Guesses is of a collective without a measurement.
func Guesses(collective string) Note {
	return doubt("", "%s was not measured: its algorithms are guesses.", collective)
}

// NotMeasured is of ranks or sizes that were not measured, with the nearest that were.
func NotMeasured(what, which string) Note {
	return doubt("", "%s that were not measured: %s.", what, which)
}

// FailedRuns is of measurements that left only a file of errors.
func FailedRuns(n int, first string) Note {
	return doubt("", "Measurements that failed or did not end: %d; the first one's errors are in "+
		"%s.", n, first)
}

// NoRuleNames is of times of algorithms that the rules of a library cannot name.
func NoRuleNames(library, names string) Note {
	return doubt("", "No rule of %s can name %s: these times are not used.", library, names)
}

// OtherRanksPerNode is of measurements on other numbers of ranks a node.
func OtherRanksPerNode(n int) Note {
	return doubt("ask about one of these numbers.", "%d measurements are of these calls with "+
		"other numbers of ranks on each node", n)
}

// Fleets.

// GuessedNodes is of nodes that names of files give.
func GuessedNodes(pattern string) Note {
	return doubt("give another pattern if that is wrong.",
		"The nodes are those that the pattern %q of file names gives", pattern)
}

// OtherNames is of files that a pattern does not match.
func OtherNames(n int, pattern, why string) Note {
	return doubt("", "Not tested: %s with another name than the pattern %q, the first because %s.",
		quantity.Plural(n, "file"), pattern, why)
}

// Input is of what was tested.
func Input(text string) Note { return read("%s.", text) }

// Tests is of how the tests were made.
func Tests(n int, rate, degrees float64) Note {
	return read("%s at a false discovery rate of %.3g %%; the noise has tails like those of "+
		"Student's t with %.1f degrees of freedom.", quantity.Plural(n, "test"), 100*rate, degrees)
}

// AnotherPart is of nodes that are slow to others, but not among themselves.
func AnotherPart(names []string) Note {
	last := len(names) - 1
	return doubt("name groups of nodes in a file of places to find out.", "%s and %s have usual "+
		"times with each other: they may be in another part of the network",
		strings.Join(names[:last], ", "), names[last])
}

// MeasureAgain is of the finding that is next to being significant.
func MeasureAgain(q float64, subject, effect, what, group string) Note {
	return advise(fmt.Sprintf("Next, but not significant (q = %.2g): %s, %s of %s in %s", q,
		subject, effect, what, group), "measure again.")
}

// SmallFindings is of findings below the least effect that was asked for.
func SmallFindings(n int, least float64) Note {
	are := "findings are"
	if n == 1 {
		are = "finding is"
	}
	return read("%d more %s below the minimum effect of %.3g %%.", n, are, 100*least)
}

// NoPartners is of curves that only one of two measurements has.
func NoPartners(now, before int) Note {
	return doubt("", "Without a partner to compare with: %s now, %s before.",
		quantity.Plural(now, "curve"), quantity.Plural(before, "curve"))
}

// NotReadToEnd is of a file that could be read in part.
func NotReadToEnd(reason string) Note { return doubt("", "Not read to the end: %s.", reason) }

// NotAFile is of a file that is no output of a benchmark.
func NotAFile(reason string) Note { return doubt("", "Skipped: %s.", reason) }

// MoreSkipped is of files that are not named one by one.
func MoreSkipped(n int) Note {
	return doubt("the list of skipped files names all.", "Skipped: %d more files or outputs", n)
}

// InGroups is a doubt about some or all groups of a fleet.
func InGroups(where, text string) Note { return doubt("", "%s%s.", where, text) }

// Papers, and the engine.

// AllRows is of the ways to see all numbers of the papers.
func AllRows() Note {
	return read("All rows: --all; for programs: --format csv; the papers' figures: --plot FOLDER.")
}

// EachBlocks is of a layer whose gap is not known, in the engine.
func EachBlocks(why error) Note {
	return doubt("", "%v. Engine and formulas let each message block its sender until it has "+
		"arrived.", why)
}

// Lost is of packets that the network lost.
func Lost(layer string, lost any, again int64) Note {
	return doubt("", "%s: %v; %d sent again.", layer, lost, again)
}

// SlowerThanRetry is of a size whose packets are sent again too early.
func SlowerThanRetry(layer string, n quantity.Bytes, retry any) Note {
	return doubt("", "%s: %v is left out: a packet takes longer than the protocol's retry of %v, "+
		"so that it is sent again before its acknowledgement is back.", layer, n, retry)
}

// NoSignature is of a layer whose model does not occupy both processors.
func NoSignature(layer string) Note {
	return doubt("", "%s: no signature: its model does not say what occupies both processors.",
		layer)
}

// Narrowed is of intervals of a benchmark: how many are as narrow as was asked for, and how long at
// least the rest was repeated.
func Narrowed(done, all int, within, seconds float64, budget any, fewest int) Note {
	n := read("%d of %d intervals are within %.3g %% after %.1f s", done, all, 100*within, seconds)
	if done < all {
		n.Kind = Doubt
		n.Do = fmt.Sprintf("the rest ran out of time (budget %v, but at least %d repeats of each)",
			budget, fewest)
	}
	return n
}

// Clock is of the clock of a benchmark, in µs.
func Clock(overhead, resolution float64) Note {
	return read("reading the clock takes %.3g µs, half of which is in the percentiles of "+
		"ping_bulk; its resolution is %.3g µs", overhead, resolution)
}

// KeepsBusy is of the columns of a transport's parts.
func KeepsBusy() Note {
	return read("send and receive keep a processor busy, also with copies of the data; hand over " +
		"is the rest of the one-way time, 0.001 µs if nothing is left")
}
