package rules

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// numbers holds the numbers of collectives in the classic file: Open MPI's enum COLLTYPE
// (ompi/mca/coll/base/coll_base_functions.h). The gaps are alltoallv and others that no
// algorithm here serves. The names in the JSON file are ours with underscores.
var numbers = map[string]int{
	"allgather": 0, "allreduce": 2, "alltoall": 3, "barrier": 6, "bcast": 7, "gather": 9,
	"reduce": 11, "reduce-scatter": 12, "reduce-scatter-block": 13, "scan": 14, "scatter": 15,
}

// openMPISections returns the sections of the rules, which Open MPI must support; form is "classic"
// or "json".
func openMPISections(rules []Rule, form string) ([]section, error) {
	all, err := checked(rules, "Open MPI", func(e collective.Entry) bool { return e.OpenMPI > 0 })
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err := openMPIDefaults(&all[i], form); err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
	}
	sections, err := byCollective(all, true)
	for _, s := range sections {
		for _, g := range s.groups {
			for i, bytes := range g.bytes {
				// A classic file has a line also for the library's choice.
				written := form == "classic" || g.choose[i] != nil
				if bytes.From > math.MaxInt64 && written {
					return nil, fmt.Errorf("%s: %d bytes are too many for Open MPI",
						s.name, bytes.From)
				}
			}
		}
	}
	return sections, err
}

// openMPIDefaults writes our defaults into a rule where Open MPI's differ, and refuses what its
// files cannot contain.
func openMPIDefaults(c *Rule, form string) error {
	switch {
	// 4 is Open MPI's default radix, which needs no file.
	case c.Of.Name == "k-nomial" && c.Fanout != 0 && c.Fanout != 4:
		return fmt.Errorf("rules files cannot contain the radix of "+
			"bcast k-nomial; omit it, and set coll_tuned_bcast_algorithm_knomial_radix to %d",
			c.Fanout)
	case c.Of.Name == "linear-sync" && c.Fanout != 0 && form == "classic":
		return fmt.Errorf("classic rules files cannot contain the requests of "+
			"alltoall linear-sync; omit them, and set "+
			"coll_tuned_alltoall_algorithm_max_requests to %d", c.Fanout)
	case c.Of.Name == "linear-sync" && c.Of.Collective == "gather" && c.Segment == 0:
		c.Segment = 1024 // our default, which differs from Open MPI's
	}
	// Open MPI's default is one chain, ours is four.
	if c.Of.Name == "chain" && c.Fanout == 0 {
		c.Fanout = 4
	}
	if c.Ranks.From > math.MaxInt32 || c.Bytes.From > math.MaxInt64 {
		return fmt.Errorf("ranks are at most %d and bytes at most %d in a file of Open MPI",
			math.MaxInt32, int64(math.MaxInt64))
	}
	return nil
}

// openMPI writes the classic rules file of Open MPI 4.x and 5.x, which reads it if
// coll_tuned_use_dynamic_rules is 1 and coll_tuned_dynamic_rules_filename names it. A line
// applies from its number of ranks, or of bytes, up to the next line; algorithm 0 is the
// library's own choice. Only the numbers count; comments begin with #:
//
//	1 # collectives
//	7 # bcast
//	1 # numbers of ranks
//	4 # ranks and more
//	2 # sizes: bytes and more, algorithm, fan-out, segment
//	0 6 0 0 # binomial
//	2048 3 0 1024 # pipeline
//
// Open MPI 6 reads the numbers of ranks of such a file shifted by one entry (seen on its main
// branch): write JSON for it.
func openMPI(w io.Writer, rules []Rule) error {
	sections, err := openMPISections(rules, "classic")
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d # collectives\n", len(sections))
	for _, s := range sections {
		fmt.Fprintf(&b, "%d # %s\n", numbers[s.name], strings.ReplaceAll(s.name, "-", "_"))
		fmt.Fprintf(&b, "%d # numbers of ranks\n", len(s.groups))
		for _, g := range s.groups {
			fmt.Fprintf(&b, "%d # ranks and more\n", g.ranks.From)
			fmt.Fprintf(&b, "%d # sizes: bytes and more, algorithm, fan-out, segment\n",
				len(g.bytes))
			for i, bytes := range g.bytes {
				if c := g.choose[i]; c != nil {
					fmt.Fprintf(&b, "%d %d %d %d # %s\n",
						bytes.From, c.Of.OpenMPI, c.Fanout, c.Segment, c.Of.Name)
				} else {
					fmt.Fprintf(&b, "%d 0 0 0\n", bytes.From)
				}
			}
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// jsonFile is the JSON file; the keys of Collectives are their names.
type jsonFile struct {
	Version     int                    `json:"rule_file_version"`
	Module      string                 `json:"module"`
	Collectives map[string][]jsonRanks `json:"collectives"`
}

type jsonRanks struct {
	Min   uint64     `json:"comm_size_min"`
	Max   *uint64    `json:"comm_size_max,omitempty"`
	Rules []jsonRule `json:"rules"`
}

type jsonRule struct {
	Min      uint64  `json:"msg_size_min"`
	Max      *uint64 `json:"msg_size_max,omitempty"`
	Alg      int     `json:"alg"`
	Fanout   int     `json:"faninout,omitempty"`
	Segment  uint64  `json:"seg_size,omitempty"`
	Requests int     `json:"reqs,omitempty"`
}

// end returns the upper end of a range; nil if it exceeds the numbers of the file.
func end(to, most uint64) *uint64 {
	if to > most {
		return nil
	}
	return &to
}

// openMPIJSON writes the rules file of Open MPI 6, rule_file_version 3. Its ranges include
// both ends; an omitted end is unbounded. The first range that matches applies; without one,
// the library chooses. Keys are those of its parser; its converter and its schema spell some
// differently (segsize, reducescatter).
//
//	{"rule_file_version": 3, "module": "tuned", "collectives": {
//	"bcast": [{"comm_size_min": 4, "comm_size_max": 8, "rules": [
//	  {"msg_size_min": 0, "msg_size_max": 2047, "alg": 6},
//	  {"msg_size_min": 2048, "alg": 3, "seg_size": 1024}]}]}}
func openMPIJSON(w io.Writer, rules []Rule) error {
	sections, err := openMPISections(rules, "json")
	if err != nil {
		return err
	}
	file := jsonFile{Version: 3, Module: "tuned", Collectives: map[string][]jsonRanks{}}
	for _, s := range sections {
		var out []jsonRanks
		for _, g := range s.groups {
			ranks := jsonRanks{Min: g.ranks.From, Max: end(g.ranks.To, math.MaxInt32)}
			for i, bytes := range g.bytes {
				c := g.choose[i]
				if c == nil {
					continue
				}
				r := jsonRule{
					Min: bytes.From, Max: end(bytes.To, math.MaxInt64),
					Alg: c.Of.OpenMPI, Fanout: c.Fanout, Segment: c.Segment,
				}
				if c.Of.Name == "linear-sync" { // our fan-out is its number of requests
					r.Fanout, r.Requests = 0, c.Fanout
				}
				ranks.Rules = append(ranks.Rules, r)
			}
			// An empty list of rules would match and choose nothing.
			if ranks.Rules != nil {
				out = append(out, ranks)
			}
		}
		file.Collectives[strings.ReplaceAll(s.name, "-", "_")] = out
	}
	b, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
