package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A platform is a cluster of SimGrid, whose truth is known. Bytes per µs are MB/s.
type platform struct {
	name           string
	nodes, perNode int
	topology       string

	zone     string // the whole network, in place of a cluster
	links    string // attributes of links; "" for those of change.links
	loopback string // bandwidth within a node; "" for 30 GB/s
	model    string // SimGrid's network model; "" for CM02
	faster   change // of a cluster's links
}

// A change is a network whose links have other bandwidths and latencies than the platform's.
type change struct {
	name               string
	bandwidth, latency float64 // factors
}

// links returns the attributes of links of 12.5 GB/s and 0.5 µs after the change.
func (c change) links() string {
	return links(12.5*cmp.Or(c.bandwidth, 1), 500*cmp.Or(c.latency, 1))
}

// links returns the attributes of links of a bandwidth in GB/s and a latency in ns.
func links(bandwidth, latency float64) string {
	return fmt.Sprintf(`bw="%gGBps" lat="%gns"`, bandwidth, latency)
}

func fatTree(parameters string) string   { return topology("FAT_TREE", parameters) }
func dragonfly(parameters string) string { return topology("DRAGONFLY", parameters) }
func torus(parameters string) string     { return topology("TORUS", parameters) }

// topology returns the attributes of SimGrid's cluster.
func topology(name, parameters string) string {
	return fmt.Sprintf("topology=%q topo_parameters=%q", name, parameters)
}

// A forcedCollective is an algorithm by SMPI's name and by ours. Both follow the same paper or
// library, so that their schedules have the same messages.
type forcedCollective struct {
	collective, smpi, ours string
	parts                  bool // cuts the message into a part for each rank
}

// forced are SMPI's names of algorithms, and ours: two of each collective, one for
// short and one for long messages. Prescribed, since a wrong guess of the algorithm
// would count as an error of the machine.
var forced = []forcedCollective{
	{"bcast", "binomial_tree", "binomial-mpich", false},
	{"bcast", "scatter_LR_allgather", "scatter-ring", true},
	{"allreduce", "rdb", "recursive-doubling", false},
	{"allreduce", "lr", "ring", true},
	{"allgather", "NTSLR", "ring", false},
	{"allgather", "bruck", "bruck", false},
	{"alltoall", "ring", "pairwise", false},
	{"alltoall", "bruck", "bruck", false},
}

// compile compiles the text of a C program, and returns its path.
func compile(ctx context.Context, compiler, dir, name, text string,
	flags ...string) (program string, err error) {
	program = filepath.Join(dir, name)
	source := program + ".c"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		return "", err
	}
	// -O2 is what users compile with: without it, calibrate's own loops would be in the times of
	// short messages.
	args := append([]string{"-O2", source, "-o", program}, flags...)
	if out, err := exec.CommandContext(ctx, compiler, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", compiler, source, err, out)
	}
	return program, nil
}

// output returns the output of a command; its error has what the command wrote to stderr.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd.Args[0], err, stderr.Bytes())
	}
	return out, nil
}

// platformXML describes the cluster to SimGrid. Messages within a node use a loopback
// of its own speed.
func platformXML(p platform) string {
	zone := p.zone
	if zone == "" {
		zone = fmt.Sprintf(`<cluster id="c" prefix="n" suffix="" radical="0-%d" speed="10Gf"
	%s loopback_bw="%s" loopback_lat="150ns" %s/>`,
			p.nodes-1, cmp.Or(p.links, p.faster.links()), cmp.Or(p.loopback, "30GBps"), p.topology)
	}
	return fmt.Sprintf(`<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">%s</platform>
`, zone)
}

// smpiOptions returns smpirun's arguments for a platform whose files are in dir. With SMPI's own
// network model all options are SMPI's defaults: it begins a transfer when the receive is posted.
func smpiOptions(dir string, p platform) []string {
	all := []string{"-np", fmt.Sprint(p.nodes * p.perNode),
		"-platform", filepath.Join(dir, "platform.xml"), "-hostfile", filepath.Join(dir, "hosts"),
		"--cfg=smpi/simulate-computation:0", "--log=root.thres:critical"}
	if p.model == "SMPI" {
		return all
	}
	// Below the threshold a message leaves before its receive is posted, as in every MPI library;
	// SMPI's own default of 0 would make each one wait.
	return append(all, "--cfg=network/model:CM02", "--cfg=smpi/async-small-thresh:65536")
}

// An smpi runs programs on platforms by SimGrid's SMPI, in a folder.
type smpi struct{ dir, calibrate string }

// newSMPI compiles calibrate.c. WAIT_BY_SLEEP lets simulated time pass while a rank waits: in SMPI
// a loop that reads the clock would never end.
func newSMPI(ctx context.Context, dir string) (smpi, error) {
	program, err := compile(ctx, "smpicc", dir, "calibrate", calibrate.Source, "-DWAIT_BY_SLEEP",
		"-lm")
	return smpi{dir, program}, err
}

// run runs calibrate on the platform. CM02 has plain latencies and bandwidths, without SMPI's own
// correction factors, so that a platform's numbers are what calibrate should find.
func (s smpi) run(ctx context.Context, p platform, args ...string) (*calibrate.Calibration, error) {
	out, err := s.calibration(ctx, p, args...)
	if err != nil {
		return nil, err
	}
	return calibrate.Read(bytes.NewReader(out), "smpirun")
}

// machine returns the platform as calibrate finds it, from messages between pairs and fans.
func (s smpi) machine(ctx context.Context, p platform) (simulate.Machine, error) {
	c, err := s.run(ctx, p, "--collectives", "none")
	if err != nil {
		return nil, err
	}
	m, _, err := c.Machine()
	if err != nil {
		return nil, err
	}
	return simulate.FromMachine(m, c.Places, simulate.NoLimit)
}

// traced runs a program with the recorder on the platform, and returns the time of the last rank,
// which the program prints, and that of its trace on a machine.
func (s smpi) traced(ctx context.Context, p platform, on simulate.Machine, options []string,
	program string, args ...string) (measured, predicted quantity.Micros, err error) {
	folder := filepath.Join(s.dir, "traces")
	if err := errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o777)); err != nil {
		return 0, 0, err
	}
	// By default a reading of the clock takes 10 ns, so that the recorder's readings would be a
	// part of the measured time. With 0, flows begin at the same moment, of which SimGrid 3.32
	// shares a link among some only.
	cmd := exec.CommandContext(ctx, "smpirun", slices.Concat(smpiOptions(s.dir, p),
		[]string{"--cfg=smpi/wtime:1e-9"}, options, []string{program}, args)...)
	cmd.Env = append(os.Environ(), "HALFPEAK_TRACE="+folder)
	out, err := output(cmd)
	if err != nil {
		return 0, 0, err
	}
	for _, text := range strings.Fields(string(out)) {
		t, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, 0, err
		}
		measured = max(measured, quantity.Micros(t))
	}
	schedule, _, err := mpitrace.Read(traces(folder, p.nodes*p.perNode), mpitrace.Defaults)
	if err != nil {
		return 0, 0, err
	}
	predicted, err = finish(ctx, schedule, on)
	return measured, predicted, err
}

// traces returns the ranks' traces, which the tracer wrote into a folder.
func traces(folder string, ranks int) []mpitrace.Source {
	var files []string
	for rank := range ranks {
		files = append(files, filepath.Join(folder, fmt.Sprintf("trace.%06d", rank)))
	}
	return mpitrace.Files(files...)
}

// finish returns when a schedule ends on a machine.
func finish(ctx context.Context, s *schedule.Schedule, on simulate.Machine) (quantity.Micros,
	error) {
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	done, err := p.Run(ctx, simulate.Setup{Machine: on})
	if err != nil {
		return 0, err
	}
	at, _ := done.Finish()
	return at, nil
}

// writeFiles writes the platform for smpirun.
func (p platform) writeFiles(dir string) error {
	var hosts strings.Builder
	for node := range p.nodes {
		hosts.WriteString(strings.Repeat(fmt.Sprintf("n%d\n", node), p.perNode))
	}
	files := map[string]string{"platform.xml": platformXML(p), "hosts": hosts.String()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// calibration returns what [smpi.run] reads.
func (s smpi) calibration(ctx context.Context, p platform, args ...string) ([]byte, error) {
	if err := p.writeFiles(s.dir); err != nil {
		return nil, err
	}
	// SMPI's default allgather scans 2·ranks requests for each.
	command := append(smpiOptions(s.dir, p), "--cfg=smpi/allgather:bruck")
	for len(args) > 0 && strings.HasPrefix(args[0], "--cfg") {
		// Options of smpirun stand before the program, those of calibrate behind it.
		command, args = append(command, args[0]), args[1:]
	}
	flags := append([]string{s.calibrate, "--repeats", "2", "--passes", "1"}, args...)
	return output(exec.CommandContext(ctx, "smpirun", append(command, flags...)...))
}
