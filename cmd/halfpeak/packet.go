package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

func newPacket() *cobra.Command {
	out := output{plain: true}
	var cycles cyclesFlag
	sizes := newSizes("1KiB..1MiB")
	cmd := &cobra.Command{
		Use:   "packet PLATFORM…",
		Short: "The best packets for messages through a pipeline",
		Long: `Packet compares ways to cut a message into packets. The methods are

  paper          CLIP's equation 10, as a library would compute it
  equal          the best equal packets; the last may be shorter
  unequal        the best packets of any size: the limit that no plan can beat
  unequal-whole  the same in whole bytes, to be used
  single         the whole message as one packet

With several sizes it is the table that an adaptive library needs.`,
		Example:           "  halfpeak packet clip/user-buffer --size 64KiB\n  halfpeak packet clip --size 1KiB..1MiB --format csv",
		Args:              wantArgs(1, -1, `at least one platform with a pipeline, as in "halfpeak packet clip"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := packet(args, sizes.sizes, cycles)
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		},
	}
	out.declare(cmd)
	cmd.Flags().Var(&sizes, "size", "message sizes")
	cycles.declare(cmd)
	return cmd
}

func packet(refs []string, sizes []quantity.Bytes, cycles cyclesFlag) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer", Head: "layer"}, {Key: "size_bytes", Head: "size"},
		{Key: "method", Head: "method"}, {Key: "packet_bytes", Head: "largest packet"}, {Key: "packets", Head: "packets"},
		{Key: "one_way_us", Head: "one way"}, {Key: "bandwidth_mb_s", Head: "bandwidth"}, {Key: "plan_bytes"},
	}}
	clocks := map[string]float64{}
	for _, ref := range refs {
		p, l, err := platforms.Find(ref)
		if err != nil {
			return reports.Rows{}, err
		}
		clocks[p.Name] = p.Clock
		found := false
		for _, n := range sizes {
			pipe, ok := model.At(l.Model, n).(*model.Pipeline)
			if !ok {
				continue
			}
			found = true
			add := func(method string, plan model.Plan) {
				t := pipe.OneWayAs(plan)
				rows.Data = append(rows.Data, []any{p.Name, l.Name, n, method, plan.Largest(), plan.Packets(), t, n.Over(t), planBytes(plan)})
			}
			if len(pipe.Stages) >= model.PaperStages {
				add("paper", model.EqualPlan(n, pipe.PaperPacket(n)))
			}
			size, _ := pipe.BestPacket(n)
			add("equal", model.EqualPlan(n, size))
			ideal, _ := pipe.IdealPlan(n)
			add("unequal", ideal)
			whole, _ := pipe.BestPlan(n)
			add("unequal-whole", whole)
			add("single", model.EqualPlan(n, n))
			if len(sizes) == 1 {
				rows.Notes = append(rows.Notes, "unequal-whole, bytes: "+planText(whole))
			}
		}
		if !found {
			return reports.Rows{}, fmt.Errorf("%s sends no message of these sizes through a pipeline, so there is no packet to choose; its model is %s", l.Ref(), l.Kind)
		}
	}
	return cycles.add(rows, clocks)
}

// planBytes lists the size of every packet.
func planBytes(plan model.Plan) []float64 {
	sizes := make([]float64, 0, plan.Packets())
	for _, r := range plan {
		for range r.Count {
			sizes = append(sizes, float64(r.Size))
		}
	}
	return sizes
}

// planText is the plan in words, "3×1024 512".
func planText(plan model.Plan) string {
	var words []string
	for i := 0; i < len(plan); {
		count, size := 0, plan[i].Size
		for ; i < len(plan) && plan[i].Size == size; i++ {
			count += plan[i].Count
		}
		word := fmt.Sprintf("%.0f", float64(size))
		if count > 1 {
			word = fmt.Sprintf("%d×%s", count, word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
