package closure

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"sync"
	"weak"

	"github.com/roget-health/roget/codesystem"
)

// contents remembers what identifies the content of indexes.
type contents struct {
	mu   sync.Mutex
	sums map[weak.Pointer[codesystem.Index]]string
}

// maxContents bounds the indexes that are remembered.
const maxContents = 256

// of returns what identifies the codes of an index and their hierarchy. It is the same in all
// processes, and does not depend on the order of the codes.
func (c *contents) of(x *codesystem.Index, grammar bool) string {
	if grammar {
		return "grammar"
	}
	key := weak.Make(x)
	c.mu.Lock()
	defer c.mu.Unlock()
	if sum, found := c.sums[key]; found {
		return sum
	}
	if c.sums == nil || len(c.sums) >= maxContents {
		c.sums = map[weak.Pointer[codesystem.Index]]string{}
	}
	sum := contentOf(x)
	c.sums[key] = sum
	return sum
}

// contentOf adds up the digests of the codes, and of the pairs of code and parent.
func contentOf(x *codesystem.Index) string {
	var lanes [2]uint64
	var text []byte
	add := func() {
		sum := sha256.Sum256(text)
		for i := range lanes {
			lanes[i] += binary.LittleEndian.Uint64(sum[8*i:])
		}
	}
	for o, code := range x.Codes() {
		text = append(append(text[:0], 'c'), code...)
		add()
		for _, p := range x.Parents(o) {
			text = append(append(text[:0], 'p'), code...)
			text = append(append(text, 0), x.Code(p)...)
			add()
		}
	}
	text = text[:0]
	for _, lane := range lanes {
		text = binary.LittleEndian.AppendUint64(text, lane)
	}
	text = strconv.AppendBool(text, x.Subsumptive())
	text = strconv.AppendBool(text, x.CaseSensitive())
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}
