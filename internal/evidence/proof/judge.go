package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/internal/calibrate"
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
	return fmt.Sprintf(`bw="%gGBps" lat="%gns"`,
		12.5*cmp.Or(c.bandwidth, 1), 500*cmp.Or(c.latency, 1))
}

var usualLinks = change{}.links()

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

// runCalibrate runs the program on the platform. CM02 has plain latencies and
// bandwidths, without SMPI's own correction factors, so that a platform's numbers are
// what calibrate should find.
func runCalibrate(ctx context.Context, dir, program string, p platform,
	args ...string) (*calibrate.Calibration, error) {
	out, err := calibration(ctx, dir, program, p, args...)
	if err != nil {
		return nil, err
	}
	return calibrate.Read(bytes.NewReader(out), "smpirun")
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

// calibration returns what [runCalibrate] reads.
func calibration(ctx context.Context, dir, program string, p platform, args ...string) (
	[]byte, error) {
	if err := p.writeFiles(dir); err != nil {
		return nil, err
	}
	// SMPI's default allgather scans 2·ranks requests for each.
	command := append(smpiOptions(dir, p), "--cfg=smpi/allgather:bruck")
	for len(args) > 0 && strings.HasPrefix(args[0], "--cfg") {
		// Options of smpirun stand before the program, those of calibrate behind it.
		command, args = append(command, args[0]), args[1:]
	}
	flags := append([]string{program, "--repeats", "2", "--passes", "1"}, args...)
	return output(exec.CommandContext(ctx, "smpirun", append(command, flags...)...))
}
