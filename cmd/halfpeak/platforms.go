package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/study"
)

func newPlatforms() *cobra.Command {
	out := output{plain: true}
	cmd := &cobra.Command{
		Use:   "platforms",
		Short: "What platforms and layers there are; show NAME lists all parameters",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(`unexpected argument %q; to see one platform, write "halfpeak platforms show %s"`, args[0], args[len(args)-1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := platforms.All()
			if err != nil {
				return err
			}
			return out.write(cmd, study.PlatformRows(all))
		},
	}
	out.declareFormat(cmd)
	cmd.AddCommand(newShow())
	return cmd
}

func newShow() *cobra.Command {
	out := output{plain: true}
	cmd := &cobra.Command{
		Use:               "show PLATFORM",
		Short:             "Every parameter of a platform with its source",
		Example:           "  halfpeak platforms show clip",
		Args:              wantArgs(1, 1, `one platform, as in "halfpeak platforms show clip"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, _, err := platforms.Find(args[0])
			if err != nil {
				return err
			}
			return out.write(cmd, study.ParameterRows(p))
		},
	}
	out.declareFormat(cmd)
	return cmd
}
