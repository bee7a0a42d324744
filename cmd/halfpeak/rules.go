package main

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/reports/table"
)

// A rule says which flags go together. Its words are
//
//	--plot             a flag that is given
//	--model=logp       a flag whose value this is, given or by default
//	one --ranks        a flag that is given with one value; also two, several
//	--target with --plot    both words
//	a program          a fact that the command states
type rule struct {
	kind         ruleKind
	these, those []string
	min, max     float64
	message      string
}

type ruleKind int

const (
	needing   ruleKind = iota // with one of these, one of those is needed; without these, always
	excluding                 // if one of these is given, none of those may be
	bounding                  // the number of a flag, or of its values if it takes several
)

// The lists of words are separated by commas. The message replaces the rule's own words in an
// error; if it begins with a semicolon, it follows them. In it, {} is the first of these that
// is given, {--plot} the value of a flag, {n} the number that a bound is about, and {0} the first
// argument.

func needs(these, those, message string) rule {
	return rule{kind: needing, these: words(these), those: words(those), message: message}
}

func excludes(these, those, message string) rule {
	return rule{kind: excluding, these: words(these), those: words(those), message: message}
}

func within(flag string, min, max float64, message string) rule {
	return rule{kind: bounding, these: []string{flag}, min: min, max: max, message: message}
}

func atLeast(flag string, min float64, message string) rule {
	return within(flag, min, math.Inf(1), message)
}

func words(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ", ")
}

// facts are the words of rules that no flag decides, each with whether it holds.
type facts map[string]bool

// helpWidth is the width of help: docs/commands.md is written for it, and flags are
// wrapped at it. It does not follow the terminal, so that texts and flags have one
// right edge.
const helpWidth = 80

// rulesAnnotation is the key of a command's rules for help.
const rulesAnnotation = "rules"

// obey lets a command check its rules, in their order, before it runs. state returns its facts
// from its arguments; nil: none. Help prints the rules below the flags.
func obey(cmd *cobra.Command, state func(args []string) facts, rules ...rule) {
	var text []string
	for _, r := range rules {
		line := table.Fold(r.text(r.these), helpWidth-4)
		text = append(text, "  "+strings.ReplaceAll(line, "\n", "\n    "))
	}
	cmd.Annotations = map[string]string{rulesAnnotation: strings.Join(text, "\n")}
	// A word that is neither flag nor fact panics here, as soon as the command is declared.
	declared := commandLine{flags: cmd.Flags()}
	if state != nil {
		declared.facts = state(nil)
	}
	for _, r := range rules {
		declared.given(slices.Concat(r.these, r.those))
	}
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var f facts
		if state != nil {
			f = state(args)
		}
		c := commandLine{cmd.Flags(), args, f}
		for _, r := range rules {
			if c.breaks(r) {
				return usagef("%s", c.complaint(r))
			}
		}
		return run(cmd, args)
	}
}

// text returns the rule in words, about some of its flags.
func (r rule) text(these []string) string {
	s := "s"
	if len(these) > 1 {
		s = ""
	}
	switch r.kind {
	case needing:
		if len(these) == 0 {
			return "give " + joined(r.those, "or")
		}
		return joined(these, "and") + " require" + s + " " + joined(r.those, "or")
	case excluding:
		if len(these) == 1 && len(r.those) == 1 {
			return joined(slices.Concat(these, r.those), "and") + " cannot be combined"
		}
		return joined(these, "and") + " exclude" + s + " " + joined(r.those, "and")
	}
	if math.IsInf(r.max, 1) {
		return fmt.Sprintf("%s must be at least %.10g", r.these[0], r.min)
	}
	return fmt.Sprintf("%s must be %.10g to %.10g", r.these[0], r.min, r.max)
}

// joined lists words as a sentence does.
func joined(all []string, last string) string {
	text := strings.ReplaceAll(all[0], "=", " ")
	for i, word := range all[1:] {
		if i == len(all)-2 {
			text += " " + last + " "
		} else {
			text += ", "
		}
		text += strings.ReplaceAll(word, "=", " ")
	}
	return text
}

// A commandLine is what rules are about.
type commandLine struct {
	flags *pflag.FlagSet
	args  []string
	facts facts
}

func (c commandLine) breaks(r rule) bool {
	these := c.given(r.these)
	switch r.kind {
	case needing:
		return (len(r.these) == 0 || len(these) > 0) && len(c.given(r.those)) == 0
	case excluding:
		return len(these) > 0 && len(c.given(r.those)) > 0
	}
	if len(these) == 0 {
		return false // a default is within its bounds
	}
	number, err := strconv.ParseFloat(c.number(these[0]), 64)
	return err == nil && !(number >= r.min && number <= r.max) // NaN is outside
}

// number returns the value of a flag or, if it takes several, their number.
func (c commandLine) number(flag string) string {
	f := c.flags.Lookup(flag[2:])
	if n, several := count(f); several {
		return strconv.Itoa(n)
	}
	return f.Value.String()
}

// complaint returns the error of a broken rule.
func (c commandLine) complaint(r rule) string {
	these := c.given(r.these)
	text := r.text(these)
	values := []string{}
	if r.kind == bounding {
		values = append(values, "{n}", c.number(r.these[0]))
		text += " (got {n})"
	}
	switch {
	case strings.HasPrefix(r.message, ";"):
		text += r.message
	case r.message != "":
		text = r.message
	}
	if len(these) > 0 {
		values = append(values, "{}", these[0])
	}
	if len(c.args) > 0 {
		values = append(values, "{0}", c.args[0])
	}
	c.flags.VisitAll(func(f *pflag.Flag) {
		value := f.Value.String()
		if s, ok := f.Value.(pflag.SliceValue); ok && len(s.GetSlice()) > 0 {
			value = s.GetSlice()[0]
		}
		values = append(values, "{--"+f.Name+"}", value)
	})
	return strings.NewReplacer(values...).Replace(text)
}

// given returns the words that hold.
func (c commandLine) given(all []string) (found []string) {
	for _, word := range all {
		if c.holds(word) {
			found = append(found, word)
		}
	}
	return found
}

func (c commandLine) holds(word string) bool {
	if a, b, both := strings.Cut(word, " with "); both {
		return c.holds(a) && c.holds(b)
	}
	if holds, fact := c.facts[word]; fact {
		return holds
	}
	quantifier, name, found := strings.Cut(word, "--")
	name, value, valued := strings.Cut(name, "=")
	f := c.flags.Lookup(name)
	if !found || f == nil {
		panic("a rule has the word " + word + ", which is neither flag nor fact")
	}
	n, _ := count(f)
	switch {
	case valued:
		return f.Value.String() == value
	case !f.Changed || f.Value.Type() == "bool" && f.Value.String() == "false":
		return false
	}
	switch quantifier {
	case "one ":
		return n == 1
	case "two ":
		return n == 2
	case "several ":
		return n > 1
	}
	return true
}

// count returns the number of values of a flag that takes several.
func count(f *pflag.Flag) (n int, several bool) {
	if s, ok := f.Value.(pflag.SliceValue); ok {
		return len(s.GetSlice()), true
	}
	if v, ok := f.Value.(interface{ Parsed() any }); ok {
		if list := reflect.ValueOf(v.Parsed()); list.Kind() == reflect.Slice {
			return list.Len(), true
		}
	}
	return 0, false
}

// samplesRule bounds the samples: 2.5 % of fewer than 40 are none, and all results of one quantity
// are kept in memory, 8 bytes each.
var samplesRule = within("--samples", 40, 1e8, "")
