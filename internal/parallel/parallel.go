// Package parallel runs independent pieces of work on all processors.
package parallel

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do(ctx, i) for every i from 0 to n−1, started in that order, on up to limit
// goroutines at a time; a limit of 0 or less stands for the number of processors, and a larger
// limit gains nothing.
//
// After an error no more calls start, and running calls complete. Each returns the error with the
// lowest i, which does not depend on timing. (The errgroup package returns the first error in
// time.) If ctx is done, Each returns its cause.
func Each(ctx context.Context, n, limit int, do func(ctx context.Context, i int) error) error {
	if limit <= 0 {
		limit = runtime.GOMAXPROCS(0)
	}
	var (
		next    atomic.Int64
		failed  atomic.Bool
		mutex   sync.Mutex
		at      = n // index of err
		err     error
		workers sync.WaitGroup
	)
	for range min(n, limit) {
		workers.Go(func() {
			for ctx.Err() == nil && !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if e := do(ctx, i); e != nil {
					failed.Store(true)
					mutex.Lock()
					if i < at {
						at, err = i, e
					}
					mutex.Unlock()
				}
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// For calls do(i) for every i from 0 to n−1, on all processors.
func For(n int, do func(i int)) {
	_ = Each(context.Background(), n, 0, func(_ context.Context, i int) error { do(i); return nil })
}
