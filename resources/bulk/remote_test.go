package bulk_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/bulk"
)

// FuzzManifest checks that whatever a manifest says, only http and https URLs are opened.
func FuzzManifest(f *testing.F) {
	const at = "http://example.org/m"
	f.Add(`{"transactionTime":"2026-01-01T00:00:00Z","output":[{"type":"Patient","url":"a"},{"url":"//b/c"}],"deleted":[{"url":"HTTPS://d"}]}`)
	f.Add(`{"output":[{"url":"file:///etc/passwd"}]}`)
	f.Add(`{"output":[{"url":"javascript://x"}],"deleted":null}`)
	f.Fuzz(func(t *testing.T, manifest string) {
		_, _ = bulk.Import(t.Context(), newTarget(), []string{at}, bulk.Options{Remote: func(_ context.Context, url string) (io.ReadCloser, error) {
			if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
				t.Errorf("%q is opened", url)
			}
			if url == at {
				return io.NopCloser(strings.NewReader(manifest)), nil
			}
			return io.NopCloser(strings.NewReader(`{"resourceType":"Patient","id":"a"}`)), nil
		}})
	})
}
