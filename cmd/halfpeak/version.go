package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/man"
	"github.com/halfpeak/halfpeak/internal/release"
	"github.com/halfpeak/halfpeak/reports"
)

func newVersion() *cobra.Command {
	out := output{plain: true}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "The version of halfpeak and of what it was built with",
		Args:  wantArgs(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var revision any // absent in a build without version control
			if r := man.Setting("vcs.revision"); r != "" {
				revision = r
			}
			return out.write(cmd, reports.Rows{
				Columns: []reports.Column{{Key: "version", Head: "halfpeak"}, {Key: "revision", Head: "revision", Rank: 1}, {Key: "go", Head: "Go"}},
				Data:    [][]any{{release.Version(), revision, runtime.Version()}},
			})
		},
	}
	out.declareFormat(cmd)
	return cmd
}
