package index

import "context"

// PageBytes is the default size of the documents, in bytes, after which a page ends early.
const PageBytes = 64 << 20

// firstBodies is how many documents LoadBodies loads before it knows their size.
const firstBodies = 50

// LoadBodies loads versions with their Body, up to and including the one that brings the size of
// the documents to maxBytes. So it returns at least one of them, and the memory for a page is
// bounded even if documents are large.
func LoadBodies(ctx context.Context, r Reader, seqs []Seq, maxBytes int) ([]Record, error) {
	var records []Record
	size := 0
	for n := firstBodies; len(records) < len(seqs); {
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
			if size += len(batch[i].Body); size >= maxBytes {
				return records, nil
			}
		}
		n = (maxBytes-size)/(size/len(records)+1) + 1
	}
	return records, nil
}
