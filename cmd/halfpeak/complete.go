package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/platforms"
)

// complete completes a flag with a fixed list of words, and never with names of
// files.
func complete(cmd *cobra.Command, flag string, choices []string) {
	completeBy(cmd, flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

func completeBy(cmd *cobra.Command, flag string, words cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, words); err != nil {
		panic(err) // a flag that this program does not declare
	}
}

// completePlatforms completes platforms and, once a platform is typed with its slash,
// its layers: all layers of all platforms would be a list of two screens. Files are
// completed by the shell.
func completePlatforms(_ *cobra.Command, _ []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	var names []string
	all, err := platforms.All()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	add := func(name string) {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	for _, p := range all {
		add(p.Name)
		if strings.HasPrefix(typed, p.Name+"/") {
			for _, l := range p.Layers {
				add(l.Ref())
			}
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeCollective completes a collective, and behind it the platform of the
// command collective.
func completeCollective(cmd *cobra.Command, args []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	switch {
	case len(args) == 0:
		names := list.Map(collective.Algorithms, func(e collective.Entry) string {
			return e.Collective
		})
		return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
	case len(args) == 1 && cmd.Name() == "collective":
		return completePlatforms(cmd, args, typed)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// completeAlgorithms completes the algorithms of the collective that is an argument or in a flag,
// and the collective of the flag.
func completeAlgorithms(cmd *cobra.Command) {
	flag := cmd.Flags().Lookup("collective")
	if flag != nil {
		completeBy(cmd, "collective",
			func(cmd *cobra.Command, _ []string, typed string) ([]string,
				cobra.ShellCompDirective) {
				return completeCollective(cmd, nil, typed)
			})
	}
	completeBy(cmd, "algorithm",
		func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if flag != nil {
				args = []string{flag.Value.String()}
			}
			names := list.Map(collective.Of(append(args, "")[0]), func(e collective.Entry) string {
				return e.Name + "\t" + e.Help
			})
			return names, cobra.ShellCompDirectiveNoFileComp
		})
}

// completeProgram completes a collective and, behind its slash, an algorithm.
func completeProgram(cmd *cobra.Command, _ []string, typed string) ([]string,
	cobra.ShellCompDirective) {
	name, _, algorithm := strings.Cut(typed, "/")
	if !algorithm {
		return completeCollective(cmd, nil, typed)
	}
	names := list.Map(collective.Of(name), func(e collective.Entry) string {
		return name + "/" + e.Name + "\t" + e.Help
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeParams completes the paths of the parameters of the platform that is an
// argument, each with its value. NoSpace: behind the path follows "=" and a value.
func completeParams(cmd *cobra.Command, flag, ending string) {
	completeBy(cmd, flag,
		func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return paramsOf(cmd, args[0], ending)
		})
}

// paramsOf returns the paths of the parameters of a platform.
func paramsOf(cmd *cobra.Command, ref, ending string) ([]string, cobra.ShellCompDirective) {
	d, err := halfpeak.Open(ref)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	for _, program := range []string{"collective", "schedule"} {
		d.Ranks = d.Ranks || cmd.Flags().Changed(program)
	}
	names := list.Map(d.Uses(), func(p platforms.Param) string {
		return p.Path + ending + "\t" + p.Value.String()
	})
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}
