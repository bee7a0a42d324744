package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// eraseLine moves the cursor of a terminal to the beginning of its line, and clears the line.
const eraseLine = "\r\x1b[K"

// A waiting line shows on a terminal for how long a command works that has no bar of progress. It
// ends with the first output or bar. A nil line shows nothing.
type waiting struct {
	mutex   sync.Mutex
	w       io.Writer
	begun   time.Time
	drawn   bool
	stopped bool
	end     chan struct{}
}

func newWaiting(w io.Writer) *waiting {
	return &waiting{w: w, begun: time.Now(), end: make(chan struct{})}
}

// run draws the line each second until it is stopped.
func (l *waiting) run() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-l.end:
			return
		case now := <-tick.C:
			l.draw(now)
		}
	}
}

func (l *waiting) draw(now time.Time) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.stopped {
		fmt.Fprintf(l.w, "%sworking for %.0f s", eraseLine, now.Sub(l.begun).Seconds())
		l.drawn = true
	}
}

// stop erases the line for good.
func (l *waiting) stop() {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.stopped {
		return
	}
	l.stopped = true
	close(l.end)
	if l.drawn {
		fmt.Fprint(l.w, eraseLine)
	}
}
