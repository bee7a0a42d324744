package schedule

import (
	"bytes"
	"encoding/binary"
)

// labels finds the operations of one rank by their label.
//
// Most programs that write schedules number the operations of a rank: l1, l2 …
// As long as a rank keeps to that, a label is its own index, and nothing is stored.
type labels struct {
	first uint32 // the rank's first operation
	count uint32 // operations of the rank so far
	plain bool   // each has its default label

	// Otherwise an open hash table. Slots of former ranks have another epoch.
	slots []slot
	used  int
	epoch uint32
	text  []byte
}

type slot struct {
	key     uint64 // the label itself up to 8 bytes, else its hash
	epoch   uint32
	op      uint32
	at, len uint32 // the label in text if it is longer
}

// What kind of label an operation got.
type labelKind int

const (
	labelDefault labelKind = iota
	labelOther
	labelNone // none, or one that an operation before it has
)

// reset begins a rank.
func (s *labels) reset(first uint32) {
	s.first, s.count, s.plain = first, 0, true
	s.used, s.text = 0, s.text[:0]
	if s.epoch++; s.epoch == 0 {
		clear(s.slots)
		s.epoch = 1
	}
}

// number is the k of a label "lk" without leading zeros, at least 1; else 0.
func number(label []byte) uint32 {
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

// lookUp returns the operation with this label.
func (s *labels) lookUp(label []byte) (uint32, bool) {
	if s.plain {
		k := number(label)
		return s.first + k - 1, k-1 < s.count
	}
	if len(s.slots) == 0 {
		return 0, false
	}
	at, ok := s.find(label, key(label))
	if !ok {
		return 0, false
	}
	return s.slots[at].op, true
}

// define gives the rank's next operation a label; none if it is empty.
func (s *labels) define(label []byte, op uint32) labelKind {
	place := s.count
	s.count++
	if k := number(label); k != 0 && k == place+1 {
		if s.plain {
			return labelDefault
		}
		if s.insert(label, op) {
			return labelDefault
		}
		return labelNone
	}
	if s.plain {
		s.plain = false
		var b [16]byte
		for i := range place {
			s.insert(appendDefaultLabel(b[:0], i), s.first+i)
		}
	}
	if len(label) > 0 && s.insert(label, op) {
		return labelOther
	}
	return labelNone
}

// key is the label itself up to 8 bytes, else its hash.
func key(label []byte) uint64 {
	if len(label) <= 8 {
		if cap(label) >= 8 { // what follows the label is masked out
			return binary.LittleEndian.Uint64(label[:8]) & (1<<(8*len(label)) - 1)
		}
		k := uint64(0)
		for i, c := range label {
			k |= uint64(c) << (8 * i)
		}
		return k
	}
	h := uint64(14695981039346656037)
	for _, c := range label {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// home is where the search for a key begins among n slots, a power of 2.
func home(key uint64, n int) uint32 {
	return uint32(key*0x9e3779b97f4a7c15>>32) & uint32(n-1)
}

// find is the slot of the label, or the free one where it belongs.
func (s *labels) find(label []byte, key uint64) (int, bool) {
	for i := home(key, len(s.slots)); ; i = (i + 1) & uint32(len(s.slots)-1) {
		e := &s.slots[i]
		if e.epoch != s.epoch {
			return int(i), false
		}
		if e.key == key && int(e.len) == len(label) && (len(label) <= 8 || bytes.Equal(s.text[e.at:e.at+e.len], label)) {
			return int(i), true
		}
	}
}

// insert adds a label; false if it is there already.
func (s *labels) insert(label []byte, op uint32) bool {
	if 2*s.used >= len(s.slots) {
		s.grow()
	}
	k := key(label)
	at, ok := s.find(label, k)
	if ok {
		return false
	}
	s.slots[at] = slot{k, s.epoch, op, uint32(len(s.text)), uint32(len(label))}
	if len(label) > 8 {
		s.text = append(s.text, label...)
	}
	s.used++
	return true
}

func (s *labels) grow() {
	old := s.slots
	s.slots = make([]slot, max(64, 2*len(old)))
	for _, e := range old {
		if e.epoch != s.epoch {
			continue
		}
		i := home(e.key, len(s.slots))
		for s.slots[i].epoch == s.epoch {
			i = (i + 1) & uint32(len(s.slots)-1)
		}
		s.slots[i] = e
	}
}
