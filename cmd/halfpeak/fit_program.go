package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
)

// A programFit holds the flags of fit that are about measured steps of a program.
type programFit struct {
	program, machine string
	memory           quantity.MBps
	params           []string
}

var programFitRules = []rule{
	needs("--machine, --memory, --param", "--program",
		"--machine, --memory and --param are of measured steps; name their --program"),
	excludes("--program", "--model, --against, --plot, --link, --collective, --algorithm",
		"--program fits the rates of a machine; fit the benchmarks by themselves"),
}

func (o *programFit) declare(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.program, "program", "",
		"fit the [compute] of a machine to measured steps of this `program` (.star); the files "+
			"are a CSV with the columns ranks, step_ms and parameters, and logs of the machine")
	f.StringVar(&o.machine, "machine", "", "with --program: the `platform` in place of logs")
	flags.Var(f, &o.memory, quantity.ParseMBps, "rate", "memory", "",
		"with --program: bytes of memory a second of a rank, as its card's, if one step was "+
			"measured")
	f.StringArrayVar(&o.params, "param", nil,
		"with --program: `NAME=VALUE` of a parameter of main in all steps; may be given again")
	completeBy(cmd, "machine", completePlatforms)
}

// fit fits the rates of the machine and saves it.
func (o *programFit) fit(cmd *cobra.Command, args []string, asked fit.Options, save string,
	out output) error {
	var all []theprogram.Step
	var logs []string
	for _, path := range args {
		steps, are, err := theprogram.ReadSteps(path)
		if err != nil {
			return err
		}
		if all = append(all, steps...); !are {
			logs = append(logs, path)
		}
	}
	if len(all) == 0 {
		return errors.New("no file has measured steps; write a CSV with the columns " +
			"ranks,step_ms and one for each parameter of the program that differs")
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	on, err := o.on(logs, asked)
	if err != nil {
		return err
	}
	found, err := theprogram.FitRates(ctx, o.program, theprogram.Reading{Params: o.params}, all,
		o.memory, on.Design)
	if err = interrupted(ctx, err); err != nil {
		return err
	}
	if err := savePlatform(save, func() ([]byte, error) {
		return found.Design.Platform.Encode("Written by halfpeak fit."), nil
	}); err != nil {
		return err
	}
	rows := found.Rows()
	if save != "" {
		rows.Add(remark.SimulateNext(save, o.program))
	}
	return out.write(cmd, rows)
}

// on returns the machine of the flag, or that of logs.
func (o *programFit) on(logs []string, asked fit.Options) (d halfpeak.Design, err error) {
	switch {
	case o.machine != "" && len(logs) > 0:
		return d, usagef("%s is no table of steps, and --machine names the machine; omit one of "+
			"them", logs[0])
	case o.machine != "":
		on, err := layerOptions{}.ranks(o.machine)
		return halfpeak.Of(on), err
	case len(logs) == 0:
		return d, usagef("--program needs the machine of the steps; add --machine PLATFORM, or " +
			"its nccl-tests logs to the files")
	}
	asked.Saving = true
	return halfpeak.Fit(logs, asked)
}
