package program

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// dataLimit returns the bytes that programs may take: a quarter of the memory limit, since an
// operation may need as much again while it copies what there is, and at most 4 GB.
func dataLimit() float64 { return min(float64(memory.Limit().Bytes)/4, 4e9) }

// maxLength bounds ranges and texts.
const maxLength = 1 << 24

// maxDepth bounds how deep lists are nested in lists that become text.
const maxDepth = 1000

// taken is the account of what programs make.
var taken struct {
	unseen atomic.Int64 // bytes since the memory was looked at
	sync.Mutex
	live float64 // after the last collection that was asked for
}

// room returns an error if an operation that makes so many bytes exceeds the limit.
func room(bytes float64) error {
	limit := dataLimit()
	if taken.unseen.Add(int64(min(bytes, limit))) < int64(limit/64) {
		return nil
	}
	if math.IsInf(bytes, 1) {
		return fmt.Errorf("a text of more than %d bytes, or of lists nested deeper than %d",
			maxLength, maxDepth)
	}
	return lookAtMemory(bytes)
}

// lookAtMemory returns an error if bytes more than what there is exceed the limit.
func lookAtMemory(bytes float64) error {
	limit := dataLimit()
	taken.unseen.Store(0)
	taken.Lock()
	defer taken.Unlock()
	objects := heapObjects()
	if objects+bytes <= limit {
		return nil
	}
	if bytes <= limit && objects-taken.live > limit/32 {
		runtime.GC()
		taken.live = memory.InUse()
	}
	if taken.live+bytes <= limit {
		return nil
	}
	if bytes > limit/64 {
		return fmt.Errorf("this operation makes %.2g GB, but the program may take %.2g GB of "+
			"memory", bytes/1e9, limit/1e9)
	}
	return fmt.Errorf("the program takes more than %.2g GB of memory", limit/1e9)
}

// heapObjects returns the bytes of data with garbage that was not collected yet.
func heapObjects() float64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return float64(s[0].Value.Uint64())
}

// maxSteps bounds the steps of the interpreter, in all ranks, unless the context has a deadline. So
// many take 5 to 20 s. A loop over a range of 10¹² ends with an error and not next month.
const maxSteps = 1_000_000_000

// maxCalls bounds how deep functions call one another. Recursion is off, but a file can have 10⁵
// functions, and each call goes through all that it lies in, to see that it is no recursion.
const maxCalls = 1000

// look is the number of steps after which a thread looks at the memory. Ten thousand values are
// less than one operation may make unseen.
const look = 10_000

// stalled is how many seconds one operation may take, such as the comparison of nested lists.
const stalled = 60

// A guard keeps the threads of a run within their bounds.
type guard struct {
	running atomic.Pointer[starlark.Thread]
	place   atomic.Pointer[syntax.Position] // of the last look
	looks   atomic.Int64
	steps   uint64 // of threads that have ended
	timed   bool   // whether a deadline takes the place of maxSteps
}

// now notes the thread that runs.
func (g *guard) now(t *starlark.Thread) {
	g.running.Store(t)
	g.looks.Add(1)
}

// newThread returns a thread that looks at its bounds after some steps.
func (g *guard) newThread(name string, print func(text string)) *starlark.Thread {
	t := &starlark.Thread{
		Name:  name,
		Print: func(_ *starlark.Thread, text string) { print(text) },
		OnMaxSteps: func(t *starlark.Thread) {
			n := t.ExecutionSteps()
			t.SetMaxExecutionSteps(n + min(n, look)) // few at first, for a place near the start
			at := t.CallFrame(0).Pos
			g.place.Store(&at)
			g.looks.Add(1)
			if g.steps+n > maxSteps && !g.timed {
				t.Cancel(fmt.Sprintf("the program takes more than %d steps; with a time limit "+
					"it may take more", maxSteps))
			} else if t.CallStackDepth() > maxCalls {
				t.Cancel(fmt.Sprintf("more than %d functions call one another", maxCalls))
			} else if err := lookAtMemory(0); err != nil {
				t.Cancel(err.Error())
			}
		},
	}
	t.SetMaxExecutionSteps(1)
	g.now(t)
	return t
}

// run runs f, which runs threads. At the end of the context, or if one operation takes longer than
// a minute, it returns without waiting for the operation, which cannot be interrupted; f ends
// behind it.
func (g *guard) run(ctx context.Context, name string, f func() error) error {
	_, g.timed = ctx.Deadline()
	done := make(chan error, 1)
	go func() { done <- f() }()
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	seen, times := int64(0), 0
	for {
		select {
		case err := <-done:
			return err
		case <-ctx.Done():
			return g.abandon(done, "interrupted", ctx.Err())
		case <-ticks.C:
		}
		if n := g.looks.Load(); n != seen {
			seen, times = n, 0
		} else if times++; times == stalled {
			place := name
			if at := g.place.Load(); at != nil {
				place = at.String()
			}
			return g.abandon(done, "stopped", fmt.Errorf("%s: an operation in this line or up to "+
				"%d steps later takes longer than %d s", place, look, stalled))
		}
	}
}

// abandon ends the thread that runs, and returns err when f has ended or soon after.
func (g *guard) abandon(done <-chan error, reason string, err error) error {
	if t := g.running.Load(); t != nil {
		t.Cancel(reason)
	}
	select {
	case <-done:
	case <-time.After(100 * time.Millisecond):
	}
	return err
}
