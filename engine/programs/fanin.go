package programs

import (
	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// FanIn returns the interval between messages of n bytes, without replies, at node 0, if all other
// nodes send to it as fast as they can. The first third of the messages fills the paths.
func FanIn(ep *engine.Endpoint, n, messages int) (interval quantity.Micros, err error) {
	senders := ep.Nodes() - 1
	all := senders * messages
	full := (messages + 2) / 3 * senders // one from each sender in turn
	got := 0
	bytes := make([]int, ep.Nodes()) // from each sender; pieces may overtake each other
	var start, end quantity.Micros
	take := ep.Handle(func(m *engine.Message) {
		before := bytes[m.From] / n
		if bytes[m.From] += len(m.Data); bytes[m.From]/n == before {
			return
		}
		end = ep.Now()
		if got++; got == full {
			start = end
		}
	})
	if ep.Node() > 0 {
		data := make([]byte, n)
		for range messages {
			if err := ep.Send(0, take, data); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	if err := ep.WaitFor("the messages of all other nodes", func() bool { return got == all }); err != nil {
		return 0, err
	}
	return (end - start) / quantity.Micros(all-full), nil
}
