package memory

import (
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// share is the part of what there is that the program may use. The rest is for other programs, for
// garbage that is not collected yet, and for the threads and tables of Go's runtime.
const share = 0.75

// Limit returns three quarters of the least of the machine's memory, of what the limit of address
// space (ulimit -v) leaves to the program, and of the memory of its cgroup. It is read once.
// Without any of them it is [math.MaxInt64].
var Limit = sync.OnceValue(func() Bound {
	least := Bound{math.MaxInt64, "this system's memory"}
	for _, b := range available() {
		if b.Bytes = int64(share * float64(b.Bytes)); b.Bytes < least.Bytes {
			least = b
		}
	}
	return least
})

// Check returns an error if something of about the given size in bytes exceeds [Limit]. What names
// it: "a schedule of 2048 ranks". It is for what can be estimated before it is made.
func Check(what string, bytes float64) error {
	if limit := Limit(); bytes > float64(limit.Bytes) {
		return fmt.Errorf("%s needs about %s of memory; the limit is %s", what, shown(bytes), limit)
	}
	return nil
}

// stop ends the program; nil: nobody watches.
var stop func()

// large is the size of slices whose room is looked for before they are made: one alone could take
// what is left.
const large = 32 << 20

// expect stops a watched program if n bytes more exceed the limit.
func expect(n uint64) {
	if stop != nil && n >= large && InUse()+float64(n) > float64(Limit().Bytes) {
		stop()
		select {} // until the program has ended
	}
}

// Watch keeps the program below [Limit]: it makes the collector work harder near the limit, and
// calls exceeded once, which ends the program, if the data in use approach it all the same.
// Data that are made at once should be checked with [Check] before.
func Watch(exceeded func(error)) {
	limit := Limit()
	if limit.Bytes == math.MaxInt64 {
		return
	}
	debug.SetMemoryLimit(min(limit.Bytes, debug.SetMemoryLimit(-1)))
	var once sync.Once
	stop = func() {
		once.Do(func() {
			exceeded(fmt.Errorf("this needs more memory than the limit of %s", limit))
		})
	}
	var arm func()
	arm = func() {
		// A finalizer runs after each collection, which is when the data in use are known.
		runtime.SetFinalizer(new([16]byte), func(*[16]byte) {
			if InUse() > live*float64(limit.Bytes) {
				stop()
				return
			}
			arm()
		})
	}
	arm()
}

// live is the part of the limit that data in use may take: what is beyond is garbage, without which
// the collector would run all the time.
const live = 0.85

// InUse returns the bytes that the last collection found in use.
func InUse() float64 {
	s := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(s)
	return float64(s[0].Value.Uint64() + s[1].Value.Uint64())
}
