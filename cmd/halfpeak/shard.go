package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/shard"
)

// shardFlag is --shard: which part of the work to do.
type shardFlag struct{ shard.Shard }

func (s *shardFlag) Set(text string) (err error) {
	s.Shard, err = shard.Parse(text)
	return err
}

func (s *shardFlag) String() string {
	if s.Count == 0 {
		return ""
	}
	return s.Shard.String()
}

func (s *shardFlag) Type() string { return "I/N" }

// declare declares --shard, whose part -o names.
func (s *shardFlag) declare(cmd *cobra.Command) {
	cmd.Flags().Var(s, "shard", "do this part of the work, as in 3/64, and write it to the -o file for merge")
}
