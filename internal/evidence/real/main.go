// Real traces programs that others wrote, as Debian packages them, and compares their times
// with those that halfpeak predicts from the traces.
//
// Each program runs on two ranks over shared memory and over TCP, with the tracer and without it.
// Predicted are (a) the traced run, (b) runs without the tracer, and (c) runs on the other network:
// from the trace of one, on the machine that calibrate measured on the other. Runs of all programs
// alternate. With -priority, commands run before everything else on the computer.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/calibrate"
)

//go:embed inputs
var inputs embed.FS

//go:embed c/clock.c
var clockC string

// A program is prepared once by a shell command in its folder, and then run. HPCC repeats its parts
// until they take a given time, so on another network it does other work.
type program struct {
	name, prepare, command string
	library                *library
}

// A library is an implementation of MPI, with what its launcher needs for each network.
type library struct {
	name    string // in mpicc.NAME and mpirun.NAME
	options [len(networks)]string
}

var networks = [...]string{"shared memory", "TCP"}

var (
	openMPI = &library{"openmpi", [...]string{"--mca pml ob1 --mca btl vader,self",
		"--mca pml ob1 --mca btl tcp,self"}}
	mpich = &library{"mpich", [...]string{"-env UCX_TLS posix,self",
		"-env UCX_TLS tcp,self -env UCX_NET_DEVICES lo"}}
)

const adaptive = "HPCC"

const lammps = "cp -r /usr/share/lammps/examples/"

var programs = []program{
	{"LAMMPS melt", lammps + "melt/. .", "lmp -in in.melt", openMPI},
	{"LAMMPS crack", lammps + "crack/. .", "lmp -in in.crack", openMPI},
	{"LAMMPS friction", lammps + "friction/. .", "lmp -in in.friction", openMPI},
	{adaptive, "", "hpcc", openMPI},
	{"NWChem", "", "nwchem h2o.nw", openMPI},
	{"GROMACS", "gmx solvate -cs spc216.gro -box 2.5 2.5 2.5 -p topol.top -o conf.gro && " +
		"gmx grompp -f md.mdp -c conf.gro -p topol.top -o topol.tpr -maxwarn 5",
		"gmx_mpi mdrun -s topol.tpr -ntomp 1 -pin off -nb cpu", openMPI},
	// The package has no pseudopotential, but the program that makes one.
	{"Quantum ESPRESSO", "ld1.x < ld1.in", "pw.x -in si.in", openMPI},
	{"FFTW", "mpicc.openmpi -O2 fft.c -o fft -lfftw3_mpi -lfftw3 -lm", "./fft", openMPI},
	{"BAGEL", "", "BAGEL ethene.json", mpich},
	{"ScaLAPACK", "", "/usr/lib/x86_64-linux-gnu/scalapack/mpich-tests/xdlu", mpich},
}

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "", "folder for measurements; those that are in it are not repeated")
	rounds := flag.Int("rounds", 10, "runs of each program on each network without the tracer")
	traces := flag.Int("traces", 3, "runs with it")
	minutes := flag.String("minutes", "1", "of calibrate on each network")
	priority := flag.Bool("priority", false, "run before everything else (root)")
	only := flag.String("only", "", "programs whose names contain this")
	csv := flag.String("csv", "", "write the table to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	j := judge{dir: *dir, priority: *priority}
	if err := j.run(ctx, *only, *rounds, *traces, *minutes, *csv); err != nil {
		log.Fatal(err)
	}
}

func (j *judge) run(ctx context.Context, only string, rounds, traces int, minutes string,
	csv string) error {
	if j.dir == "" {
		return errors.New("-dir names the folder for measurements")
	}
	var err error
	if j.dir, err = filepath.Abs(j.dir); err != nil {
		return err
	}
	chosen, err := j.prepare(ctx, only)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		for n := range networks {
			if err := j.calibrate(ctx, p.library, n, minutes); err != nil {
				return err
			}
		}
	}
	for round := range max(rounds, traces) {
		for _, p := range chosen {
			for n := range networks {
				if round < rounds {
					err = j.plain(ctx, p, n, round)
				}
				if round < traces && err == nil {
					err = j.traced(ctx, p, n, round)
				}
				if err != nil {
					return err
				}
			}
		}
	}
	return j.report(ctx, os.Stdout, chosen, rounds, traces, csv)
}

// compile makes what measures with a library, in its folder.
func (j *judge) compile(ctx context.Context, l *library) error {
	dir := filepath.Join(j.dir, l.name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, c := range []struct{ name, text, flags string }{
		{"calibrate", calibrate.Source, "-lm"},
		{"libtrace.so", calibrate.TraceSource, "-shared -fPIC"},
		{"libclock.so", clockC, "-shared -fPIC"},
	} {
		source := filepath.Join(dir, c.name+".c")
		if err := os.WriteFile(source, []byte(c.text), 0o666); err != nil {
			return err
		}
		if err := j.shell(ctx, dir, fmt.Sprintf("mpicc.%s -O2 %s -o %s %s", l.name, source, c.name,
			c.flags)); err != nil {
			return err
		}
	}
	return nil
}

// prepare compiles what measures, and writes the inputs of the programs.
func (j *judge) prepare(ctx context.Context, only string) (chosen []program, err error) {
	for _, p := range programs {
		if !strings.Contains(p.name, only) {
			continue
		}
		if !slices.ContainsFunc(chosen, func(q program) bool { return q.library == p.library }) {
			if err := j.compile(ctx, p.library); err != nil {
				return nil, err
			}
		}
		chosen = append(chosen, p)
		folder := j.folder(p)
		if _, err := os.Stat(folder); err == nil {
			continue
		}
		sub, err := fs.Sub(inputs, "inputs/"+p.short())
		if err != nil {
			return nil, err
		}
		if _, none := fs.Stat(sub, "."); none != nil {
			err = os.MkdirAll(folder, 0o777)
		} else {
			err = os.CopyFS(folder, sub)
		}
		if err == nil && p.prepare != "" {
			err = j.shell(ctx, folder, p.prepare)
		}
		if err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// short returns the name of the program's folder.
func (p program) short() string {
	if p.name == "Quantum ESPRESSO" {
		return "qe"
	}
	return strings.ToLower(strings.ReplaceAll(p.name, " ", "-"))
}

func (j *judge) folder(p program) string { return filepath.Join(j.dir, p.library.name, p.short()) }

func (j *judge) shell(ctx context.Context, folder, command string) error {
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "GMXLIB=/usr/share/gromacs/top")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command, err, out[max(0, len(out)-2000):])
	}
	return nil
}
