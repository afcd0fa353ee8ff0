package index

import "context"

// PageBytes is how large the documents of a page become, in bytes, before it ends early.
const PageBytes = 64 << 20

// bodiesFirst is how many documents LoadBodies reads before it knows how large they are.
const bodiesFirst = 50

// LoadBodies is Load of versions with their Body, up to the one that brings the documents to
// a size of most bytes or more: at least one where any is asked for. Pages end there, so
// that memory does not grow with their number times the largest document.
func LoadBodies(ctx context.Context, r Reader, seqs []Seq, most int) ([]Record, error) {
	var records []Record
	size := 0
	for n := bodiesFirst; len(records) < len(seqs); {
		rest := seqs[len(records):]
		batch, err := r.Load(ctx, rest[:min(n, len(rest))], WithBody)
		if err != nil {
			return nil, err
		}
		if records == nil && len(batch) == len(seqs) {
			records = batch[:0]
		}
		for i := range batch {
			records = append(records, batch[i])
			if size += len(batch[i].Body); size >= most {
				return records, nil
			}
		}
		n = (most-size)/(size/len(records)+1) + 1
	}
	return records, nil
}
