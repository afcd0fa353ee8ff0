package backend

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/roget-health/roget/cliadapter"
)

// TestConnectionLimits: the limits leave room for the files of the store, also those that the operator
// asks for, who is then told how to have more.
func TestConnectionLimits(t *testing.T) {
	for _, tt := range []struct {
		asked, askedPerClient int
		files                 uint64
		all, perClient        int
		warns                 bool
	}{
		{0, 0, 0, 4, 4, false},
		{0, 0, 64, 10, 4, false},
		{0, 0, 1024, 250, 62, false},
		{0, 0, 524288, 10_000, 2500, false},
		{0, 0, 1<<64 - 1, 10_000, 2500, false},
		{0, 7, 1024, 250, 7, false},
		{200, 0, 64, 10, 4, true},
		{200, 100, 64, 10, 100, true},
		{10, 0, 64, 10, 4, false},
		{11, 0, 64, 10, 4, true},
		{5, 0, 1, 4, 4, true},
		{250, 0, 1024, 250, 62, false},
		{50_000, 0, 524288, 50_000, 12_500, false},
		{200_000, 0, 524288, 131_066, 32_766, true},
		{1 << 30, 0, 1<<64 - 1, 1 << 30, 1 << 28, false},
	} {
		var log strings.Builder
		all, perClient := connectionLimits(cliadapter.BoundsOptions{Connections: tt.asked, ConnectionsPerClient: tt.askedPerClient}, tt.files, slog.New(slog.NewTextHandler(&log, nil)))
		if all != tt.all || perClient != tt.perClient {
			t.Errorf("--max-connections %d of %d files: %d and %d of one address, want %d and %d", tt.asked, tt.files, all, perClient, tt.all, tt.perClient)
		}
		if warned := strings.Contains(log.String(), "ulimit -n") && strings.Contains(log.String(), "LimitNOFILE"); warned != tt.warns {
			t.Errorf("--max-connections %d of %d files: %q", tt.asked, tt.files, log.String())
		}
	}
}
