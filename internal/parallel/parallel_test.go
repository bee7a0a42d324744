package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

func TestFor(t *testing.T) {
	const n = 1000
	var calls [n]atomic.Int32
	For(n, func(i int) { calls[i].Add(1) })
	for i := range calls {
		if got := calls[i].Load(); got != 1 {
			t.Errorf("%d was done %d times", i, got)
		}
	}
	For(0, func(int) { t.Error("called for nothing") })
}

// The first error ends all work and is returned; so is the cause of a context that is done.
func TestEachStops(t *testing.T) {
	fault := errors.New("fault")
	var calls atomic.Int32
	err := Each(t.Context(), 1000, 2, func(ctx context.Context, i int) error {
		calls.Add(1)
		if i == 3 {
			return fault
		}
		if i > 3 {
			<-ctx.Done() // the error reaches the other goroutine
		}
		return nil
	})
	if !errors.Is(err, fault) || calls.Load() > 5 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fault)
	if err := Each(ctx, 10, 0, func(context.Context, int) error { t.Error("called"); return nil }); !errors.Is(err, fault) {
		t.Error(err)
	}
}
