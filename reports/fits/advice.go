package fits

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// advise sets what follows from logs of nccl-tests: what was understood, which question comes
// next, and a verdict on the last of the logs and of the tables of messages, behind those on the
// ones before, if the links of a node are given. If the answer is saved, the next question is not
// how to save. Of tables that columns of nodes tell apart, the verdict is how to find slow ones.
// It is an error if links are given for other files.
func (a *Answer) advise(q Question) error {
	l := q.Links
	judges := func(s benchmarks.Source) bool {
		_, ok := messagesOf(s)
		return ok || ofNCCLTests(s)
	}
	if l.number > 0 && !slices.ContainsFunc(a.sources, judges) {
		err := errors.New("links judge messages between ranks and the busbw of nccl-tests, and " +
			"no file has one of them")
		return usage.Error{Err: usage.Fields(err, "link")}
	}
	for _, v := range append(verdictsOf(a.sources, l), messageVerdicts(a.sources, l)...) {
		if a.verdict != "" { // the last one closes the table
			a.next = append(a.next, remark.Advised(a.verdict))
		}
		if a.verdict = v.text; v.share > 0 {
			a.judged++
			if v.share < usual {
				a.bad++
			}
		}
	}
	if _, ok := a.Result.(*Comparison); ok { // what to do with a fit is no answer to it
		return nil
	}
	a.next = append(a.next, understood(a.sources, a.runs, q.Saved, l)...)
	a.next = append(a.next, repeats(a.Curves())...)
	a.verdict = cmp.Or(a.verdict, peaks(a.runs), ofPairs(a.sources))
	return nil
}

// repeats names the flag for files that each have one table, all of the same name and sizes.
func repeats(curves []Curve) []remark.Note {
	if len(curves) < 2 || curves[0].File == curves[1].File {
		return nil
	}
	first := curves[0]
	for _, c := range curves {
		if c.Kind == benchfile.Collective || len(c.File.Tables) != 1 ||
			c.Table.Name() != first.Table.Name() || len(c.Points) != len(first.Points) {
			return nil
		}
	}
	return []remark.Note{remark.Repeats(len(curves))}
}

// understood says what the logs of nccl-tests are of: nodes, ranks and algorithms, what would have
// to be measured for a choice of the algorithm, and how to go on if it was not saved; empty without
// such logs. Without links it says how a verdict is asked for.
func understood(sources []benchmarks.Source, runs []gpuRun, saved bool, l Links) (
	notes []remark.Note) {
	var ops []benchfile.CollectiveOp
	for _, s := range sources {
		if ofNCCLTests(s) {
			ops = append(ops, s.Table.Collective)
		}
	}
	if len(ops) == 0 {
		return nil
	}
	words := func(of func(benchfile.CollectiveOp) int) string {
		all := stats.Ascending(list.Map(ops, of))
		return strings.Join(list.Map(slices.Compact(all), strconv.Itoa), ", ")
	}
	ranks := words(func(c benchfile.CollectiveOp) int { return c.Ranks })
	nodes := words(func(c benchfile.CollectiveOp) int { return c.Nodes })
	perNode := words(func(c benchfile.CollectiveOp) int { return c.PerNode })
	algorithms := stats.Ascending(list.Map(ops, func(c benchfile.CollectiveOp) string {
		return c.Algorithm
	}))
	unnamed := func(s string) bool { return s == "" }
	algorithms = slices.DeleteFunc(slices.Compact(algorithms), unnamed)
	text := fmt.Sprintf("understood: %s on %s ranks", ops[0].Name, ranks)
	if unknown := missing(ops[0]); unknown != "" {
		return []remark.Note{remark.Advised(unknown)}
	}
	if nodes == "1" {
		text += ", 1 node of " + perNode
	} else if nodes != "0" {
		text += fmt.Sprintf(", %s nodes of %s", nodes, perNode)
	} else {
		text += "; how many of them a node has is unknown"
	}
	for _, c := range ops {
		if c.Groups > 1 {
			text += fmt.Sprintf(", in %d groups at once", c.Groups)
			break
		}
	}
	switch len(algorithms) {
	case 0:
		text += "; ring or tree is not in the logs: rerun with NCCL_ALGO=Ring and with " +
			"NCCL_ALGO=Tree, and fit both, for where to switch"
	case 1:
		other := "Ring"
		if strings.EqualFold(algorithms[0], "ring") {
			other = "Tree"
		}
		text += fmt.Sprintf("; algorithm %s: for a choice, rerun with NCCL_ALGO=%s", algorithms[0],
			other)
	default:
		text += "; algorithms " + strings.Join(algorithms, ", ")
	}
	notes = append(notes, remark.Advised(text))
	if len(runs) > 0 {
		notes = append(notes, remark.Advised(bends(runs)))
	}
	if !saved {
		notes = append(notes, remark.SaveNext(ops[0].Name))
	}
	onNodes := func(c benchfile.CollectiveOp) bool { return c.Nodes > 1 }
	if l.number == 0 && len(runs) == 0 && slices.ContainsFunc(ops, onNodes) {
		notes = append(notes, remark.GiveLinks())
	}
	return notes
}

// missing asks for what the logs do not say of a collective; empty if they name it and its ranks.
func missing(c benchfile.CollectiveOp) string {
	switch {
	case c.Name == "" && c.Ranks == 0:
		return "the logs name neither the collective nor its ranks: give them with --collective " +
			"and --ranks"
	case c.Name == "":
		return "the logs do not name the collective: give it with --collective, as in allgather"
	case c.Ranks == 0:
		return fmt.Sprintf("the logs do not say on how many ranks the %s ran: give them with "+
			"--ranks, and --ranks-per-node", c.Name)
	}
	return ""
}
