package synth

import "math/bits"

// A stream is a sequence of random numbers that follows from what it was made of: SplitMix64
// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). Nothing but
// unsigned integers is involved.
type stream struct{ state uint64 }

// newStream makes the stream of some numbers: any other numbers give another stream.
func newStream(parts ...uint64) stream {
	s := stream{0x524f474554} // not 0, whose stream begins with 0
	for _, p := range parts {
		s.state = s.next() ^ p
	}
	s.state = s.next()
	return s
}

// next returns the next 64 bits.
func (s *stream) next() uint64 {
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below returns a number from 0 up to, not with, n, all equally likely; n is positive. The
// upper half of a product of 128 bits is taken, and what would be unfair is drawn again
// (Lemire: Fast random integer generation in an interval, 2019).
func (s *stream) below(n int) int {
	most := uint64(n)
	high, low := bits.Mul64(s.next(), most)
	if low < most {
		for unfair := -most % most; low < unfair; {
			high, low = bits.Mul64(s.next(), most)
		}
	}
	return int(high)
}

// between returns a number from low to high, both included.
func (s *stream) between(low, high int) int { return low + s.below(high-low+1) }

// around returns a number from low to high, those in the middle most often: the mean of three.
func (s *stream) around(low, high int) int {
	n := high - low + 1
	return low + (s.below(n)+s.below(n)+s.below(n))/3
}

// percent is true in p of 100 cases.
func (s *stream) percent(p int) bool { return s.below(100) < p }

// weighted returns the number of a weight, each as often as the weight says.
func (s *stream) weighted(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := s.below(sum)
	for i, w := range weights {
		if at -= w; at < 0 {
			return i
		}
	}
	return len(weights) - 1
}

// one returns one of a list of texts.
func (s *stream) one(list []string) string { return list[s.below(len(list))] }

// hash returns the number that a text stands for in newStream: FNV-1a.
func hash(text string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return h
}
