package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/whatif"
)

// samplingFlags say how intervals of parameters are carried over.
type samplingFlags struct {
	samples int
	seed    uint64
	assume  flags.Percent
}

func (s *samplingFlags) declare(f *pflag.FlagSet) {
	f.IntVar(&s.samples, "samples", 10000, "Monte Carlo samples")
	f.Uint64Var(&s.seed, "seed", 1, "of the samples")
	f.Var(&s.assume, "assume", "half of the 95 % interval of a time or rate that has none")
}

func (s *samplingFlags) check() error {
	if s.samples < 1 || s.samples > 1e8 {
		return usagef("--samples %d; give a number from 1 to 100000000", s.samples)
	}
	return nil
}

func (s *samplingFlags) sampling(ctx context.Context) whatif.Sampling {
	return whatif.Sampling{Context: ctx, Samples: s.samples, Seed: s.seed, Assumed: float64(s.assume) / 100}
}

// completeParams completes the names of the platform's parameters.
func completeParams(cmd *cobra.Command, flag, ending string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		d, err := whatif.Find(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		params, err := d.Platform.Uses(d.Layer.Name)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, p := range params {
			names = append(names, p.Path+ending+"\t"+whatif.Format(p.Value))
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	if err != nil {
		panic(err) // a flag that this program does not declare
	}
}
