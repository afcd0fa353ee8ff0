package bulk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/bulk"
)

func TestProduce(t *testing.T) {
	to := newTarget()
	report, err := bulk.Produce(t.Context(), to, func(_ context.Context, w io.Writer) error {
		for i := range 2000 {
			if _, err := fmt.Fprintln(w, resource(fmt.Sprintf("Patient/%d", i))); err != nil {
				return err
			}
		}
		return nil
	}, bulk.Options{})
	if err != nil || report.Stored != 2000 || len(to.have) != 2000 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestProduceEnds checks that an error of the producer ends the import, and an error of the target
// ends the producer.
func TestProduceEnds(t *testing.T) {
	broken := errors.New("broken")
	_, err := bulk.Produce(t.Context(), newTarget(), func(context.Context, io.Writer) error { return broken }, bulk.Options{})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	to := newTarget()
	to.fail = errors.New("full")
	var ended error
	_, err = bulk.Produce(t.Context(), to, func(ctx context.Context, w io.Writer) error {
		for i := 0; ended == nil; i++ {
			_, ended = fmt.Fprintln(w, resource(fmt.Sprintf("Patient/%d", i)))
		}
		return ended
	}, bulk.Options{})
	if !errors.Is(err, to.fail) || ended == nil {
		t.Errorf("%v, %v", err, ended)
	}
}

// FuzzManifest checks that whatever a manifest says, only http and https URLs are opened.
func FuzzManifest(f *testing.F) {
	const at = "http://example.org/m"
	f.Add(`{"transactionTime":"2026-01-01T00:00:00Z","output":[{"type":"Patient","url":"a"},{"url":"//b/c"}],"deleted":[{"url":"HTTPS://d"}]}`)
	f.Add(`{"output":[{"url":"file:///etc/passwd"}]}`)
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
