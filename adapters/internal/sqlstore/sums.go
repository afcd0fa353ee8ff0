package sqlstore

import (
	"context"
	"fmt"
	"hash/crc32"
	"sync/atomic"

	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/index"
)

// Sums compares what is read with checksums that were stored when it was written. The checksum of
// a document is the CRC32C of its address, Seq and body, so that a body that belongs to another
// version is detected too. The checksum of values is that of the Seq and the values. Processors
// compute CRC32C at 10 GB/s and more.
type Sums struct {
	// required is set when all versions have checksums. Until then a version without one is
	// read unchecked.
	required atomic.Bool
}

// SumsMark is the mark of a store in which all versions have checksums, and complete its value.
const (
	SumsMark = "sums"
	complete = "complete"
)

// Require makes a missing checksum damage if the value of SumsMark says that all versions have one.
func (s *Sums) Require(mark string) {
	if mark == complete {
		s.required.Store(true)
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// hasSum is set in every checksum, so that 0 means that there is none.
const hasSum = 1 << 62

// DocumentSum returns the checksum of a document.
func DocumentSum(r *index.Record) int64 {
	head := mix(mix(fnvOffset, uint64(r.Seq)), uint64(r.VersionID)<<1)
	if r.Deleted {
		head++
	}
	head = mixText(mixText(head, r.Type)*fnvPrime, r.ID)
	return folded(head, crc32.Checksum(r.Body, castagnoli))
}

// ValuesSum returns the checksum of the values of a version.
func ValuesSum(seq index.Seq, values []byte) int64 {
	return folded(mix(fnvOffset, uint64(seq)), crc32.Checksum(values, castagnoli))
}

// The constants of FNV-1a.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// mix adds a number to a hash.
func mix(hash, n uint64) uint64 {
	hash = (hash ^ n) * fnvPrime
	return hash ^ hash>>32
}

// mixText adds a text to a hash, as FNV-1a does.
func mixText(hash uint64, text string) uint64 {
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * fnvPrime
	}
	return hash
}

// folded returns 30 bits of a hash of the address followed by a CRC.
func folded(hash uint64, crc uint32) int64 {
	hash ^= hash >> 32
	return int64(hash&(1<<30-1)<<32 | uint64(crc) | hasSum)
}

// CheckDocument compares the body of a record with its checksum, 0 if it has none.
func (s *Sums) CheckDocument(r *index.Record, sum int64) error {
	if sum == 0 && !s.required.Load() || sum == DocumentSum(r) {
		return nil
	}
	return damaged(r, "the document does not match its checksum")
}

// CheckPart compares the part of a document that a read requested. Nothing can be compared if the
// document is not small and was only weighed.
func (s *Sums) CheckPart(r *index.Record, parts index.Parts, sum int64) error {
	weighed := parts&index.WithBody == 0 && r.Body == nil && r.Size > index.SmallBody && !r.Deleted
	if parts&(index.WithBody|index.WithSmallBody) == 0 || weighed {
		return nil
	}
	return s.CheckDocument(r, sum)
}

// CheckValues compares the values of a record with their checksum, 0 if they have none.
func (s *Sums) CheckValues(r *index.Record, sum int64) error {
	if sum == 0 && !s.required.Load() || sum == ValuesSum(r.Seq, r.Values) {
		return nil
	}
	return damaged(r, "the values for searches do not match their checksum")
}

// CheckNewest returns an error if what was found as the newest version of a key has been superseded.
// The index of the table that leads to the newer one is damaged then.
func CheckNewest(r *index.Record) error {
	if r.Seq == 0 || r.Until == index.Current {
		return nil
	}
	return damaged(r, "the current version cannot be found")
}

func damaged(r *index.Record, text string) error {
	return &resources.DamageError{Key: resources.Key{Type: r.Type, ID: r.ID}, VersionID: r.VersionID, Seq: r.Seq, Problem: text}
}

// sumBatch is the number of versions whose checksums are filled in while writers wait.
const sumBatch = 500

// Complete fills in the checksums of versions that an earlier program wrote. Everything that is
// altered from then on is detected. It may be interrupted, and does nothing when all is done.
// pause is called between batches.
func (s *Store) Complete(ctx context.Context, pause func(ctx context.Context, bytes int64) error) error {
	if s.db.Sums().required.Load() {
		return nil
	}
	if err := s.loadSums(ctx); err != nil || s.db.Sums().required.Load() {
		return err
	}
	for after := index.Seq(0); ; {
		var bytes int64
		last := after
		var sums []Summed
		err := s.view(ctx, func(r Reader) error {
			return r.Walk(ctx, after, sumBatch, func(v *resources.StoredVersion) (bool, error) {
				last = v.Seq
				bytes += int64(len(v.Body) + len(v.Values))
				if v.DocumentSum == 0 || v.ValuesSum == 0 {
					sums = append(sums, Summed{Seq: v.Seq, Document: DocumentSum(&v.Record), Values: ValuesSum(v.Seq, v.Values)})
				}
				return true, nil
			})
		})
		if err != nil {
			return err
		}
		if last == after {
			break
		}
		after = last
		if len(sums) > 0 {
			// A version that is indexed again meanwhile has other values, and its checksums already.
			if err := s.exclusive(ctx, func(ctx context.Context, w Writer) error { return w.FillSums(ctx, sums) }); err != nil {
				return err
			}
		}
		if err := pause(ctx, bytes); err != nil {
			return err
		}
	}
	if err := s.SetMark(ctx, SumsMark, complete); err != nil {
		return err
	}
	s.db.Sums().Require(complete)
	return nil
}

// Summed is a version with its checksums.
type Summed struct {
	Seq              index.Seq
	Document, Values int64
}

// loadSums reads whether all versions have checksums.
func (s *Store) loadSums(ctx context.Context) error {
	mark, err := s.Mark(ctx, SumsMark)
	s.db.Sums().Require(mark)
	return err
}

// Walk calls fn for stored versions after a Seq, without comparing checksums.
func (s *Store) Walk(ctx context.Context, after index.Seq, limit int, fn func(*resources.StoredVersion) (bool, error)) error {
	return s.view(ctx, func(r Reader) error {
		return r.Walk(ctx, after, limit, func(v *resources.StoredVersion) (bool, error) {
			v.Problems = s.problems(v)
			return fn(v)
		})
	})
}

// problems returns what is wrong with a version.
func (s *Store) problems(v *resources.StoredVersion) (all []string) {
	sums := s.db.Sums()
	add := func(wrong bool, text string) {
		if wrong {
			all = append(all, text)
		}
	}
	add(v.NoDocument, "its document is missing")
	if !v.NoDocument {
		add(sums.CheckDocument(&v.Record, v.DocumentSum) != nil, "the document does not match its checksum")
		add(!v.Deleted && len(v.Body) == 0, "it has no document and is no deletion")
		add(v.Deleted && len(v.Body) > 0, "it is a deletion and has a document")
	}
	add(sums.CheckValues(&v.Record, v.ValuesSum) != nil, "the values for searches do not match their checksum")
	switch {
	case v.Until == index.Current:
		add(v.Next != 0, "it is marked as the current version, but a later one exists")
	case v.Next != v.Until:
		add(true, "the version that follows is missing or has another date")
	}
	add(v.VersionID > 1 && v.Former == 0, "the version before is missing")
	add(v.Former >= v.Seq, "the version before is younger")
	if _, err := Unpack(v.Packed); err != nil {
		add(true, err.Error())
	} else {
		add(v.MissingEntries > 0, fmt.Sprintf("%d of its entries are missing in the index", v.MissingEntries))
	}
	return all
}
