package index

import "context"

// A ManyScanner is a Reader that scans many ranges at once, which saves the time to ask for
// each. ScanMany does it for any Reader.
type ManyScanner interface {
	// ScanMany calls fn for the entries of all ranges, with the number of the range, until
	// fn returns false or most entries were given; 0: all. Ranges are taken in any order;
	// within one it is that of Scan. They have no After and are not Reverse.
	ScanMany(ctx context.Context, ranges []Range, most int, fn func(i int, entry []byte, seq Seq) bool) error
}

// ScanMany calls fn for the entries of many ranges, with the number of the range, until fn
// returns false or most entries were given; 0: all. In which order ranges are taken is the
// Reader's to say; within one it is that of Scan. They have no After and are not Reverse.
func ScanMany(ctx context.Context, r Reader, ranges []Range, most int, fn func(i int, entry []byte, seq Seq) bool) error {
	if m, ok := r.(ManyScanner); ok && len(ranges) > 1 {
		return m.ScanMany(ctx, ranges, most, fn)
	}
	more := true
	for i := 0; i < len(ranges) && more; i++ {
		err := r.Scan(ctx, ranges[i], func(entry []byte, seq Seq) bool {
			most--
			more = fn(i, entry, seq) && most != 0
			return more
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Single reports that a range has room for one entry value only: the versions in it come in
// the order of Seq.
func (r *Range) Single() bool {
	n := len(r.From)
	return len(r.To) == n+1 && r.To[n] == 0 && string(r.To[:n]) == string(r.From)
}
