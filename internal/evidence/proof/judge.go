package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A platform is a cluster of SimGrid, whose truth is known. Bytes per µs are MB/s.
type platform struct {
	name           string
	nodes, perNode int
	topology       string
	latency        float64 // µs between the nearest nodes
	taper          float64 // MB/s out of an inner group of nodes; 0: no groups

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

// bandwidth is that of a link in MB/s: 12.5 GB/s.
const bandwidth = 12500

func fatTree(parameters string) string   { return topology("FAT_TREE", parameters) }
func dragonfly(parameters string) string { return topology("DRAGONFLY", parameters) }
func torus(parameters string) string     { return topology("TORUS", parameters) }

// topology returns the attributes of SimGrid's cluster.
func topology(name, parameters string) string {
	return fmt.Sprintf("topology=%q topo_parameters=%q", name, parameters)
}

// platforms have each kind of network that the fit looks for: none, trees with more
// and with fewer uplinks than nodes need, tori and dragonflies; with one rank a node,
// and with several, which share it. Latencies are sums of links of 0.5 µs on the
// shortest route.
var platforms = []platform{
	{name: "crossbar", nodes: 16, perNode: 1, latency: 1},
	{name: "crossbar", nodes: 8, perNode: 4, latency: 1},
	{name: "crossbar", nodes: 4, perNode: 16, latency: 1},
	{name: "fat tree, 2 uplinks of 4 nodes", nodes: 16, perNode: 1,
		topology: fatTree("2;4,4;1,2;1,2"), latency: 1, taper: 2 * bandwidth},
	{name: "fat tree, 1 uplink of 4 nodes", nodes: 16, perNode: 1,
		topology: fatTree("2;4,4;1,1;1,1"), latency: 1, taper: bandwidth},
	{name: "fat tree, 2 uplinks of 4 nodes", nodes: 16, perNode: 4,
		topology: fatTree("2;4,4;1,2;1,2"), latency: 1, taper: 2 * bandwidth},
	{name: "dragonfly, 2 groups of 8 nodes", nodes: 16, perNode: 1,
		topology: dragonfly("2,1;4,1;2,1;1"), latency: 1.5},
	{name: "torus 4 × 4", nodes: 16, perNode: 1, topology: torus("4,4"), latency: 0.5},
	{name: "torus 4 × 4 × 4", nodes: 64, perNode: 1, topology: torus("4,4,4"), latency: 0.5},
	{name: "torus 2 × 4", nodes: 8, perNode: 4, topology: torus("2,4"), latency: 0.5},
	{name: "dragonfly, 2 groups of 4 nodes in 2 chassis", nodes: 8, perNode: 4,
		topology: dragonfly("2,1;2,1;2,1;1"), latency: 1.5},
	{name: "dragonfly, 2 groups of 4 nodes in a chassis", nodes: 8, perNode: 4,
		topology: dragonfly("2,1;1,1;4,1;1"), latency: 1.5},
	{name: "fat tree, 4 uplinks of 8 nodes", nodes: 64, perNode: 1,
		topology: fatTree("2;8,8;1,4;1,1"), latency: 1, taper: 4 * bandwidth},
	{name: "fat tree, 4 uplinks of 8 nodes", nodes: 64, perNode: 4,
		topology: fatTree("2;8,8;1,4;1,1"), latency: 1, taper: 4 * bandwidth},
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

// A result is how well a platform was found, with errors in percent. Errors of
// collectives are those of the whole: machine, schedule and simulation.
type result struct {
	latency, bandwidth float64
	taper              string
	collectives        []collectiveTime
}

type collectiveTime struct {
	name, algorithm     string
	bytes               quantity.Bytes
	measured, predicted quantity.Micros
}

// error returns the error of the prediction in percent.
func (c collectiveTime) error() float64 { return 100 * (float64(c.predicted/c.measured) - 1) }

// median returns the median error without its sign: errors of both signs would cancel.
func (r result) median() float64 {
	off := func(c collectiveTime) float64 { return math.Abs(c.error()) }
	return stats.QuantileOf(list.Map(r.collectives, off), 0.5)
}

// worst returns the largest error with its case, which says where to look.
func (r result) worst() string {
	if len(r.collectives) == 0 {
		return ""
	}
	c := slices.MaxFunc(r.collectives, func(a, b collectiveTime) int {
		return cmp.Compare(math.Abs(a.error()), math.Abs(b.error()))
	})
	return fmt.Sprintf("%+.0f %% (%s %s, %.0f B)", c.error(), c.name, c.algorithm, float64(c.bytes))
}

// runs returns the number of repeats of a collective, measured and simulated: where many ranks
// compete, starts that differ by nanoseconds change its time by a third. SMPI takes minutes for
// each repeat of a ring of 256 ranks.
func runs(ranks int) int {
	if ranks > 128 {
		return 3
	}
	return 11
}

// judge calibrates a platform, compares the machine with what the platform is, and
// predicts each forced collective from the machine. Medians on both sides: the
// simulation too draws which of equal messages goes first.
func judge(ctx context.Context, dir, program string, p platform) (r result, err error) {
	c, err := runCalibrate(ctx, dir, program, p, "--collectives", "none")
	if err != nil {
		return r, err
	}
	m, _, err := c.Machine()
	if err != nil {
		return r, err
	}
	r.compare(p, c, m)
	for _, f := range forced {
		algorithm := fmt.Sprintf("--cfg=smpi/%s:%s", f.collective, f.smpi)
		measured, err := runCalibrate(ctx, dir, program, p, algorithm,
			"--repeats", fmt.Sprint(runs(len(c.Places))), "--only-collectives", f.collective)
		if err != nil {
			return r, err
		}
		on, err := simulate.FromMachine(m, c.Places, simulate.NoLimit)
		if err != nil {
			return r, err
		}
		e, err := collective.Find(f.collective, f.ours)
		if err != nil {
			return r, err
		}
		for _, row := range measured.Rows {
			// SMPI does not cut so short a message into as many parts, or takes another way.
			if f.parts && int(row.Size) < 8*row.Pairs {
				continue
			}
			s, err := e.Schedule(row.Pairs, collective.Call{Bytes: uint64(row.Size)})
			if err != nil {
				return r, err
			}
			prepared, err := simulate.New(s)
			if err != nil {
				return r, err
			}
			times, err := prepared.Runs(ctx, simulate.Setup{Machine: on}, runs(row.Pairs))
			if err != nil {
				return r, err
			}
			t := stats.Attained(times, 0.5)
			r.collectives = append(r.collectives,
				collectiveTime{f.collective, f.ours, row.Size, row.Time, t})
		}
	}
	return r, nil
}

// compare sets the machine's own errors: of the level of the nearest nodes, and of the first port
// of a group of nodes.
func (r *result) compare(p platform, c *calibrate.Calibration, m machine.Machine) {
	at := 0
	if p.perNode > 1 {
		at = 1
	}
	layer := m.Levels[at].Layer
	r.latency = 100 * (float64(layer.OneWay(1))/p.latency - 1)
	const n = 1 << 20
	// The difference of two sizes, so that fixed costs cancel.
	r.bandwidth = 100 * (n/float64(layer.OneWay(2*n)-layer.OneWay(n))/bandwidth - 1)
	r.taper = "–"
	if p.taper > 0 {
		// The outermost level has no port, since nothing lies outside it.
		if port := m.Levels[at].Port; at < len(m.Levels)-1 && len(port) > 0 {
			r.taper = fmt.Sprintf("%+.1f %%", 100*(n/float64(port.OneWay(n))/p.taper-1))
		} else {
			r.taper = "not found"
		}
	}
}
