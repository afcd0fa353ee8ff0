package sqlstore

import (
	"encoding/binary"
	"errors"
)

// errPacked is returned for corrupted packed entries.
var errPacked = errors.New("the index entries of a version are corrupted")

// Pack encodes the entries of a version as one blob: each follows its length (unsigned varint).
// Without entries it returns nil.
func Pack(entries [][]byte) []byte {
	size := 0
	for _, e := range entries {
		size += len(e) + 2
	}
	if size == 0 {
		return nil
	}
	packed := make([]byte, 0, size)
	for _, e := range entries {
		packed = binary.AppendUvarint(packed, uint64(len(e)))
		packed = append(packed, e...)
	}
	return packed
}

// Unpack returns the entries of a blob. They share its memory.
func Unpack(packed []byte) ([][]byte, error) {
	var entries [][]byte
	for len(packed) > 0 {
		size, n := binary.Uvarint(packed)
		if n <= 0 || size > uint64(len(packed)-n) {
			return nil, errPacked
		}
		entries = append(entries, packed[n:n+int(size)])
		packed = packed[n+int(size):]
	}
	return entries, nil
}
