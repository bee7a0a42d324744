package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/network.c
var networkC string

// farApart is a platform of clusters, each of the same number of nodes with the given links, that
// are linked in pairs.
func farApart(clusters, nodes int, links, link string) string {
	var b strings.Builder
	fmt.Fprint(&b, `<zone id="far" routing="Full">`)
	for i := range clusters {
		fmt.Fprintf(&b, `<cluster id="c%d" prefix="n" suffix="" radical="%d-%d" speed="10Gf" `+
			`%s loopback_bw="30GBps" loopback_lat="150ns" router_id="r%d"/>`,
			i, i*nodes, (i+1)*nodes-1, links, i)
	}
	for i := range clusters {
		for j := range i {
			// Each direction has the whole bandwidth, as on a leased line; SimGrid's default
			// shares one between both.
			fmt.Fprintf(&b, `<link id="l%d-%d" %s sharing_policy="SPLITDUPLEX"/>`, j, i, link)
		}
	}
	for i := range clusters {
		for j := range i {
			fmt.Fprintf(&b, `<zoneRoute src="c%d" dst="c%d" gw_src="r%d" gw_dst="r%d">`+
				`<link_ctn id="l%d-%d" direction="UP"/></zoneRoute>`, j, i, j, i, j, i)
		}
	}
	return b.String() + "</zone>"
}

// drawn are networks whose shapes and links were drawn, once: nobody had studied any of them.
var drawn = []platform{
	{name: "fat tree 5 × 5, 5 uplinks; 6 GB/s, 1.0 µs", nodes: 25, perNode: 1,
		topology: fatTree("2;5,5;1,5;1,1"), links: links(6, 1000)},
	{name: "fat tree 3 × 3 × 4, 3 and 1 uplinks; 12.5 GB/s, 0.8 µs", nodes: 36, perNode: 1,
		topology: fatTree("3;3,3,4;1,3,1;1,1,1"), links: links(12.5, 800)},
	{name: "torus 5 × 5; 6 GB/s, 0.5 µs", nodes: 25, perNode: 1,
		topology: torus("5,5"), links: links(6, 500)},
	{name: "dragonfly 2 × 1 × 4 × 2, 2 and 2 links; 3 GB/s, 0.4 µs", nodes: 16, perNode: 1,
		topology: dragonfly("2,2;1,1;4,2;2"), links: links(3, 400)},
	{name: "backbone of 35 GB/s, loopback of 64; 3 GB/s, 0.6 µs", nodes: 9, perNode: 2,
		topology: `bb_bw="35GBps" bb_lat="1000ns"`, links: links(3, 600), loopback: "64GBps"},
	{name: "4 clusters of 8 over 2.5 GB/s, 30 µs; 6 GB/s, 1.3 µs", nodes: 32, perNode: 1,
		zone: farApart(4, 8, links(6, 1300), `bandwidth="2.5GBps" latency="30us"`)},
}

// others are networks in other shapes than those on which the fit was developed. The causes of the
// largest errors on them were studied.
var others = []platform{
	{name: "fat tree in two levels", nodes: 24, perNode: 1, topology: fatTree("2;6,4;1,3;1,1")},
	{name: "fat tree in three levels", nodes: 27, perNode: 1,
		topology: fatTree("3;3,3,3;1,2,1;1,1,1")},
	{name: "torus 4 × 3 × 2", nodes: 24, perNode: 1, topology: torus("4,3,2")},
	{name: "dragonfly of 32", nodes: 32, perNode: 1, topology: dragonfly("4,1;1,1;4,2;2")},
	{name: "backbone of 25 GB/s", nodes: 14, perNode: 1,
		topology: `bb_bw="25GBps" bb_lat="200ns"`},
	{name: "three clusters of 5 over a WAN", nodes: 15, perNode: 1,
		zone: farApart(3, 5, links(12.5, 500), `bandwidth="2.5GBps" latency="40us"`)},
	{name: "nodes with a fast loopback", nodes: 6, perNode: 4, loopback: "100GBps"},
}

// forcedOnKinds are collectives whose sends block, besides those of forced.
var forcedOnKinds = append(forced, []forcedCollective{
	{"scatter", "ompi_basic_linear", "linear", false},
	{"reduce", "binomial", "binomial", false},
}...)

// smallest returns the first size that is judged, in bytes; the next ones are larger by factors of
// 4. SMPI reduces what a number of ranks does not divide in a second collective, and less than a
// number for each rank in another way: sizes of an algorithm that cuts its message are multiples.
func (f forcedCollective) smallest(ranks int) int {
	if f.parts {
		return 16 * ranks
	}
	return 16
}

// A family has the errors of predictions of one sort, in percent.
type family struct {
	signed []float64
	worst  string
}

// add notes an error, and keeps the name of the worst case.
func (f *family) add(what string, measured, predicted quantity.Micros) {
	e := 100 * (float64(predicted/measured) - 1)
	if len(f.signed) == 0 || math.Abs(e) > math.Abs(f.worstError()) {
		f.worst = what
	}
	f.signed = append(f.signed, e)
}

// worstError keeps the sign: a time that is predicted too short misleads a user otherwise than one
// that is too long.
func (f family) worstError() (worst float64) {
	for _, e := range f.signed {
		if math.Abs(e) > math.Abs(worst) {
			worst = e
		}
	}
	return worst
}

// median returns the median error without its sign.
func (f family) median() float64 {
	return stats.QuantileOf(list.Map(f.signed, math.Abs), 0.5)
}

// String returns the median and the worst error: "2/−14".
func (f family) String() string {
	if len(f.signed) == 0 {
		return "–"
	}
	return strings.ReplaceAll(fmt.Sprintf("%.0f/%+.0f", f.median(), f.worstError()), "-", "−")
}

// A verdict has the errors of one platform.
type verdict struct{ fanIn, fanOut, collectives, programs family }

// A kindJudge calibrates a platform and predicts what was not measured.
type kindJudge struct {
	smpi
	network string    // the compiled program
	details io.Writer // each case
}

// newKindJudge compiles the programs once for all platforms.
func newKindJudge(ctx context.Context, dir string, details io.Writer) (j kindJudge, err error) {
	j.details = details
	if j.smpi, err = newSMPI(ctx, dir); err == nil {
		j.network, err = compile(ctx, "smpicc", dir, "network", networkC+calibrate.TraceSource)
	}
	return j, err
}

// judge calibrates a platform from messages between pairs and fans, and predicts what the fit
// never saw: forced collectives, fans of other widths, and programs from their traces.
func (j kindJudge) judge(ctx context.Context, p platform) (v verdict, err error) {
	on, err := j.machine(ctx, p)
	if err != nil {
		return v, err
	}
	if err := j.collectives(ctx, p, on, &v.collectives); err != nil {
		return v, err
	}
	ranks := p.nodes * p.perNode
	// Sizes of each protocol, nearly all of them between those that calibrate measures.
	for _, bytes := range []int{8, 1000, 6000, 50000, 200000} {
		// The fit has fans of few widths, so a width between them and the widest tell whether it
		// extrapolates.
		for _, k := range []int{3, ranks / 2, ranks - 1} {
			for name, f := range map[string]*family{"fan_in": &v.fanIn, "fan_out": &v.fanOut} {
				err := j.program(ctx, p, on, f, name, fmt.Sprint(k), fmt.Sprint(bytes))
				if err != nil {
					return v, err
				}
			}
		}
	}
	for _, bytes := range []string{"200", "8192", "40000", "100000"} {
		for _, name := range []string{"halo", "wavefront", "master"} {
			if err := j.program(ctx, p, on, &v.programs, name, bytes); err != nil {
				return v, err
			}
		}
	}
	return v, nil
}

// collectives judges forced collectives of 16 B to 256 KiB.
func (j kindJudge) collectives(ctx context.Context, p platform, on simulate.Machine,
	f *family) error {
	// SMPI is deterministic but for the order of equal messages, so that a median of three is
	// enough for errors of percents.
	const repeats = 3
	for _, forced := range forcedOnKinds {
		rows, err := j.run(ctx, p,
			fmt.Sprintf("--cfg=smpi/%s:%s", forced.collective, forced.smpi),
			"--repeats", fmt.Sprint(repeats), "--only-collectives", forced.collective,
			"--smallest", fmt.Sprint(forced.smallest(p.nodes*p.perNode)), "--largest", "262144")
		if err != nil {
			return err
		}
		e, err := collective.Find(forced.collective, forced.ours)
		if err != nil {
			return err
		}
		for _, row := range rows.Rows {
			s, err := e.ScheduleLimit(ctx, 1<<20, row.Pairs,
				collective.Call{Bytes: uint64(row.Size)})
			// The schedule of a linear alltoall of many ranks has millions of messages.
			if errors.As(err, new(collective.TooLarge)) {
				continue
			}
			if err != nil {
				return err
			}
			prepared, err := simulate.New(s)
			if err != nil {
				return err
			}
			times, err := prepared.Runs(ctx, simulate.Setup{Machine: on}, repeats)
			if err != nil {
				return err
			}
			what := fmt.Sprintf("%s %s %.0f B", forced.collective, forced.ours, float64(row.Size))
			j.add(f, what, row.Time, stats.Attained(times, 0.5))
		}
	}
	return nil
}

// add notes an error and prints its case, for who asks why a row is bad.
func (j kindJudge) add(f *family, what string, measured, predicted quantity.Micros) {
	f.add(what, measured, predicted)
	fmt.Fprintf(j.details, "    %s: measured %.2f, predicted %.2f µs (%+.0f %%)\n", what,
		float64(measured), float64(predicted), 100*(float64(predicted/measured)-1))
}

// program runs a program of network.c on the platform, and predicts the time of its trace.
func (j kindJudge) program(ctx context.Context, p platform, on simulate.Machine, f *family,
	args ...string) error {
	measured, finish, err := j.traced(ctx, p, on, nil, j.network, args...)
	if err == nil {
		j.add(f, strings.Join(args, " "), measured, finish)
	}
	return err
}

// runKinds prints a row for each platform and network model. With SMPI's own model, whose
// latencies and bandwidths depend on the size, messages are not transferred before their receives.
func runKinds(ctx context.Context, dir, only string, out, details io.Writer,
	all []platform) error {
	j, err := newKindJudge(ctx, dir, details)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| platform | ranks | network model | fan-in | fan-out "+
		"| forced collectives | programs |\n|---|---|---|---|---|---|---|")
	for _, p := range all {
		for _, model := range []string{"CM02", "SMPI"} {
			if p.model = model; !strings.Contains(p.name+" "+model, only) {
				continue
			}
			v, err := j.judge(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			fmt.Fprintf(out, "| %s | %d × %d | %s | %v | %v | %v | %v |\n",
				p.name, p.nodes, p.perNode, model, v.fanIn, v.fanOut, v.collectives, v.programs)
			for _, f := range []family{v.fanIn, v.fanOut, v.collectives, v.programs} {
				if math.Abs(f.worstError()) > 30 {
					fmt.Fprintf(out, "    worst: %s\n", f.worst)
				}
			}
		}
	}
	return nil
}
