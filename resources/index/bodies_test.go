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

// TestWeighMissing checks that a version to which the index leads and that is not there is an error.
func TestWeighMissing(t *testing.T) {
	if records, size, err := index.Weigh(t.Context(), forgetful{gone: 9}, []index.Seq{1, 2}, 100); err != nil || len(records) != 2 || size != 4 {
		t.Errorf("%v, %d, %v", records, size, err)
	}
	if records, _, err := index.Weigh(t.Context(), forgetful{gone: 2}, []index.Seq{1, 2}, 100); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("%v, %v, want ErrDamaged", records, err)
	}
	if records, err := index.LoadBodies(t.Context(), forgetful{gone: 2}, []index.Seq{2}); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("%v, %v, want ErrDamaged", records, err)
	}
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
