package fleet

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A namePattern reads the names of nodes and other dimensions from the names of files:
// "nccl_*_G{gpus}_{a}_{b}.log". A * matches any letters but /, and {name} at least one: {a} and {b}
// are the nodes, and other names are dimensions. Only curves of the same dimensions are compared.
// Names in braces take as few letters as they can, and stars the rest. A pattern with a / is
// matched with the whole path below the named folder, others with the last part of the path.
type namePattern struct {
	text  string
	expr  *regexp.Regexp
	names []string
}

var braces = regexp.MustCompile(`\*|\{[^{}]*\}`)

// CheckPattern returns an error if text is not a pattern for [Options.Name].
func CheckPattern(text string) error {
	_, err := parsePattern(text)
	return err
}

// parsePattern turns a pattern into a regular expression: stars are greedy, names
// take as little as they can, and nothing but a / stops either.
func parsePattern(text string) (*namePattern, error) {
	p := &namePattern{text: text}
	var expr strings.Builder
	rest, last := text, "" // the piece before, if nothing stands between
	for {
		at := braces.FindStringIndex(rest)
		if at == nil {
			break
		}
		literal, piece := rest[:at[0]], rest[at[0]:at[1]]
		rest = rest[at[1]:]
		expr.WriteString(regexp.QuoteMeta(literal))
		// "{a}{b}" would match n12 as n and 12, or as n1 and 2.
		if literal == "" && last != "" {
			return nil, fmt.Errorf("%s and %s need a letter between them, to show where one ends",
				last, piece)
		}
		if last = piece; piece == "*" {
			expr.WriteString(`[^/]*`)
			continue
		}
		name := strings.Trim(piece, "{}")
		switch {
		// A dimension becomes a label "gpus=4" of the group, and part of a column in
		// CSV.
		case strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || name == "":
			return nil, fmt.Errorf("%s: a name may have small letters, digits and _", piece)
		case slices.Contains(p.names, name):
			return nil, fmt.Errorf("%s occurs twice", piece)
		}
		p.names = append(p.names, name)
		expr.WriteString(`([^/]+?)`)
	}
	expr.WriteString(regexp.QuoteMeta(rest))
	switch {
	case strings.ContainsAny(braces.ReplaceAllString(text, ""), "{}"):
		return nil, fmt.Errorf("unbalanced brace; write names in braces, as in {a}")
	case !slices.Contains(p.names, "a"):
		return nil, fmt.Errorf("no {a}: give {a} and {b} for the two nodes of a pair, " +
			"{a} alone for single nodes")
	}
	p.expr = regexp.MustCompile("^" + expr.String() + "$")
	return p, nil
}

// match returns the nodes and the other dimensions ("gpus=4") of a path, and whether
// it fits. Without {b} the file is of one node.
func (p *namePattern) match(name string) (nodes, labels []string, ok bool) {
	if !strings.Contains(p.text, "/") {
		name = path.Base(name)
	}
	m := p.expr.FindStringSubmatch(name)
	if m == nil {
		return nil, nil, false
	}
	var a, b string
	for i, name := range p.names {
		// A substring keeps the whole path in memory; a fleet may have a million of them.
		switch v := strings.Clone(m[i+1]); name {
		case "a":
			a = v
		case "b":
			b = v
		default:
			labels = append(labels, name+"="+v)
		}
	}
	if nodes = []string{a}; b != "" {
		nodes = append(nodes, b)
	}
	return nodes, labels, true
}

// suggestPattern returns a pattern that may name the nodes in these file names, or "" if they do
// not look like it. The parts of the names between punctuation that differ from file to file are
// the nodes: two parts of the same letters with different digits, or the only part that differs.
func suggestPattern(paths []string) string {
	if len(paths) < 2 {
		return ""
	}
	first := path.Base(paths[0])
	parts := parted.FindAllString(first, -1)
	between := parted.Split(first, -1)
	differ := make([]bool, len(parts))
	shapes := make([]string, len(parts))
	for i, part := range parts {
		shapes[i] = shapeOf(part)
	}
	for _, p := range paths[1:] {
		name := path.Base(p)
		others := parted.FindAllString(name, -1)
		if !slices.Equal(parted.Split(name, -1), between) {
			return "" // other benchmarks, or names of other forms
		}
		for i, part := range others {
			differ[i] = differ[i] || part != parts[i]
			if shapeOf(part) != shapes[i] {
				shapes[i] = "" // not a node: these have names of one form
			}
		}
	}
	var some []int // that differ and may be nodes
	for i := range parts {
		if differ[i] && shapes[i] != "" {
			some = append(some, i)
		}
	}
	a, b := nodesAmong(some, shapes)
	if a < 0 {
		return ""
	}
	text := between[0]
	for i, part := range parts {
		switch {
		case i == a:
			part = "{a}"
		case i == b:
			part = "{b}"
		case differ[i]:
			part = "*"
		}
		text += part + between[i+1]
	}
	p, err := parsePattern(text)
	if err != nil {
		return ""
	}
	if nodes, _, ok := p.match(first); !ok || len(nodes) == 0 {
		return ""
	}
	return text
}

// parted matches the parts of a file's name between punctuation.
var parted = regexp.MustCompile(`[[:alnum:]]+`)

var digits = regexp.MustCompile(`[0-9]+`)

// shapeOf returns a part with its numbers replaced: n001 and n12 are names of one form.
func shapeOf(part string) string { return digits.ReplaceAllString(part, "0") }

// nodesAmong returns the only two parts of one form, or the only part and -1; -1 first if the
// choice is not clear. Numbers alone may also be sizes or runs, so forms with letters come first.
func nodesAmong(some []int, shapes []string) (a, b int) {
	if len(some) == 1 {
		return some[0], -1
	}
	var lettered, numbers [][]int // pairs of parts
	of := map[string][]int{}
	for _, i := range some {
		of[shapes[i]] = append(of[shapes[i]], i)
	}
	for shape, both := range of {
		switch {
		case len(both) != 2:
		case shape == "0":
			numbers = append(numbers, both)
		default:
			lettered = append(lettered, both)
		}
	}
	for _, pairs := range [][][]int{lettered, numbers} {
		if len(pairs) == 1 {
			return pairs[0][0], pairs[0][1]
		}
	}
	return -1, -1
}
