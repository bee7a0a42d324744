// Notice writes the file NOTICE: the licences of all components of the released binaries, read from
// the module cache. Run it in the root of the checkout after a change of go.mod:
//
//	go run ./internal/notice > NOTICE
package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	text, err := notice(".")
	if err == nil {
		_, err = os.Stdout.WriteString(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "notice:", err)
		os.Exit(1)
	}
}

// builds lists the programs of a release, with the operating systems and processors
// that differ in the modules they need. A module that only one system uses has a
// licence to be kept there too.
var builds = []struct{ goos, goarch, program string }{
	{"linux", "amd64", "./cmd/halfpeak"},
	{"darwin", "arm64", "./cmd/halfpeak"},
	{"windows", "amd64", "./cmd/halfpeak"},
	{"freebsd", "amd64", "./cmd/halfpeak"},
	{"js", "wasm", "./cmd/explorer"},
}

// A component is a module in a binary, or the Go distribution.
type component struct {
	name, version string
	dir           string
	packages      map[string]bool // folders of its packages that are used, below dir
}

// A licence is a text and its SPDX identifier.
type licence struct{ id, text string }

func notice(root string) (string, error) {
	all, err := components(root)
	if err != nil {
		return "", err
	}
	var table, texts strings.Builder
	numbers := map[string]int{} // of the texts
	for _, c := range all {
		found, err := c.licences()
		if err != nil {
			return "", err
		}
		var ids, places []string
		for _, l := range found {
			if numbers[l.text] == 0 {
				numbers[l.text] = len(numbers) + 1
				fmt.Fprintf(&texts, "\n%s\n[%d] %s\n\n%s\n",
					strings.Repeat("-", 80), numbers[l.text], l.id, l.text)
			}
			ids = append(ids, l.id)
			places = append(places, fmt.Sprintf("[%d]", numbers[l.text]))
		}
		fmt.Fprintf(&table, "%-39s %-36s %s %s\n",
			c.name, c.version, strings.Join(ids, ", "), strings.Join(places, " "))
	}
	return "halfpeak, copyright 2026 The halfpeak Authors. Its own licence is in the file " +
		"LICENSE.\n\n" +
		"The binaries of a release contain these components, with the licences below. " +
		"Where a component\n" +
		"offers a choice, the one named here was chosen.\n\n" + table.String() + texts.String(), nil
}

// components returns the Go distribution and the modules in the binaries, by name.
func components(root string) ([]component, error) {
	modules := map[string]component{}
	for _, b := range builds {
		const columns = "{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}"
		const format = "{{with .Module}}{{if not .Main}}" + columns + "{{end}}{{end}}"
		list := exec.Command("go", "list", "-deps", "-f", format, b.program)
		list.Dir, list.Stderr = root, os.Stderr
		list.Env = append(os.Environ(), "GOOS="+b.goos, "GOARCH="+b.goarch,
			"CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list %s: %w", b.program, err)
		}
		for line := range strings.Lines(string(out)) {
			of := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if of[2] == "" {
				return nil, fmt.Errorf("%s is not in the module cache; run go mod download", of[0])
			}
			m, known := modules[of[0]]
			if !known {
				m = component{of[0], of[1], of[2], map[string]bool{}}
				modules[m.name] = m
			}
			// A package copied from elsewhere keeps its licence in its own folder, so
			// all folders up to the module's root are looked at.
			for dir := of[3]; len(dir) >= len(m.dir); dir = filepath.Dir(dir) {
				m.packages[dir] = true
			}
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	dir := strings.TrimSpace(string(goroot))
	all := slices.SortedFunc(maps.Values(modules), func(a, b component) int {
		return cmp.Compare(a.name, b.name)
	})
	library := component{"the Go standard library and runtime", "of the build", dir,
		map[string]bool{dir: true}}
	return append([]component{library}, all...), nil
}

// files matches the names of files with licences.
var files = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents)([.-].*)?$`)

// chosen has the files of modules that offer a choice of licences, or keep them
// elsewhere. Freetype may be taken under the GPL or its own licence, which needs only
// a mention.
var chosen = map[string][]string{
	"github.com/golang/freetype": {"licenses/ftl.txt"},
}

// licences reads the files with licences in the folders of the used packages and above them.
func (c component) licences() ([]licence, error) {
	paths := slices.Clone(chosen[c.name])
	if paths == nil {
		for _, dir := range slices.Sorted(maps.Keys(c.packages)) {
			entries, err := os.ReadDir(dir)
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				if rel, err := filepath.Rel(c.dir, filepath.Join(dir, e.Name())); err == nil &&
					e.Type().IsRegular() && files.MatchString(e.Name()) {
					paths = append(paths, rel)
				}
			}
		}
	}
	var all []licence
	for _, path := range paths {
		text, err := os.ReadFile(filepath.Join(c.dir, path))
		if err != nil {
			return nil, err
		}
		l := licence{text: plain(text)}
		if l.id = identify(path, l.text); l.id == "" {
			return nil, fmt.Errorf("%s of %s has a licence that this program does not identify; "+
				"read it, and add it to identify", path, c.name)
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no file with its licence", c.name)
	}
	return all, nil
}

// plain returns a text without carriage returns and trailing spaces, so that copies
// of one licence are one text of NOTICE.
func plain(text []byte) string {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r", ""), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// identify returns the SPDX identifier of a licence, from phrases that only it has.
// It is empty for a licence that may not be part of a binary under BSD-3-Clause, and
// for one that nobody has read yet; both are errors. The order matters: BSD-3-Clause
// has the phrase of BSD-2-Clause too.
func identify(path, text string) string {
	words := strings.Join(strings.Fields(text), " ")
	for _, l := range []struct{ id, phrase string }{
		{"", "GNU GENERAL PUBLIC LICENSE"},
		{"", "GNU LESSER GENERAL PUBLIC LICENSE"},
		{"FTL", "The FreeType Project LICENSE"},
		{"OFL-1.1", "SIL OPEN FONT LICENSE Version 1.1"},
		{"Apache-2.0", "Apache License Version 2.0"},
		{"MIT AND Apache-2.0", "two different licenses: MIT and Apache"},
		{"Apache-2.0", "Licensed under the Apache License, Version 2.0"},
		{"MIT", "Permission is hereby granted, free of charge"},
		{"BSD-3-Clause", "may be used to endorse or promote products"},
		{"BSD-2-Clause", "Redistribution and use in source and binary forms"},
		{"CC-BY-4.0", "Creative Commons Attribution 4.0"},
	} {
		if strings.Contains(words, l.phrase) {
			return l.id
		}
	}
	if strings.HasPrefix(filepath.Base(path), "PATENTS") {
		return "additional patent grant"
	}
	return ""
}
