package collective

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Library is a row of [Libraries]: what a library of collectives calls its algorithms, and which
// of them it takes by itself. The zero value is of no library.
type Library struct {
	Name string // in platform files, flags and choices.txt
	// Measured has the algorithms that a library took on a machine, where its own choices are not
	// known: "bcast chain from 8 B, binomial from 1024 B; alltoall bruck from 8 B".
	Measured string
}

// Libraries lists the libraries.
var Libraries = []Library{{Name: "openmpi"}, {Name: "mpich"}, {Name: "nccl"}, {Name: "intel"}}

// called returns the library's name or number of an algorithm; "" if it has none.
func (l Library) called(e Entry) string {
	switch l.Name {
	case "openmpi":
		return number(e.OpenMPI)
	case "mpich":
		return e.MPICH
	case "nccl":
		return e.NCCL
	case "intel":
		return number(e.Intel)
	case nameless.Name:
		return e.Name
	}
	return ""
}

// nameless stands for the choices where no library is known, see [Library.Default].
var nameless = Library{Name: "none"}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// choices is the table of default algorithms; its first lines describe its columns.
//
//go:embed choices.txt
var choices string

// FindLibrary returns the library with this name.
func FindLibrary(name string) (Library, error) {
	for _, l := range Libraries {
		if l.Name == name {
			return l, nil
		}
	}
	names := list.Map(Libraries, func(l Library) string { return l.Name })
	return Library{}, fmt.Errorf("no library %q%s", name, usage.Hint(name, names))
}

// versions are the beginnings of what libraries say about their version, if the choices of such a
// version are in choices.txt.
var versions = []struct{ beginning, library string }{
	{"Open MPI v4.1", "openmpi"}, {"Open MPI v5.0", "openmpi"}, {"MPICH Version: 4.", "mpich"},
}

// LibraryOf returns the library whose choices are known, by what MPI_Get_library_version says. Of
// other versions they are not.
func LibraryOf(version string) (l Library, known bool) {
	version = strings.Join(strings.Fields(version), " ")
	for _, v := range versions {
		if strings.HasPrefix(version, v.beginning) {
			return Library{Name: v.library}, true
		}
	}
	return Library{}, false
}

// Has reports whether the library has the algorithm.
func (l Library) Has(e Entry) bool { return l.called(e) != "" }

// Choice returns the algorithm that the library takes by default for a collective of so many ranks,
// and bytes of a message or of the block of one rank; all are the algorithms of the collective. It
// is not known for libraries, collectives and algorithms that choices.txt or the registry do not
// have, unless it was measured.
func (l Library) Choice(all []Entry, ranks int, bytes uint64) (e Entry, known bool) {
	if len(all) == 0 {
		return e, false
	}
	return l.choice(all[0].Collective, all, ranks, bytes)
}

// choice is Choice for a call by MPI's name, which may be one with unequal blocks.
func (l Library) choice(name string, all []Entry, ranks int, bytes uint64) (e Entry, known bool) {
	if e, known = l.measured(name, all, ranks, bytes); known {
		return e, true
	}
	for _, line := range choicesOf()[l.Name+" "+name] {
		// A line is for fewer ranks than its third field, or for any if that is 0; of its choices
		// the first counts whose limit in bytes is above the size.
		if below, _ := strconv.Atoi(line[0]); below > 0 && ranks >= below {
			continue
		}
		for _, choice := range line[1:] {
			algorithm, below, limited := strings.Cut(choice, "<")
			below, ofAll := strings.CutSuffix(below, "/p")
			n, _ := strconv.ParseUint(below, 10, 64)
			if ofAll {
				n = (n + uint64(ranks) - 1) / uint64(ranks)
			}
			if limited && bytes >= n {
				continue
			}
			i := slices.IndexFunc(all, func(e Entry) bool { return l.called(e) == algorithm })
			if i < 0 {
				return e, false // the library's own, which no schedule of ours follows
			}
			return all[i], true
		}
	}
	return e, false
}

// measured returns the algorithm of a call by l.Measured.
func (l Library) measured(name string, all []Entry, ranks int, bytes uint64) (e Entry, known bool) {
	for line := range strings.SplitSeq(l.Measured, "; ") {
		of, list, _ := strings.Cut(line, " ")
		if of != name {
			continue
		}
		for choice := range strings.SplitSeq(list, ", ") {
			algorithm, from, _ := strings.Cut(choice, " from ")
			least, _ := strconv.ParseUint(strings.TrimSuffix(from, " B"), 10, 64)
			i := slices.IndexFunc(all, func(e Entry) bool { return e.Name == algorithm })
			// The first one serves smaller messages, too.
			fits := i >= 0 && (all[i].Ranks == 0 || all[i].Ranks == ranks)
			if fits && (bytes >= least || !known) {
				e, known = all[i], true
			}
		}
	}
	return e, known
}

// choicesOf returns the lines of choices.txt by library and collective, from the third field on.
var choicesOf = sync.OnceValue(func() map[string][][]string {
	all := map[string][][]string{}
	for line := range strings.Lines(choices) {
		if fields := strings.Fields(line); fields[0] != "#" && len(fields) >= 4 {
			key := fields[0] + " " + fields[1]
			all[key] = append(all[key], fields[2:])
		}
	}
	return all
})

// usual are algorithms for any number of ranks and bytes, by MPI's names in lower case, for what
// choices.txt has not. Those of alltoall, gather and scatter are NCCL's programs of sends and
// receives.
var usual = map[string]string{
	"barrier":  "barrier dissemination",
	"alltoall": "alltoall linear",
	"gather":   "gather linear",
	"scatter":  "scatter linear",
	// Those of Open MPI for any number of ranks.
	"reduce-scatter-block": "reduce-scatter ring",
	"scan":                 "scan linear",
	"allgatherv":           "allgather ring",
	"alltoallv":            "alltoall linear",
	"gatherv":              "gather linear",
	"scatterv":             "scatter linear",
}

// usualOf returns the algorithm of a collective for which neither a user nor a library names one.
func usualOf(name string) (e Entry, known bool) {
	of, algorithm, _ := strings.Cut(usual[name], " ")
	i := slices.IndexFunc(Algorithms, func(e Entry) bool {
		return e.Collective == of && e.Name == algorithm
	})
	if i < 0 {
		return e, false
	}
	return Algorithms[i], true
}

// Default returns the algorithm of a call for which none is named: the choice of the library, if it
// is known, else a usual one of MPI libraries, which depends on the size (Thakur et al. 2005). The
// name is MPI's in lower case; calls with blocks of unequal sizes have names of their own, such as
// gatherv. Bytes are as in [Library.Choice].
func (l Library) Default(name string, ranks int, bytes uint64) (e Entry, known bool) {
	all := Of(strings.TrimSuffix(name, "v"))
	if e, known = l.choice(name, all, ranks, bytes); known {
		return e, true
	}
	if l.Name != "nccl" { // which has no trees and exchanges of MPI's
		if e, known = nameless.choice(name, all, ranks, bytes); known {
			return e, true
		}
	}
	return usualOf(name)
}
