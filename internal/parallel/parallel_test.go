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

// After an error nothing starts, the error of the lowest number is returned, however long that
// takes; and so is the cause of a context that is done.
func TestEachStops(t *testing.T) {
	fault, later := errors.New("fault"), errors.New("later")
	var calls atomic.Int32
	second := make(chan bool)
	err := Each(t.Context(), 1000, 2, func(_ context.Context, i int) error {
		calls.Add(1)
		if i == 0 {
			<-second
			return fault
		}
		close(second)
		return later
	})
	if err != fault || calls.Load() != 2 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(fault)
	if err := Each(ctx, 10, 0, func(context.Context, int) error { t.Error("called"); return nil }); !errors.Is(err, fault) {
		t.Error(err)
	}
}
