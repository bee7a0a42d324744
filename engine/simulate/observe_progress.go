package simulate

import (
	"context"
	"errors"
	"time"
)

// Progress reports how far a run has come.
type Progress struct {
	Done, Total uint64        // operations; a deadlock keeps some from being done
	Elapsed     time.Duration // since the run began
}

// A budget bounds the steps of a run and reports its progress.
type budget struct {
	events   uint64 // entries processed
	computed uint64 // rates
	most     uint64 // steps that it may take; 0: any number
	report   func(Progress)
	began    time.Time
	reported time.Duration
}

// ErrSteps is the error of a run that needs more than [Setup.Steps].
var ErrSteps = errors.New("the run takes more steps than it may")

// tickMask sets how often a run looks at its budget: every 8,192 entries.
// At ten million entries a second that is about once a millisecond: soon enough for an interrupt,
// and rare enough to cost nothing.
const tickMask = 1<<13 - 1

// check ends the run if its context has ended or its steps are too many, and reports progress, at
// most five times a second: a terminal shows no more.
func (b *budget) check(ctx context.Context, now Progress) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.most > 0 && b.events+b.computed > b.most {
		return ErrSteps
	}
	if b.report != nil {
		if now.Elapsed = time.Since(b.began); now.Elapsed-b.reported > 200*time.Millisecond {
			b.reported = now.Elapsed
			b.report(now)
		}
	}
	return nil
}
