package rf2

import "strings"

// texts stores many short texts in blocks, without a string header for each.
type texts struct {
	blocks []*strings.Builder
}

// A text is the position of a text: block, offset and length.
type text uint64

const (
	// textBlock is the size of a block: offset and length take 20 bits each. The first block is
	// smaller, for small releases.
	textBlock  = 1 << 20
	firstBlock = 16 << 10
)

// add stores a copy of a text shorter than a block, as the texts of a row are (maxLine).
func (t *texts) add(s []byte) text {
	if len(s) == 0 {
		return 0
	}
	last := len(t.blocks) - 1
	if last < 0 || t.blocks[last].Len()+len(s) > min(t.blocks[last].Cap(), textBlock) {
		size := textBlock
		if last < 0 {
			size = max(len(s), firstBlock)
		}
		b := new(strings.Builder)
		b.Grow(size)
		t.blocks = append(t.blocks, b)
		last++
	}
	b := t.blocks[last]
	at := text(last)<<40 | text(b.Len())<<20 | text(len(s))
	b.Write(s)
	return at
}

// at returns a text.
func (t *texts) at(x text) string {
	if x == 0 {
		return ""
	}
	from, size := int(x>>20&(textBlock-1)), int(x&(textBlock-1))
	return t.blocks[x>>40].String()[from : from+size]
}
