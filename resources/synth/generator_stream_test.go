package synth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/roget-health/roget/resources/synth"
)

// bundle is a decoded transaction.
type bundle struct {
	ResourceType, Type string
	Entry              []struct {
		FullURL  string
		Resource json.RawMessage
		Request  struct{ Method, URL string }
	}
}

// drain concatenates the chunks of a selection. Each but the last is of 32 KiB, and the resource that ends it.
func drain(t *testing.T, g *synth.Generator, s synth.Selection) (text []byte, resources int) {
	t.Helper()
	const size = 32 << 10
	before := size
	err := g.Each(t.Context(), s, func(c synth.Chunk) error {
		if before < size || len(c.Bytes) > size+size/2 {
			t.Errorf("a chunk of %d bytes comes after one of %d", len(c.Bytes), before)
		}
		before = len(c.Bytes)
		text = append(text, c.Bytes...)
		resources += c.Resources
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text, resources
}

// Each writes the same resources as Append, in either format.
func TestEach(t *testing.T) {
	g, err := synth.New("Condition", synth.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	const first, count = 7, 500
	text, n := drain(t, g, synth.Selection{First: first, Count: count})
	lines := bytes.SplitAfter(text, []byte("\n"))
	if n != count || len(lines) != count+1 {
		t.Fatalf("%d resources, %d lines", n, len(lines))
	}
	text, n = drain(t, g, synth.Selection{First: first, Count: count, Form: synth.Transactions})
	var b bundle
	if err := json.Unmarshal(text, &b); err != nil || b.ResourceType != "Bundle" || b.Type != "transaction" || len(b.Entry) != count || n != count {
		t.Fatalf("%v, %d resources, %d entries of a %s", err, n, len(b.Entry), b.Type)
	}
	for i := range count {
		want := g.Append(nil, first+uint64(i))
		if got := bytes.TrimSuffix(lines[i], []byte("\n")); !bytes.Equal(got, want) {
			t.Fatalf("line %d: %s, not %s", i, got, want)
		}
		e := b.Entry[i]
		if !bytes.Equal(e.Resource, want) || e.Request.Method != http.MethodPut || !bytes.Contains(want, []byte(`"id":"`+strings.TrimPrefix(e.Request.URL, "Condition/")+`"`)) ||
			e.FullURL != "https://roget.health/fhir/"+e.Request.URL {
			t.Fatalf("entry %d: %+v", i, e)
		}
	}
	if text, _ := drain(t, g, synth.Selection{Form: synth.Transactions}); string(text) != `{"resourceType":"Bundle","type":"transaction"}`+"\n" {
		t.Errorf("nothing: %s", text)
	}
}

// A selection beyond the largest number is refused. The largest number itself works.
func TestEachNumbers(t *testing.T) {
	g, err := synth.New("Condition", synth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	count := func(c synth.Chunk) error {
		made += c.Resources
		return nil
	}
	if err := g.Each(t.Context(), synth.Selection{First: math.MaxUint64 - 1, Count: 2}, count); !errors.Is(err, synth.ErrOption) || made != 0 {
		t.Errorf("beyond the end: %v, %d made", err, made)
	}
	if err := g.Each(t.Context(), synth.Selection{First: math.MaxUint64 - 1, Count: 1}, count); err != nil || made != 1 {
		t.Errorf("at the end: %v, %d made", err, made)
	}
}

// Each stops when fn returns an error, and when the context ends.
func TestEachEnds(t *testing.T) {
	g, err := synth.New("Condition", synth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	full := errors.New("full")
	calls := 0
	err = g.Each(t.Context(), synth.Selection{Count: 1 << 40}, func(synth.Chunk) error {
		if calls++; calls == 3 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || calls != 3 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = g.Each(ctx, synth.Selection{Count: 1 << 40}, func(synth.Chunk) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
