package resources

import (
	"slices"
	"sync"

	"github.com/roget-health/roget/resources/index"
)

// verdicts are decisions about the content of versions, by their Seq. A version that is stored never
// changes, so they stay true as long as what the grant means. They are not about versions of a
// transaction, whose Seq another version may get if it fails.
type verdicts struct {
	mu     sync.RWMutex
	blocks map[index.Seq]verdictBlock // by the first bits of Seq
}

// A verdictBlock has a bit for each Seq of a block.
type verdictBlock struct{ known, permitted uint64 }

// blockBits is the logarithm of the number of Seq in a block.
const blockBits = 6

// A verdict is what is known about a version.
type verdict uint8

const (
	unknown verdict = iota
	denied
	permitted
)

func blockOf(seq index.Seq) (block index.Seq, bit uint64) {
	return seq >> blockBits, 1 << (uint64(seq) & (1<<blockBits - 1)) //nolint:gosec // only its lowest bits count
}

// about returns the verdicts about versions, and how many there are of each.
func (v *verdicts) about(seqs []index.Seq) (list []verdict, count [3]int) {
	list = make([]verdict, len(seqs))
	v.mu.RLock()
	defer v.mu.RUnlock()
	var block verdictBlock
	last := index.Seq(-1)
	for i, seq := range seqs {
		at, bit := blockOf(seq)
		if at != last {
			block, last = v.blocks[at], at
		}
		switch {
		case block.permitted&bit != 0:
			list[i] = permitted
		case block.known&bit != 0:
			list[i] = denied
		}
		count[list[i]]++
	}
	return list, count
}

// note adds verdicts about versions, except unknown ones. It returns by how many blocks there are more.
func (v *verdicts) note(seqs []index.Seq, list []verdict) (more int) {
	if !slices.ContainsFunc(list, func(x verdict) bool { return x != unknown }) {
		return 0
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	before := len(v.blocks)
	for i, seq := range seqs {
		if list[i] == unknown {
			continue
		}
		if len(v.blocks) >= maxBlocksOfGrant {
			clear(v.blocks)
		}
		at, bit := blockOf(seq)
		block := v.blocks[at]
		block.known |= bit
		if list[i] == permitted {
			block.permitted |= bit
		}
		v.blocks[at] = block
	}
	return len(v.blocks) - before
}
