package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study/predict"
)

func newPlatforms() *cobra.Command {
	out := output{plain: true}
	cmd := command("platforms", func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef(`unexpected argument %q; to see one platform, write "halfpeak platforms show %s"`, args[0], args[len(args)-1])
		}
		return nil
	}, func(cmd *cobra.Command, _ []string) error {
		all, err := platforms.All()
		if err != nil {
			return err
		}
		return out.write(cmd, predict.PlatformRows(all))
	})
	out.declareFormat(cmd)
	cmd.AddCommand(newShow())
	return cmd
}

func newShow() *cobra.Command {
	out := output{plain: true}
	cmd := command("platforms show", wantArgs(1, 1, `one platform, as in "halfpeak platforms show clip"`), func(cmd *cobra.Command, args []string) error {
		p, _, err := platforms.Find(args[0])
		if err != nil {
			return err
		}
		return out.write(cmd, predict.ParameterRows(p))
	})
	out.declareFormat(cmd)
	return cmd
}
