package index_test

import (
	"context"
	"errors"
	"testing"

	"github.com/roget-health/roget/resources/index"
)

// forgetful is a reader of a state in which some versions are gone.
type forgetful struct {
	index.Reader
	gone index.Seq
}

func (f forgetful) Load(_ context.Context, seqs []index.Seq, _ index.Parts) ([]index.Record, error) {
	records := make([]index.Record, len(seqs))
	for i, seq := range seqs {
		if seq != f.gone {
			records[i] = index.Record{Type: "Basic", ID: "x", Seq: seq, Size: 2, Body: []byte("{}")}
		}
	}
	return records, nil
}

// TestFillForgotten checks that a page is no answer without a document that was removed meanwhile.
func TestFillForgotten(t *testing.T) {
	page := func() []index.Record {
		return []index.Record{{Type: "Basic", ID: "a", Seq: 1, Size: 2}, {Type: "Basic", ID: "b", Seq: 2, Size: 2}}
	}
	records := page()
	if err := index.Fill(t.Context(), forgetful{gone: 9}, records); err != nil || string(records[1].Body) != "{}" {
		t.Errorf("%v, %v", records, err)
	}
	if err := index.Fill(t.Context(), forgetful{gone: 2}, page()); !errors.Is(err, index.ErrForgotten) {
		t.Errorf("%v, want ErrForgotten", err)
	}
}
