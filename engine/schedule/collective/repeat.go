package collective

import "github.com/halfpeak/halfpeak/engine/schedule"

// Repeats adds the parts of one rank. A part that is equal to one of the last is copied, which
// costs a tenth of making it: programs call a collective again and again. The zero value begins a
// rank.
type Repeats struct {
	parts []part   // the last ones, in no order
	next  int      // that the next new one replaces
	end   []uint32 // of the copy that was added last
}

// A part is a collective that a rank has added, behind one operation.
type part struct {
	partKey
	tag      uint32
	from, to schedule.Here
	end      []uint32
}

// A partKey is what the operations of a part depend on, beside the tag.
type partKey struct {
	Call
	size, place int
	members     *uint32
	name        string
	collective  string
	pads        bool
}

// maxRepeats is the number of parts that are kept: as many collectives as the body of a loop has,
// and few enough to look through.
const maxRepeats = 16

// Add is [Algorithm.Add] of an algorithm of [Algorithms] behind one operation. What it returns is
// valid until the next call, and must not be changed.
func (r *Repeats) Add(e Entry, b *schedule.Builder, g Group, c Call, after uint32) (end []uint32) {
	if g.Blocks != nil {
		return e.Algorithm.Add(b, g, c, after)
	}
	key := partKey{c, g.Size, g.Place, nil, e.Name, e.Collective, e.pads}
	key.Tag = 0
	if g.Members != nil {
		key.members = &g.Members[0]
	}
	for i := range r.parts {
		if p := &r.parts[i]; p.partKey == key {
			by := b.Again(p.from, p.to, c.Tag-p.tag, after)
			r.end = r.end[:0]
			for _, op := range p.end {
				r.end = append(r.end, op+by)
			}
			return r.end
		}
	}
	from := b.Here()
	end = e.Algorithm.Add(b, g, c, after)
	if to := b.Here(); to != from && b.Err() == nil {
		if len(r.parts) < maxRepeats {
			r.parts = append(r.parts, part{})
		}
		r.parts[r.next] = part{key, c.Tag, from, to, end}
		r.next = (r.next + 1) % maxRepeats
	}
	return end
}
