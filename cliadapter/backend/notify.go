package backend

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// The functions here tell systemd the state of the service (Type=notify-reload). They do nothing if
// the environment has no NOTIFY_SOCKET.

func notifyReady(log *slog.Logger) { notify(log, daemon.SdNotifyReady) }

func notifyStopping(log *slog.Logger) { notify(log, daemon.SdNotifyStopping) }

// notifyReloading reports to systemd that a reload begins, with the time of the monotonic clock.
func notifyReloading(log *slog.Logger) {
	state := daemon.SdNotifyReloading
	if now, ok := monotonic(); ok {
		state += fmt.Sprintf("\nMONOTONIC_USEC=%d", now.Microseconds())
	}
	notify(log, state)
}

func notify(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd cannot be notified", "state", state, "err", err)
	}
}

// startWatchdog reports to the watchdog of systemd, if the unit has WatchdogSec, as long as alive
// returns nil.
func startWatchdog(ctx context.Context, log *slog.Logger, alive func(context.Context) error) (stop func()) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("the watchdog of systemd cannot be used", "err", err)
	}
	if interval <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	group.Go(func() {
		tick := time.NewTicker(interval / 3)
		defer tick.Stop()
		for {
			if err := alive(ctx); err == nil {
				notify(log, daemon.SdNotifyWatchdog)
			} else {
				log.Error("the watchdog is not told that the server works", "err", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		cancel()
		group.Wait()
	}
}
