package resources

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/roget-health/roget/resources/index"
)

// VerifyOptions configures Service.Verify.
type VerifyOptions struct {
	// Structure is how the store checks the structure of its files.
	Structure Structure
	// Index also extracts the search values of every current resource again, and compares them.
	Index bool
	// Found is called with each problem. It must not be nil.
	Found func(p Problem)
	// Pause, if not nil, is called after each batch with the number of bytes that were read.
	Pause func(ctx context.Context, bytes int64) error
	// Progress, if not nil, is called after each batch with the totals.
	Progress func(done Verified)
}

// A Problem is what Verify has found to be wrong with a version, or with a store if there is no Key.
type Problem struct {
	Key
	VersionID int64
	Text      string
}

// String names the version and the problem.
func (p Problem) String() string {
	if p.Type == "" {
		return p.Text
	}
	return fmt.Sprintf("%s version %d: %s", p.Key, p.VersionID, p.Text)
}

// Verified is what Verify has read.
type Verified struct {
	Versions int
	Bytes    int64 // of documents and search values
	Problems int
}

// verifyBatch is the number of versions that Verify reads from one state of the store.
const verifyBatch = 256

// Verify reads every version in the store. It compares the checksums, checks that the versions of
// each resource follow one another, and that searches find what they should. A store that is not
// Verifiable has nothing to compare.
func (s *Service) Verify(ctx context.Context, o VerifyOptions) (done Verified, err error) {
	store, ok := s.store.(Verifiable)
	if !ok {
		return done, nil
	}
	found := func(p Problem) {
		done.Problems++
		o.Found(p)
	}
	if o.Structure != NoStructure {
		problems, err := store.Inspect(ctx, o.Structure)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return done, err
		}
		for _, p := range problems {
			found(Problem{Text: p})
		}
		if err != nil {
			found(Problem{Text: err.Error()})
		}
	}
	o.Index = o.Index && s.indexed != nil && s.indexCurrent(ctx)
	for after, more := index.Seq(0), true; more; {
		more = false
		var size int64
		err = store.Walk(ctx, after, verifyBatch, func(v *StoredVersion) (bool, error) {
			more, after = true, v.Seq
			done.Versions++
			size += int64(len(v.Body) + len(v.Values))
			if o.Index && len(v.Problems) == 0 {
				v.Problems = s.indexProblems(v)
			}
			for _, p := range v.Problems {
				found(Problem{Key{Type: v.Type, ID: v.ID}, v.VersionID, p})
			}
			return true, nil
		})
		done.Bytes += size
		if errors.Is(err, ErrDamaged) { // the rest cannot be reached
			found(Problem{Text: fmt.Sprintf("the versions after %s: %v", after.Time().Format("2006-01-02T15:04:05.000Z"), err)})
			return done, nil
		}
		if err != nil {
			return done, err
		}
		if o.Progress != nil {
			o.Progress(done)
		}
		if o.Pause != nil {
			if err := o.Pause(ctx, size); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

// indexCurrent reports whether the search index has the format of this program.
func (s *Service) indexCurrent(ctx context.Context) bool {
	marker, ok := s.store.(Marker)
	if !ok {
		return false
	}
	mark, err := marker.Mark(ctx, indexMark)
	return err == nil && mark == s.tools().extractor.Format()
}

// indexProblems extracts the values of a current resource again.
func (s *Service) indexProblems(v *StoredVersion) []string {
	if v.Deleted || v.Until != index.Current {
		return nil
	}
	doc, err := parse(v.Body)
	if err != nil {
		return []string{"the document cannot be parsed: " + err.Error()}
	}
	values, err := s.tools().extractor.Extract(doc)
	if err != nil {
		return []string{"the document cannot be indexed: " + err.Error()}
	}
	if !bytes.Equal(values.Append(nil), v.Values) {
		return []string{"the values for searches are not those of the document"}
	}
	for _, entry := range values.Entries(nil) {
		if !index.IsNews(entry) && !bytes.Contains(v.Packed, entry) {
			return []string{"an index entry of the document is missing"}
		}
	}
	return nil
}

// Complete adds checksums to what an earlier program stored; see Verifiable.
func (s *Service) Complete(ctx context.Context, pause func(ctx context.Context, bytes int64) error) error {
	if store, ok := s.store.(Verifiable); ok {
		return store.Complete(ctx, pause)
	}
	return nil
}
