package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Sizes of the format.
const (
	header    = 13 // bytes: properties, size of the dictionary, size of the text
	states    = 12
	minLength = 2
)

// maxText limits the size of a text in bytes.
const maxText = 8 << 20

var (
	errShort   = errors.New("the file ends early")
	errCorrupt = errors.New("the file refers to text before its beginning")
)

// prob is the probability, in 2048ths, that the next bit at a place is 0.
type prob = uint16

// lengths codes the length of a repetition.
type lengths struct {
	choice   [2]prob
	low, mid [16][8]prob
	high     [256]prob
}

// decoder is the state of a range decoder with what the format makes depend on what came before.
type decoder struct {
	in          string
	at          int // where the rest of in begins; behind its end if that is short
	code, width uint32
	text        []byte

	literalContext, literalPosition uint32
	literals                        []prob
	isMatch, isRepeat0Long          [states][16]prob
	isRepeat, isRepeat0             [states]prob
	isRepeat1, isRepeat2            [states]prob
	slots                           [4][64]prob
	special                         [128]prob
	align                           [16]prob
	first, again                    lengths
}

// Text returns the text of a file in the format .lzma of the LZMA SDK. A file that does not state the
// size of its text, or has more than 8 MiB, is an error.
func Text(file string) ([]byte, error) {
	if len(file) < header+5 || file[0] >= 9*5*5 {
		return nil, errShort
	}
	size := binary.LittleEndian.Uint64([]byte(file[5:header]))
	if size > maxText {
		return nil, fmt.Errorf("a text of %d bytes", size)
	}
	properties := uint32(file[0])
	d := &decoder{
		in: file[header+5:], code: binary.BigEndian.Uint32([]byte(file[header+1:])), width: 0xffffffff,
		text:           make([]byte, 0, size),
		literalContext: properties % 9, literalPosition: properties / 9 % 5,
	}
	positions := uint32(1)<<(properties/45) - 1
	d.literals = make([]prob, 0x300<<(d.literalContext+d.literalPosition))
	d.reset()
	if err := d.read(positions); err != nil {
		return nil, err
	}
	return d.text, nil
}

// reset makes all bits equally probable.
func (d *decoder) reset() {
	even(d.literals, d.isRepeat[:], d.isRepeat0[:], d.isRepeat1[:], d.isRepeat2[:], d.special[:], d.align[:])
	for i := range states {
		even(d.isMatch[i][:], d.isRepeat0Long[i][:])
	}
	for i := range d.slots {
		even(d.slots[i][:])
	}
	for _, l := range []*lengths{&d.first, &d.again} {
		even(l.choice[:], l.high[:])
		for i := range l.low {
			even(l.low[i][:], l.mid[i][:])
		}
	}
}

func even(lists ...[]prob) {
	for _, list := range lists {
		for i := range list {
			list[i] = 1024
		}
	}
}

// read decodes the text: literals, and repetitions of earlier text at a new distance or at one of the
// last four. What comes next depends on the kinds of the last few, the state.
func (d *decoder) read(positions uint32) error {
	var state uint32
	var last [4]uint32 // distances
	for len(d.text) < cap(d.text) && d.at <= len(d.in) {
		at := uint32(len(d.text)) & positions
		if d.bit(&d.isMatch[state][at]) == 0 {
			d.literal(state >= 7, last[0])
			state -= min(state, 3+state/10*3)
			continue
		}
		after := state / 7 * 3 // of what follows a repetition
		length := uint32(1)
		switch {
		case d.bit(&d.isRepeat[state]) == 0:
			length = minLength + d.length(&d.first, at)
			state = 7 + after
			last = [4]uint32{d.distance(length), last[0], last[1], last[2]}
		case d.bit(&d.isRepeat0[state]) == 0:
			if d.bit(&d.isRepeat0Long[state][at]) == 0 {
				state = min(9+after, 11)
				break
			}
			length = minLength + d.length(&d.again, at)
			state = 8 + after
		default:
			which := d.bit(&d.isRepeat1[state])
			if which == 1 {
				which += d.bit(&d.isRepeat2[state])
			}
			distance := last[which+1]
			copy(last[1:which+2], last[:])
			last[0] = distance
			length = minLength + d.length(&d.again, at)
			state = 8 + after
		}
		if last[0] >= uint32(len(d.text)) {
			return errCorrupt
		}
		from := len(d.text) - int(last[0]) - 1
		for n := min(int(length), cap(d.text)-len(d.text)); n > 0; { // it may repeat itself
			part := d.text[from:min(from+n, len(d.text))]
			d.text = append(d.text, part...)
			n -= len(part)
		}
	}
	if d.at > len(d.in) {
		return errShort
	}
	return nil
}

// bit decodes a bit and adapts its probability.
func (d *decoder) bit(p *prob) uint32 {
	bound := d.width >> 11 * uint32(*p)
	var bit uint32
	if d.code < bound {
		d.width = bound
		*p += (2048 - *p) >> 5
	} else {
		d.width -= bound
		d.code -= bound
		*p -= *p >> 5
		bit = 1
	}
	if d.width < 1<<24 {
		d.fill()
	}
	return bit
}

func (d *decoder) fill() {
	d.width <<= 8
	d.code <<= 8
	if d.at < len(d.in) {
		d.code |= uint32(d.in[d.at])
	}
	d.at++
}

// number decodes n bits, the highest first.
func (d *decoder) number(tree []prob, n int) uint32 {
	m := uint32(1)
	for range n {
		m = m<<1 | d.bit(&tree[m])
	}
	return m - 1<<n
}

// reversed decodes n bits, the lowest first.
func (d *decoder) reversed(tree []prob, n int) (number uint32) {
	m := uint32(1)
	for i := range n {
		bit := d.bit(&tree[m])
		m = m<<1 | bit
		number |= bit << i
	}
	return number
}

// literal decodes a byte. After a repetition, it depends on the byte that would continue it.
func (d *decoder) literal(repeated bool, distance uint32) {
	var before uint32
	if n := len(d.text); n > 0 {
		before = uint32(d.text[n-1])
	}
	position := uint32(len(d.text)) & (1<<d.literalPosition - 1)
	tree := d.literals[0x300*(position<<d.literalContext+before>>(8-d.literalContext)):]
	c := uint32(1)
	if repeated {
		expected := uint32(d.text[len(d.text)-int(distance)-1])
		for c < 0x100 {
			expected <<= 1
			want := expected >> 8 & 1
			bit := d.bit(&tree[0x100+want<<8+c])
			c = c<<1 | bit
			if bit != want {
				break
			}
		}
	}
	for c < 0x100 {
		c = c<<1 | d.bit(&tree[c])
	}
	d.text = append(d.text, byte(c))
}

// length decodes the length of a repetition, less minLength.
func (d *decoder) length(l *lengths, at uint32) uint32 {
	switch {
	case d.bit(&l.choice[0]) == 0:
		return d.number(l.low[at][:], 3)
	case d.bit(&l.choice[1]) == 0:
		return 8 + d.number(l.mid[at][:], 3)
	}
	return 16 + d.number(l.high[:], 8)
}

// distance decodes the distance of a repetition, less 1.
func (d *decoder) distance(length uint32) uint32 {
	slot := d.number(d.slots[min(length-minLength, 3)][:], 6)
	if slot < 4 {
		return slot
	}
	n := int(slot/2 - 1)
	distance := (2 | slot&1) << n
	if slot < 14 {
		return distance + d.reversed(d.special[distance-slot:], n)
	}
	for i := range n - 4 {
		d.width >>= 1
		if d.code >= d.width {
			d.code -= d.width
			distance += 1 << (n - 1 - i)
		}
		if d.width < 1<<24 {
			d.fill()
		}
	}
	return distance + d.reversed(d.align[:], 4)
}
