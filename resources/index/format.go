package index

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// layout is changed by whoever changes how values are taken out of documents, how entries
// are made, or the bytes of Values.
const layout = 1

// Format names what entries and Values look like: it is another one whenever documents
// that are stored have to be indexed anew, because the layout or a search parameter changed.
func (x *Extractor) Format() string {
	h := fnv.New64a()
	var number [4]byte
	for _, typ := range x.tables.Resources() {
		for _, p := range x.tables.SearchParams(typ) {
			if recorded(p) {
				continue
			}
			binary.BigEndian.PutUint32(number[:], p.Number)
			_, _ = h.Write(number[:]) // a hash never fails
			_, _ = h.Write([]byte(p.Expression + "\n" + signature(p) + "\n"))
		}
	}
	return fmt.Sprintf("%d-%016x", layout, h.Sum64())
}
