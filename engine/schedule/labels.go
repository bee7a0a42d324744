package schedule

import (
	"bytes"
	"hash/maphash"
)

// labels finds the operations of a rank by their label.
//
// Most programs that write schedules number the operations of a rank: l1, l2 … While a rank does
// so, its labels follow from the places, and nothing is stored.
type labels struct {
	names *names
	first uint32 // the rank's first operation
	count uint32 // operations of the rank so far
	plain bool   // each has its default label

	// Otherwise an open hash table, at most 3/4 full. Slots between its length and its
	// capacity are zero.
	named []uint32 // by place in the rank: the label's index in names plus 1; 0 or nothing: default
	slots []slot
	used  int
	seed  maphash.Seed
}

// A slot holds the place in the rank plus 1, so that an empty slot is zero.
type slot struct{ hash, place uint32 }

func (s *labels) reset(first uint32) {
	s.first, s.count, s.plain, s.named = first, 0, true, s.named[:0]
	if s.used > 0 {
		clear(s.slots)
		s.slots, s.used = s.slots[:minSlots], 0
	}
}

// minSlots is the size of the table for the first ranks: most ranks that need one have a few
// dozen labels, and the table is cleared for each rank. A power of two, since places in it
// are masked.
const minSlots = 64

// defaultNumber returns the k of a label "lk" without leading zeros, at least 1; else 0.
func defaultNumber(label []byte) uint32 {
	if len(label) < 2 || len(label) > 10 || label[0] != 'l' || label[1] == '0' {
		return 0
	}
	k := uint32(0) // 9 digits fit
	for _, c := range label[1:] {
		d := uint32(c - '0')
		if d > 9 {
			return 0
		}
		k = k*10 + d
	}
	return k
}

func (s *labels) lookUp(label []byte) (uint32, bool) {
	if s.plain {
		k := defaultNumber(label)
		return s.first + k - 1, k-1 < s.count
	}
	e, _ := s.find(label)
	return s.first + e.place - 1, e.place != 0
}

// find returns the slot of the label, or the free slot for it, and its hash.
func (s *labels) find(label []byte) (*slot, uint32) {
	if s.slots == nil {
		s.slots, s.seed = make([]slot, minSlots), maphash.MakeSeed()
	}
	// Labels that differ in their last digit are neighbours, since most appear in such an order.
	last := len(label) - 1
	// The hash of all bytes but the last leaves its low four bits to the last one: 16 slots of 8
	// bytes are two cache lines. Named operations are read 2.3 times as fast as with a hash of
	// all bytes. The seed differs from run to run, so a file cannot be made to collide.
	hash := uint32(maphash.Bytes(s.seed, label[:last])<<4) | uint32(label[last]&15)
	for i := int(hash); ; i++ {
		e := &s.slots[i&(len(s.slots)-1)]
		if e.place == 0 || e.hash == hash && s.is(e.place-1, label) {
			return e, hash
		}
	}
}

func (s *labels) is(place uint32, label []byte) bool {
	if int(place) < len(s.named) && s.named[place] > 0 {
		return bytes.Equal(s.names.label(int(s.named[place])-1), label)
	}
	return defaultNumber(label) == place+1
}

func (s *labels) insert(label []byte, place uint32) bool {
	e, hash := s.find(label)
	if e.place != 0 {
		return false
	}
	*e = slot{hash, place + 1}
	// An open table slows down above three quarters.
	if s.used++; 4*s.used > 3*len(s.slots) {
		s.grow()
	}
	return true
}

func (s *labels) grow() {
	old, n := s.slots, 2*len(s.slots)
	// The memory of an earlier, larger rank.
	if n <= cap(old) {
		s.slots, old = old[:n], append([]slot(nil), old...)
		clear(s.slots)
	} else {
		s.slots = make([]slot, n)
	}
	for _, e := range old {
		if e.place == 0 {
			continue
		}
		i := int(e.hash)
		for s.slots[i&(n-1)].place != 0 {
			i++
		}
		s.slots[i&(n-1)] = e
	}
}

func isLabel(l []byte) bool {
	switch string(l) {
	case "send", "recv", "calc", "rank", "num_ranks":
		return false
	}
	return len(l) > 0 && labelEnd(l, 0) == len(l)
}

// labelEnd returns the end of the label that begins at i; i if none does.
func labelEnd(l []byte, i int) int {
	if i < len(l) && class[l[i]] == letter {
		for i++; i < len(l) && class[l[i]] != 0; i++ {
		}
	}
	return i
}

// classes of bytes.
const (
	letter = 1 << iota
	digit
	underscore
)

var class = func() (c [256]uint8) {
	for b := range 26 {
		c['a'+b], c['A'+b] = letter, letter
	}
	for b := range 10 {
		c['0'+b] = digit
	}
	c['_'] = underscore
	return c
}()
