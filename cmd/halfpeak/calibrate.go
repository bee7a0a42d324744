package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/mpi"
)

// A cSource is a C file that calibrate writes, and the commands that use it.
type cSource struct{ name, text, commands string }

func newCalibrate() *cobra.Command {
	var folder string
	var trace bool
	cmd := &cobra.Command{
		Use:   "calibrate --write DIR",
		Short: "Write an MPI program that measures a cluster for fit",
		Long: `Calibrate writes a C program, calibrate.c, which needs only an MPI compiler. Run it as a job on at least two nodes
with all ranks of each. In about two minutes it finds where the ranks are, and measures messages at each level of the
machine, and of many pairs of ranks at once. From its CSV, fit makes a machine with levels:

  mpicc -O2 calibrate.c -o calibrate -lm
  srun -N 4 --ntasks-per-node=64 ./calibrate > me.csv
  halfpeak fit me.csv --save me.toml`,
		Example: `  halfpeak calibrate --write .`,
		Args:    wantArgs(0, 0, `no file, but --write DIR`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if folder == "" {
				return usagef("--write says where: halfpeak calibrate --write .")
			}
			if err := os.MkdirAll(folder, 0o777); err != nil {
				return err
			}
			sources := []cSource{{"calibrate.c", mpi.Calibrate,
				"mpicc -O2 %s -o calibrate -lm\nmpirun ./calibrate > me.csv   # or srun, on 2 nodes or more, a rank for each core\nhalfpeak fit me.csv --save me.toml\n"}}
			if trace {
				sources = append(sources, cSource{"trace.c", mpi.Trace,
					"mpicc -shared -fPIC -O2 %s -o libtrace.so\nmpirun -x LD_PRELOAD=$PWD/libtrace.so ./program   # srun --export=ALL,LD_PRELOAD=…\nhalfpeak simulate trace.* --machine me.toml\n"})
			}
			for _, s := range sources {
				path := filepath.Join(folder, s.name)
				if err := filesOf(cmd).Write(path, func(w io.Writer) error {
					_, err := io.WriteString(w, s.text)
					return err
				}); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), s.commands, path)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "write", "", "write calibrate.c into this `folder`")
	cmd.Flags().BoolVar(&trace, "trace", false, "also write trace.c, a library that records a program's messages for simulate")
	return cmd
}
