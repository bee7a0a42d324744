package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/sweeps"
)

// declareOutput declares where the answer and its figure go.
func (o *whatifOptions) declareOutput(cmd *cobra.Command) {
	f := cmd.Flags()
	o.format.choices = append([]string{string(reports.Text), string(reports.Markdown), string(reports.JSON)}, reports.StreamFormats()...)
	f.Var(&o.format, "format", "how to print (default text, or what the name of the -o file says)")
	complete(cmd, "format", o.format.choices)
	f.VarP((*outputFile)(&o.path), "output", "o", "write to this `file`, whole or not at all")
	f.Var((*outputFile)(&o.plot), "plot", "draw the figure into this `file` (png, svg, pdf)")
	declareSize(cmd, &o.width, &o.height)
}

// newWhatifMerge answers --sweep from the parts of its shards.
func newWhatifMerge() *cobra.Command {
	var o whatifOptions
	cmd := newMerge("whatif", `Merge takes the parts that "halfpeak whatif PLATFORM --sweep … --shard I/N -o PART" wrote,
all N of them in any order, and gives exactly what the command gives without --shard.
A shard that is missing, there twice, damaged, or of another command is named. Platforms
and schedules that are files must be as they were.`, func(cmd *cobra.Command, args []string) (err error) {
		if o.asked, o.parts, err = sweeps.MergedQuestion(args); err != nil {
			return err
		}
		q := o.asked
		o.set, o.vary, o.of, o.schedule = q.Set, q.Vary, q.Of, q.Schedule
		o.collective.Collective, o.collective.Algorithm, o.ranks.Values = q.Collective, q.Algorithm, q.Ranks
		if o.sized = q.Sizes != ""; o.sized {
			if err := o.sizes.Set(q.Sizes); err != nil {
				return err
			}
		}
		if err := o.checkOutput(); err != nil {
			return err
		}
		return o.answer(cmd)
	})
	o.declareOutput(cmd)
	return cmd
}

// checkShard finds flags that do not go with --shard.
func (o *whatifOptions) checkShard() error {
	switch {
	case len(o.vary) == 0:
		return usagef("--shard divides the rows of --sweep; the other questions are short")
	case o.path == "":
		return usagef("--shard writes a part; name its file, as in -o part-%d", o.shard.Index)
	case o.plot != "" || o.format.value != "":
		return usagef("--shard writes a part; give --format and --plot to \"halfpeak whatif merge\"")
	}
	return nil
}

// checkOutput finds outputs that cannot be made.
func (o *whatifOptions) checkOutput() error {
	if o.plot != "" && !isImage(o.plot) {
		return usagef("--plot %q: no such kind of image; use .%s", o.plot, strings.Join(reports.Exts(), ", ."))
	}
	_, err := o.output(len(o.vary) > 0)
	return err
}
