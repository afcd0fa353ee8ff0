package backend

import "testing"

func TestConnectionsFor(t *testing.T) {
	for files, want := range map[uint64]int{0: 4, 64: 10, 1024: 250, 524288: 10_000, 1<<64 - 1: 10_000} {
		if got := connectionsFor(files); got != want {
			t.Errorf("%d files: %d connections, want %d", files, got, want)
		}
	}
}
