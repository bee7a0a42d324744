// Tune prints the loss of reports/tune's choices against the best algorithms, by the share of
// points that are measured, on machines where every algorithm was measured. Its table is in
// docs/validation/tune.md.
//
//	go -C internal/evidence run ./tune
//	go -C internal/evidence run ./tune -learn > internal/tuner/known.csv
//	go -C internal/evidence run ./tune -judge DIR/rules.conf
//
// With -learn it prints the factors of schedules that the program starts from. With -judge it
// compares rules that tune wrote with Open MPI's own choices, on this computer.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/tuner"
)

// shares are the parts of all points that are measured, as the columns of
// docs/tune.md.
// A user who can measure more than a quarter of all points measures all of them.
var shares = []float64{0.05, 0.1, 0.25}

// calls returns the candidates of each call with at least two algorithms: with one, there is
// nothing to lose.
func (s *set) calls() map[int][]int {
	all, algorithms := map[int][]int{}, map[int]int{}
	for i, c := range s.all {
		all[c.Call] = append(all[c.Call], i)
		if !c.Library {
			algorithms[c.Call]++
		}
	}
	for call := range all {
		if algorithms[call] < 2 {
			delete(all, call)
		}
	}
	return all
}

// losses returns by how much the choice of each call takes longer than the best of its candidates.
// A choice of -1 counts nowhere.
func (s *set) losses(choice func(call int, of []int) int) (all []float64) {
	for call, of := range s.calls() {
		best := math.Inf(1)
		for _, i := range of {
			best = min(best, s.times[i])
		}
		if i := choice(call, of); i >= 0 {
			all = append(all, s.times[i]/best-1)
		}
	}
	slices.Sort(all) // so that sums do not depend on the order of a map
	return all
}

// chosen returns the losses of a tuner's choices.
func (s *set) chosen(t *tuner.Tuner) []float64 {
	return s.losses(func(call int, _ []int) int { return t.Choose(call) })
}

// expected returns the loss of a tuner's choices that it expects, in the mean over calls.
func (s *set) expected(t *tuner.Tuner) float64 {
	sum, calls := 0.0, s.calls()
	for _, call := range slices.Sorted(maps.Keys(calls)) {
		sum += t.Loss(t.Choose(call))
	}
	return sum / float64(len(calls))
}

// measure gives the tuner the published times of these candidates, as a job's files
// would.
func (s *set) measure(t *tuner.Tuner, which []int) {
	var all []tuner.Measurement
	for _, i := range which {
		all = append(all, tuner.Measurement{Candidate: i, Time: s.times[i]})
	}
	t.Add(all)
}

// ours returns the losses at each share and the expected ones, with measurements that the tuner
// asks for. It asks for a quarter more at a time, since a user runs a job of many measurements and
// not one after the other.
func (s *set) ours(prior tuner.Prior) (all [][]float64, expected []float64) {
	t, done := tuner.New(s.all, prior), 0
	for _, share := range shares {
		// Measurements of a smaller share are kept in the larger ones, as they are when a user
		// continues a job.
		for n := int(share * float64(len(s.all))); done < n; {
			next := t.Next(min(n-done, max(10, done/4)))
			if len(next) == 0 {
				break
			}
			s.measure(t, next)
			done += len(next)
		}
		all, expected = append(all, s.chosen(t)), append(expected, s.expected(t))
	}
	return all, expected
}

// replicate returns the set without an eighth of its algorithms, if a group has more
// than three, and of its calls, drawn with this seed. One machine gives one sequence
// of measurements, whose luck a table of one run would show as skill.
func (s *set) replicate(seed uint64) *set {
	random := rand.New(rand.NewPCG(seed, 9))
	algorithms, left := map[string]map[string]bool{}, map[string]bool{}
	for _, c := range s.all {
		if algorithms[c.Group] == nil {
			algorithms[c.Group] = map[string]bool{}
		}
		algorithms[c.Group][c.Labels[3]] = true
	}
	out := func(name string) bool {
		if _, drawn := left[name]; !drawn {
			left[name] = random.Float64() < 1./8
		}
		return left[name]
	}
	o := &set{machine: s.machine}
	for i, c := range s.all {
		kept := c.Library || len(algorithms[c.Group]) <= 3 || !out(c.Group+c.Labels[3])
		if kept && !out(fmt.Sprint(c.Call)) {
			o.all, o.times = append(o.all, c), append(o.times, s.times[i])
		}
	}
	return o
}

// replicas is the number of replicates of each machine.
const replicas = 16

// tuned returns the losses at each share of all replicates together, and the means of the expected
// ones.
func (s *set) tuned(prior tuner.Prior) (all [][]float64, expected []float64) {
	var each [replicas][][]float64
	var expect [replicas][]float64
	parallel.For(replicas, func(seed int) {
		each[seed], expect[seed] = s.replicate(uint64(seed)).ours(prior)
	})
	all, expected = make([][]float64, len(shares)), make([]float64, len(shares))
	for k := range each {
		for i := range all {
			all[i] = append(all[i], each[k][i]...)
			expected[i] += expect[k][i] / replicas
		}
	}
	return all, expected
}

// grids returns the losses of grids of k sizes in all replicates together, and the mean of the
// shares of points: the same selections as those of tune, so that no luck of one is in the
// comparison.
func (s *set) grids(k int) (losses []float64, share float64) {
	for seed := range uint64(replicas) {
		l, points := s.replicate(seed).grid(k)
		losses, share = append(losses, l...), share+points/replicas
	}
	return losses, share
}

// grid returns the losses if all algorithms are measured at k sizes of each number of
// ranks, with lines in logarithms between, and the share of points that this takes.
// That is what people do without a tuner, so it is what tune must beat.
func (s *set) grid(k int) (losses []float64, share float64) {
	type series struct {
		group, algorithm string
		ranks            float64
	}
	of := map[series][]int{}
	for i, c := range s.all {
		key := series{c.Group, c.Labels[3], c.Ranks}
		of[key] = append(of[key], i)
	}
	predicted, measured := make([]float64, len(s.all)), 0
	for _, all := range of {
		slices.SortFunc(all, func(a, b int) int {
			return cmp.Compare(s.all[a].Size, s.all[b].Size)
		})
		var at []int
		for j := range k {
			at = append(at, all[int(math.Round((float64(j)+0.5)/float64(k)*float64(len(all))-0.5))])
		}
		if k > 1 {
			// Both ends are measured, so that no line is drawn beyond the measured sizes.
			at[0], at[k-1] = all[0], all[len(all)-1]
		}
		at = slices.Compact(at)
		measured += len(at)
		for _, i := range all {
			right := 0
			for right < len(at)-1 && s.all[at[right]].Size < s.all[i].Size {
				right++
			}
			a, b := at[max(0, right-1)], at[right]
			predicted[i] = math.Log(s.times[b])
			if a != b {
				w := math.Log(s.all[i].Size/s.all[a].Size) / math.Log(s.all[b].Size/s.all[a].Size)
				predicted[i] = (1-w)*math.Log(s.times[a]) + w*math.Log(s.times[b])
			}
		}
	}
	return s.losses(func(_ int, of []int) int {
		return slices.MinFunc(of, func(a, b int) int {
			return cmp.Compare(predicted[a], predicted[b])
		})
	}), float64(measured) / float64(len(s.all))
}

// text prints the mean and the 95th percentile in percent, as the tables have them.
func text(losses []float64) string {
	if len(losses) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f, %.0f", 100*stats.Mean(losses), 100*stats.QuantileOf(losses, 0.95))
}

// printGrids prints the rows of grids of up to half of the points, and returns the shares of points
// with which a grid has these losses, between two grids by a line in the logarithm of the loss.
func (s *set) printGrids(tuned []float64) []float64 {
	alike := make([]float64, len(tuned))
	before, more := 0.0, 0.0 // the previous grid's share and loss
	for k := 1; k <= 4 || before < 0.5 || slices.Contains(alike, 0); k++ {
		losses, share := s.grids(k)
		loss := stats.Mean(losses)
		if k <= 4 || before < 0.5 && share >= 0.5 {
			fmt.Printf("| %s | grid of %d sizes, %.0f %% of the points | %s | | |\n",
				s.machine, k, 100*share, text(losses))
		}
		for i, least := range tuned {
			if alike[i] > 0 || loss > least {
				continue
			}
			alike[i] = share
			if k > 1 {
				alike[i] -= (share - before) * math.Log(least/loss) / math.Log(more/loss)
			}
		}
		before, more = share, loss
	}
	return alike
}

// print prints the rows of a machine, and returns the real and the expected losses at each share,
// and the shares of points with which a grid loses as much.
func (s *set) print(prior tuner.Prior) (real, expected, alike []float64) {
	fmt.Printf("| %s | `tune` |", s.machine)
	losses, expected := s.tuned(prior)
	for _, l := range losses {
		fmt.Printf(" %s |", text(l))
		real = append(real, stats.Mean(l))
	}
	fmt.Printf("\n| %s | expected |", s.machine)
	for _, e := range expected {
		fmt.Printf(" %.1f |", 100*e)
	}
	fmt.Println()
	alike = s.printGrids(real)
	byDefault := s.losses(func(_ int, of []int) int {
		own := slices.IndexFunc(of, func(i int) bool { return s.all[i].Library })
		if own >= 0 {
			own = of[own]
		}
		return own
	})
	fmt.Printf("| %s | the library's choice | %s | | |\n", s.machine, text(byDefault))
	return real, expected, alike
}

// learn returns the factors of the collectives' schedules, fitted to every second
// point of these machines. Names of other factors get the machine in front, so that
// only the factor of a schedule is common to all.
func learn(machines []*set) map[string]tuner.Parts {
	all, calls, prior := &set{}, 0, tuner.Default()
	prior.Known, prior.Shared[4] = nil, 0.5 // factors differ more from 1 than from the known ones
	for _, s := range machines {
		most := 0
		for i, c := range s.all {
			most = max(most, c.Call)
			if c.Library {
				continue // its schedule is not known
			}
			// Calls and groups of different machines are different ones, though they have the same
			// names and numbers.
			c.Group, c.Call = s.machine+c.Group, c.Call+calls
			for k := range 4 { // the last one is a factor of the schedule on any machine
				c.Shared[k] = s.machine + c.Shared[k]
			}
			all.all, all.times = append(all.all, c), append(all.times, s.times[i])
		}
		calls += most + 1
	}
	var half []int
	// Every second point is enough for a factor of a schedule, which thousands of points share,
	// and halves the time of the fit.
	for i := 0; i < len(all.all); i += 2 {
		half = append(half, i)
	}
	t := tuner.New(all.all, prior)
	all.measure(t, half)
	found := t.Factors()
	maps.DeleteFunc(found, func(name string, _ tuner.Parts) bool {
		return !strings.Contains(name, "/") // of one machine alone
	})
	return found
}

func main() {
	log.SetFlags(0)
	table := flag.Bool("learn", false, "print the factors of schedules, fitted to all machines")
	rules := flag.String("judge", "", "judge this rules `file` for Open MPI on this computer")
	flag.Parse()
	if *rules != "" {
		if err := judge(context.Background(), *rules, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	all, err := loadAll()
	if err != nil {
		log.Fatal(err)
	}
	if *table {
		known := learn(all)
		for _, name := range slices.Sorted(maps.Keys(known)) {
			p := known[name]
			for k, v := range p {
				p[k] = math.Round(100*v)/100 + 0 // no -0
			}
			fmt.Printf("%s,%.2f,%.2f,%.2f,%.2f\n", name, p[0], p[1], p[2], p[3])
		}
		return
	}
	fmt.Println("| machine | points | 5 % | 10 % | 25 % |\n|---|---|---|---|---|")
	real, expected := make([][]float64, len(all)), make([][]float64, len(all))
	alike := make([][]float64, len(all))
	for i, s := range all {
		real[i], expected[i], alike[i] = s.print(without(all, i))
	}
	printExpected(all, real, expected)
	fmt.Println("\n| machine | `tune`: 5 % | 10 % | 25 % |\n" +
		"|---|---|---|---|")
	for i, s := range all {
		fmt.Printf("| %s |", s.machine)
		for _, share := range alike[i] {
			fmt.Printf(" %.0f %% |", 100*share)
		}
		fmt.Println()
	}
}

// printExpected prints the table of expected and real losses, each machine with the factor that the
// others show, and their means.
func printExpected(all []*set, real, expected [][]float64) {
	fmt.Println("\n| machine | expected with the factor of the others | 5 % | 10 % | 25 % |\n" +
		"|---|---|---|---|---|")
	mean, machines := make([][2]float64, len(shares)), float64(len(all))
	for i, s := range all {
		factor := factorOf(slices.Delete(slices.Clone(real), i, i+1),
			slices.Delete(slices.Clone(expected), i, i+1))
		fmt.Printf("| %s | × %.2f |", s.machine, factor)
		for k, e := range expected[i] {
			fmt.Printf(" %.1f for %.1f |", 100*factor*e, 100*real[i][k])
			mean[k][0], mean[k][1] = mean[k][0]+factor*e/machines, mean[k][1]+real[i][k]/machines
		}
		fmt.Println()
	}
	fmt.Print("| mean | |")
	for _, m := range mean {
		fmt.Printf(" %.1f for %.1f |", 100*m[0], 100*m[1])
	}
	fmt.Println()
}

// factorOf returns the factor that makes expected losses of machines as large as the real ones, in
// the mean over machines and shares.
func factorOf(real, expected [][]float64) float64 {
	return stats.Mean(slices.Concat(real...)) / stats.Mean(slices.Concat(expected...))
}

// without returns the prior with factors of schedules that are fitted without one machine.
func without(all []*set, one int) tuner.Prior {
	p := tuner.Default()
	p.Known = learn(slices.Delete(slices.Clone(all), one, one+1))
	return p
}
