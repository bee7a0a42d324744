package message

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Cut is a way to cut a message into packets, and its time.
type Cut struct {
	Platform, Layer string
	Size            quantity.Bytes
	Method          string // paper, equal, unequal, unequal-whole, single, round or default
	Setting         string // of the real system, for the layer's own packets; else empty
	Plan            model.Plan
	OneWay          quantity.Micros
	Measured        bool // stages have measured times, so that no plan is a limit
}

// perOctave is the number of message sizes for each doubling on which a table of packets is judged.
// The time of a fixed packet is a sawtooth in the size of the message: with fewer sizes, the teeth
// that happen to be met would move the thresholds.
const perOctave = 24

// A switching is a table of packet sizes for a library that cannot compute one for each message.
type switching struct {
	method string
	// packet gives the candidate for messages of n bytes.
	packet func(n quantity.Bytes) quantity.Bytes
	// time judges a packet for messages of n bytes.
	time func(n, packet quantity.Bytes) quantity.Micros
}

// switchesOf returns the tables of packets by message size, see [Cuttings.Switches].
func switchesOf(sizes []quantity.Bytes, designs []platforms.Design) []Cut {
	var all []Cut
	for _, d := range designs {
		pipe, ok := model.At(d.Layer.Model, slices.Max(sizes)).(*model.Pipeline)
		if !ok {
			continue
		}
		// CLIP sends up to 256 bytes without the pipeline: its table begins beyond.
		sizes := slices.DeleteFunc(slices.Clone(sizes), func(n quantity.Bytes) bool {
			return model.At(d.Layer.Model, n) != model.Layer(pipe)
		})
		if len(sizes) < 2 {
			continue
		}
		ways := []switching{{"equal-table", func(n quantity.Bytes) quantity.Bytes {
			size, _ := pipe.BestPacket(n)
			return size
		}, pipe.OneWayIn}}
		if len(pipe.Stages) >= model.PaperStages {
			paper := switching{"paper-table", pipe.PaperPacket, pipe.PaperBound}
			ways = slices.Insert(ways, 0, paper)
		}
		for _, w := range ways {
			for _, s := range w.table(sizes) {
				packet := min(s.packet, s.upTo)
				all = append(all, Cut{d.Platform.Name, d.Layer.Name, s.upTo, w.method, "",
					model.EqualPlan(s.upTo, packet), pipe.OneWayIn(s.upTo, packet),
					pipe.Measured()})
			}
		}
	}
	return all
}

// A threshold is the largest message that is cut into these packets.
type threshold struct{ upTo, packet quantity.Bytes }

// table chooses the thresholds between the packets for the given sizes, ascending, so that the sum
// over all message sizes of the time relative to the fastest candidate's is least.
func (w switching) table(sizes []quantity.Bytes) []threshold {
	from, to := slices.Min(sizes), slices.Max(sizes)
	var packets []quantity.Bytes
	for _, n := range sizes {
		packets = append(packets, w.packet(n))
	}
	slices.Sort(packets)
	packets = slices.Compact(packets)
	var messages []quantity.Bytes
	for k := 0; ; k++ {
		n := quantity.Bytes(math.Round(float64(from) * math.Exp2(float64(k)/perOctave)))
		if n >= to {
			messages = append(messages, to)
			break
		}
		messages = append(messages, n)
	}
	messages = slices.Compact(messages)
	// cost[j] is the least sum up to the present message if it takes the packet j; since packets
	// grow with messages, the one before took a packet up to j.
	cost := make([]float64, len(packets))
	before := make([][]int, len(messages)) // the packet of the previous message
	for i, n := range messages {
		times := make([]float64, len(packets))
		for j, p := range packets {
			times[j] = float64(w.time(n, min(p, n)))
		}
		least := slices.Min(times)
		before[i] = make([]int, len(packets))
		best := 0
		next := make([]float64, len(packets))
		for j := range packets {
			if cost[j] < cost[best] {
				best = j
			}
			before[i][j], next[j] = best, cost[best]+times[j]/least
		}
		cost = next
	}
	j := 0
	for k := range cost {
		if cost[k] < cost[j] {
			j = k
		}
	}
	var steps []threshold
	for i := len(messages) - 1; i >= 0; i-- {
		if len(steps) == 0 || steps[len(steps)-1].packet != packets[j] {
			steps = append(steps, threshold{messages[i], packets[j]})
		}
		j = before[i][j]
	}
	slices.Reverse(steps)
	return steps
}
