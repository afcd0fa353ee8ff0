package backend

import (
	"context"
	"runtime/debug"
	"time"
)

// After requests that needed rushSize bytes or more, a server that has nothing to do would keep their
// memory for minutes: the collector has no reason to run.
const (
	rushSize    = 32 << 20
	settleEvery = 10 * time.Second
)

// startSettle returns memory to the system after a rush. The returned function stops it.
func startSettle(ctx context.Context, settled func(n int64) bool) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(settleEvery)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if settled(rushSize) {
					debug.FreeOSMemory()
				}
			}
		}
	}()
	return func() { cancel(); <-done }
}
