package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
)

// writeManPages writes the man pages of a command and its subcommands into an
// existing folder. They carry the date of the program's commit, so that the same
// program writes the same pages (reproducible packages); without a commit, 1970.
func writeManPages(cmd *cobra.Command, dir string) error {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			if err := writeManPages(c, dir); err != nil {
				return err
			}
		}
	}
	date := time.Unix(0, 0).UTC()
	if _, at := flags.Commit(); !at.IsZero() {
		date = at.UTC()
	}
	cmd.DisableAutoGenTag = true
	// The text is changed for the page alone; help prints it afterwards.
	long := cmd.Long
	cmd.Long = listItem.ReplaceAllStringFunc(long, definition)
	if rules := cmd.Annotations[rulesAnnotation]; rules != "" {
		cmd.Long += "\n\n**Flags together**\n\n" + ruleItem.ReplaceAllString(rules, "\n$1")
	}
	defer func() { cmd.Long = long }()
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	header := &doc.GenManHeader{Section: "1", Source: "halfpeak " + cmd.Root().Version,
		Manual: "Halfpeak", Date: &date}
	page := func(w io.Writer) error { return doc.GenMan(cmd, header, w) }
	return atomicfile.Write(filepath.Join(dir, name), page)
}

// ruleItem is the beginning of a rule of flags, which is a paragraph of a man page.
var ruleItem = regexp.MustCompile(`(?m)^  (\S)`)

// listItem is an item of a list in a help text: a name, a gap, and a meaning that can
// span lines. Man pages would join such lines into one paragraph.
var listItem = regexp.MustCompile(`(?m)^  (\S+(?: \S+)*) {2,}(\S.*(?:\n {6,}\S.*)*)$`)

// definition turns an item of a list into Markdown. cobra makes the man page from it.
func definition(text string) string {
	parts := listItem.FindStringSubmatch(text)
	return "\n" + parts[1] + "\n: " + strings.Join(strings.Fields(parts[2]), " ") + "\n"
}
