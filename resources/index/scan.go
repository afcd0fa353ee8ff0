package index

import "context"

// A ManyScanner is a Reader that can scan many ranges in one call. ScanMany works with any Reader.
type ManyScanner interface {
	// ScanMany calls fn for the entries of all ranges, with the index of the range, until fn
	// returns false or limit entries were read; 0 means all. The order of ranges is undefined;
	// within one range it is that of Scan. Ranges must not have After or Reverse.
	ScanMany(ctx context.Context, ranges []Range, limit int, fn func(i int, entry []byte, seq Seq) bool) error
}

// ScanMany calls fn for the entries of many ranges, with the index of the range, until fn returns
// false or limit entries were read; 0 means all. The order of ranges is up to the Reader; within
// one range it is that of Scan. Ranges must not have After or Reverse.
func ScanMany(ctx context.Context, r Reader, ranges []Range, limit int, fn func(i int, entry []byte, seq Seq) bool) error {
	if m, ok := r.(ManyScanner); ok && len(ranges) > 1 {
		return m.ScanMany(ctx, ranges, limit, fn)
	}
	more := true
	for i := 0; i < len(ranges) && more; i++ {
		err := r.Scan(ctx, ranges[i], func(entry []byte, seq Seq) bool {
			limit--
			more = fn(i, entry, seq) && limit != 0
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Single reports whether a range has room for only one entry, so that its versions are in the order
// of Seq.
func (r *Range) Single() bool {
	n := len(r.From)
	return len(r.To) == n+1 && r.To[n] == 0 && string(r.To[:n]) == string(r.From)
}
