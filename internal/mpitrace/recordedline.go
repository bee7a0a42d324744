package mpitrace

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// A trace of halfpeak's trace.c has a line for each call: its name without MPI_, the time since the
// previous call and in the call (ns), and arguments. Addresses are in hexadecimal digits. Other
// lines begin with a small letter. From rank 0 of two:
//
//	halfpeak-trace 2 rank 0 of 2 run 1795811666582
//	comm 2 0 1,0                     communicator 2, made of 0 (all ranks), has ranks 1 and 0
//	Comm_split 3016 118345 0 2       of communicator 0, which gave communicator 2
//	Send 1889 544 56074b4e6060 8 1 0 0 1
//	Isend 61 97 56074b4e6060 8 1 0 2 0 7f01a4
//	Waitany 310 7140 7f01a4
//	Alltoallv 900 3000 0 0 0 24x2 8,16
//	Finalize 9690 0
//	matched 7f01a4 1 2               the message of a receive of any, whose request ends next
//	other MPI_Put 12 40100           calls that are computation, their number and time
//	lasted 1131929346 417790 9000    since MPI_Init; of the tracer in it; the processor's
//
// Each word of args is the meaning of an argument, as in [function]; and:
//
//	bytes                   of a message
//	written                 1 if the program has written the memory since its last message
//	list                    requests that the call has completed or started
//	blocks blocks2          sizes of a collective: "24x3,0" is 24, 24, 24 and 0
//	sources dests           ranks of a neighbourhood
//	new                     communicator; -1 if the rank is not a member
type recordedCall struct {
	name string // MPI's
	args []string
	// outside reports whether the call counts before and behind a region, too.
	outside bool
	do      func(p *recorded, a *arguments) error
}

// recorded is a rank of such a trace.
type recorded struct {
	profiled
	idle      int64 // ns of computation since the last operation
	spent     int64 // ns of the present call
	file      *file
	comms     map[int64]*member
	wild      map[uint32]*member // communicators of open receives with wildcards, by operation
	arguments                    // of the present call
	numbers   []int64            // the memory of its list
}

// fields are the rest of a line.
type fields struct{ rest []byte }

func (w *fields) next() (word []byte) {
	for i, c := range w.rest { // words are short
		if c == ' ' {
			word, w.rest = w.rest[:i], w.rest[i+1:]
			return word
		}
	}
	word, w.rest = w.rest, nil
	return word
}

func (w *fields) integer(base int) (int64, error) { return parse(w.next(), base) }

// parse parses a number of a line, quickly.
func parse(word []byte, base int) (n int64, err error) {
	digits := word
	if len(word) > 0 && word[0] == '-' {
		digits = word[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, fmt.Errorf("%.40q is not a whole number", word)
	}
	for _, c := range digits {
		d := int64(c - '0')
		if c >= 'a' && c <= 'f' {
			d = int64(c-'a') + 10
		} else if c < '0' || c > '9' {
			d = math.MaxInt64
		}
		if d >= int64(base) || n > math.MaxInt64>>5 {
			return 0, fmt.Errorf("%.40q is not a whole number", word)
		}
		n = n*int64(base) + d
	}
	if len(digits) < len(word) {
		n = -n
	}
	return n, nil
}

// argument parses one argument.
func (p *recorded) argument(a *arguments, word string, words *fields) (err error) {
	way := 0
	if n := len(word) - 1; word[n] == '2' {
		word, way = word[:n], 1
	}
	w := &a.way[way]
	var n int64
	switch word {
	case "buffer":
		w.buffer, err = words.integer(16)
	case "bytes":
		w.size = 1
		n, err = words.integer(10)
		w.count = float64(n)
	case "peer":
		w.peer, err = words.integer(10)
	case "tag":
		w.tag, err = words.integer(10)
	case "root":
		a.root, err = words.integer(10)
	case "request":
		n, err = words.integer(16)
		a.request = request(n)
	case "written":
		n, err = words.integer(10)
		p.written = n == 1
	case "list":
		p.numbers, err = eachNumber(words.next(), 16, p.numbers[:0])
		a.list = p.numbers
	case "sources":
		p.numbers, err = eachNumber(words.next(), 10, p.numbers[:0])
		a.list = p.numbers
	case "dests":
		a.dests, err = eachNumber(words.next(), 10, nil)
	case "blocks":
		a.blocks[way], err = blockSizes(words.next(), p.group.Size)
	case "new":
		var id int64
		id, err = words.integer(10)
		a.made = p.comms[id]
	case "comm":
		a.comm, err = p.comm(words)
	}
	return err
}

func (p *recorded) comm(words *fields) (*member, error) {
	id, err := words.integer(10)
	if err != nil {
		return nil, err
	}
	m := p.comms[id]
	if m == nil && id == 1 { // MPI_COMM_SELF
		own := strconv.Itoa(p.group.Place)
		m, err = p.join(birth{parent: noParent, members: own}, []uint32{uint32(p.group.Place)},
			nil, "")
		p.comms[id] = m
	}
	if m == nil && err == nil {
		return nil, fmt.Errorf("no line defines communicator %d", id)
	}
	return m, err
}

// eachNumber parses a list of numbers, which is "-" if it is empty.
func eachNumber(word []byte, base int, all []int64) ([]int64, error) {
	if string(word) == "-" {
		return all, nil
	}
	for part := range bytes.SplitSeq(word, []byte(",")) {
		n, err := parse(part, base)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// blockSizes parses sizes of a collective among ranks; each may be repeated.
func blockSizes(word []byte, ranks int) ([]uint64, error) {
	all := []uint64{} // not nil: without neighbours there are none
	if string(word) == "-" {
		return all, nil
	}
	for part := range bytes.SplitSeq(word, []byte(",")) {
		size, times, several := bytes.Cut(part, []byte("x"))
		n, err := parse(size, 10)
		count := int64(1)
		if several && err == nil {
			count, err = parse(times, 10)
		}
		// A neighbourhood may name a rank more than once.
		if err != nil || n < 0 || count < 1 || count > int64(8*max(ranks, 1<<10)-len(all)) {
			return nil, fmt.Errorf("%.40q is not a list of sizes", word)
		}
		for range count {
			all = append(all, uint64(n))
		}
	}
	return all, nil
}
