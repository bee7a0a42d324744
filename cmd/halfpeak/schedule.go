package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	thecollective "github.com/halfpeak/halfpeak/reports/collective"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
)

// newSchedule declares schedule, which lists algorithms or writes the schedule of one
// as GOAL: binary if the file ends with .bin, as LogGOPSim reads it, else text.
func newSchedule() *cobra.Command {
	out := output{plain: true}
	var c collective.Call
	var name, machine string
	var ranks int
	var size, segment quantity.Bytes
	var params []string
	cmd := command("schedule",
		wantArgs(0, 1, `at most one collective or program, as in "halfpeak schedule bcast"`),
		func(cmd *cobra.Command, args []string) error {
			write := func(s *schedule.Schedule) error {
				switch {
				case extension(out.path) == "bin":
					return out.writeTo(cmd, s.WriteBinary)
				case out.path == "" && terminalOf(cmd.Context()).Width > 0:
					return out.write(cmd, theprogram.PartnersOf(s).Rows())
				}
				return out.writeTo(cmd, s.WriteText)
			}
			if len(args) == 1 && program.Is(args[0]) {
				in, err := theprogram.Read(cmd.Context(), args,
					theprogram.Reading{Ranks: []int{ranks}, Params: params})
				if err != nil {
					return err
				}
				if err := write(in.Schedule); err != nil || !in.Schedule.Posts() {
					return err
				}
				_, err = fmt.Fprintf(cmd.ErrOrStderr(), "GOAL has no send that is only posted: "+
					"there, what follows an isend waits until the NIC begins with its message. "+
					"\"halfpeak simulate %s\" does not wait.\n", args[0])
				return err
			}
			// Without an algorithm the command lists them, of one collective or all: "" is all.
			if name == "" {
				all, err := thecollective.List(append(args, "")[0])
				if err != nil {
					return err
				}
				return out.write(cmd, all.Rows())
			}
			c.Bytes, c.Segment = uint64(size), uint64(segment)
			if c.Segment >= c.Bytes { // it is sent whole, as collective has it
				c.Segment = 0
			}
			var d halfpeak.Design
			if machine != "" {
				var err error
				if d, err = halfpeak.Open(machine); err == nil {
					err = d.Messages()
				}
				if err != nil {
					return err
				}
			}
			e, err := collective.Find(args[0], name)
			if err != nil {
				return usage.Error{Err: err}
			}
			s, err := collectives.Schedule(e, ranks, c, d.Design)
			if err != nil {
				return err
			}
			return write(s)
		})
	out.declareFormat(cmd)
	declareCall(cmd, &c)
	defer completeAlgorithms(cmd)
	cmd.Flags().StringVar(&name, "algorithm", "",
		"write the schedule of the algorithm of this `name`")
	cmd.Flags().StringVar(&machine, "machine", "",
		"for logp-optimal: the `platform` whose L, o and g shape the tree")
	completeBy(cmd, "machine", completePlatforms)
	cmd.Flags().IntVar(&ranks, "ranks", 8, "`number` of ranks")
	cmd.Flags().IntVar(&c.PerNode, "ranks-per-node", 0,
		"`ranks` on each node, one node after the other, for channels and algorithms in two levels")
	cmd.Flags().StringArrayVar(&params, "param", nil,
		"with a program (.star): `NAME=VALUE` of a parameter of main; may be given again")
	flags.Var(cmd.Flags(), &size, quantity.ParseBytes, "size", "size", "1KiB",
		"size of the message, or of each rank's block")
	flags.Var(cmd.Flags(), &segment, quantity.ParseBytes, "size", "segment", "",
		"cut the message into segments of this size; by default it is sent whole")
	declareTimeLimit(cmd)
	state := func(args []string) facts {
		return facts{"a collective": len(args) > 0,
			"a program":          len(args) == 1 && program.Is(args[0]),
			"a format of tables": out.asTable()}
	}
	obey(cmd, state,
		excludes("--algorithm, --machine, --size, --segment", "a program",
			"{} is part of a program; {0} has its own"),
		excludes("--algorithm, a program", "a format of tables",
			"a schedule is written as GOAL: as text, or binary if -o FILE ends with .bin"),
		needs("--param", "a program", "--param sets a parameter of a program (.star)"),
		needs("--ranks, --ranks-per-node, --size, --segment, --root, --fan-out, --channels, "+
			"--machine", "--algorithm, a program",
			`{} is of a schedule, which needs --algorithm; "halfpeak schedule" lists their names`),
		needs("--algorithm", "a collective", `--algorithm {--algorithm} requires a collective, `+
			`as in "halfpeak schedule bcast --algorithm binomial"`))
	return cmd
}
