package audit

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"strconv"
)

// A line of the log is a JSON object: first the number of the line ("n"), then the members of a Record,
// and last the sum of the line ("sum"). The sum is over the sum of the line before it and the bytes of
// the line up to the sum, so that no line can be changed, added or removed between two others without
// changing all sums after it. The first line of a file (EventFile) also has the sum of the last line
// of the file before it ("previous").

// Limits of what is read. The writer stays far below them.
const (
	// MaxLine is the longest line in bytes.
	MaxLine = 1 << 20
	// SumSize is the size of a sum in bytes.
	SumSize = sha256.Size
)

// ErrLine is wrapped by the error of a text that is no line of an audit log.
var ErrLine = errors.New("not a line of an audit log")

// A Sum joins a line to all lines before it.
type Sum [SumSize]byte

// String returns the sum as in the log: base64url without padding.
func (s Sum) String() string { return base64.RawURLEncoding.EncodeToString(s[:]) }

// ParseSum parses the text of a sum.
func ParseSum(text string) (s Sum, err error) {
	n, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(n) != SumSize {
		return s, fmt.Errorf("%.60q is not the sum of a line of an audit log, which has 43 letters and digits", text)
	}
	return Sum(n), nil
}

// A Chain computes the sums of lines. With a key, only its holders can compute them.
type Chain struct {
	hash hash.Hash
	sum  Sum
}

// NewChain returns a chain with a key, or without one if it is empty.
func NewChain(key []byte) *Chain {
	if len(key) == 0 {
		return &Chain{hash: sha256.New()}
	}
	return &Chain{hash: hmac.New(sha256.New, key)}
}

// Sum returns the sum of the last line.
func (c *Chain) Sum() Sum { return c.sum }

// Continue continues after the line that has the sum.
func (c *Chain) Continue(after Sum) { c.sum = after }

// next moves on to the line whose bytes before the sum are given.
func (c *Chain) next(line []byte) Sum {
	c.hash.Reset()
	_, _ = c.hash.Write(c.sum[:]) // a hash never fails
	_, _ = c.hash.Write(line)
	c.hash.Sum(c.sum[:0])
	return c.sum
}

// sumMember begins the end of a line: the sum, its quotation mark and the brace.
const (
	sumMember = `,"sum":"`
	endSize   = len(sumMember) + 43 + len(`"}`)
)

// AppendLine appends line n of the log, with its line feed. The members are those of Record.Append. The first
// line of a file states previous, other lines have nil.
func (c *Chain) AppendLine(dst []byte, n uint64, members []byte, previous *Sum) []byte {
	start := len(dst)
	dst = strconv.AppendUint(append(dst, `{"n":`...), n, 10)
	dst = append(append(dst, ','), members...)
	if previous != nil {
		dst = append(dst, `,"previous":"`...)
		dst = append(base64.RawURLEncoding.AppendEncode(dst, previous[:]), '"')
	}
	sum := c.next(dst[start:])
	dst = append(dst, sumMember...)
	dst = base64.RawURLEncoding.AppendEncode(dst, sum[:])
	return append(dst, '"', '}', '\n')
}

// A Line is a line that was read.
type Line struct {
	N uint64 `json:"n"`
	Record
	Previous string `json:"previous,omitempty"`
	Sum      string `json:"sum"`
}

// ParseLine parses a line without its line feed.
func ParseLine(text []byte) (l Line, err error) {
	if len(text) > MaxLine {
		return l, fmt.Errorf("%w: it has more than %d bytes", ErrLine, MaxLine)
	}
	if len(text) < endSize || !bytes.HasPrefix(text, []byte(`{"n":`)) || !bytes.HasPrefix(text[len(text)-endSize:], []byte(sumMember)) {
		return l, fmt.Errorf("%w: it does not begin with its number and end with its sum", ErrLine)
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("%w: %w", ErrLine, err)
	}
	return l, nil
}

// Check compares the sum of a line with that which the chain expects, and moves on to the line in
// either case, so that each break is found once. The text is without its line feed, and was parsed to l.
func (c *Chain) Check(text []byte, l *Line) bool {
	stated, err := ParseSum(l.Sum)
	same := c.next(text[:len(text)-endSize]) == stated && err == nil
	c.sum = stated
	return same
}
