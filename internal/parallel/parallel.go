// Package parallel runs independent pieces of work on all processors.
package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Each calls do(ctx, i) for every i from 0 to n−1, in that order, on up to limit goroutines at a
// time; a limit of 0 or less is one per processor, and more than that bring nothing.
//
// The first error cancels the context of the other calls, starts no more of them, and is returned.
// If ctx is done first, Each returns its cause.
func Each(ctx context.Context, n, limit int, do func(ctx context.Context, i int) error) error {
	if limit <= 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	group, inner := errgroup.WithContext(ctx)
	var next atomic.Int64
	for range min(n, limit) {
		group.Go(func() error {
			for inner.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := do(inner, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// For calls do(i) for every i from 0 to n−1, on all processors.
func For(n int, do func(i int)) {
	_ = Each(context.Background(), n, 0, func(_ context.Context, i int) error { do(i); return nil })
}
