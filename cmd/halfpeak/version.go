package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/reports"
)

func newVersion() *cobra.Command {
	out := output{plain: true}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "The version of halfpeak and of what it was built with",
		Args:  wantArgs(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return fmt.Errorf("this binary does not say how it was built; build it with go build")
			}
			var revision any // absent in a build without version control
			if r := buildSetting(info, "vcs.revision"); r != "" {
				revision = r
			}
			return out.write(cmd, reports.Rows{
				Columns: []reports.Column{{Key: "version", Head: "halfpeak"}, {Key: "revision", Head: "revision", Rank: 1}, {Key: "go", Head: "Go"}},
				Data:    [][]any{{info.Main.Version, revision, info.GoVersion}},
			})
		},
	}
	out.declareFormat(cmd)
	return cmd
}

// version is that of --version.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// buildSetting is what the build says under a key, empty if nothing.
func buildSetting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
