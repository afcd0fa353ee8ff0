package synth

import "math/bits"

// A stream is a deterministic sequence of random numbers: SplitMix64 (Steele, Lea, Flood: Fast
// splittable pseudorandom number generators, 2014). It uses only unsigned integers.
type stream struct{ state uint64 }

// newStream returns the stream for a sequence of numbers. Different numbers produce different
// streams.
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

// below returns a uniformly distributed number in [0, n). n must be positive. It takes the upper
// half of a 128-bit product and draws again where the result would be biased (Lemire: Fast random
// integer generation in an interval, 2019).
func (s *stream) below(n int) int {
	bound := uint64(n)
	high, low := bits.Mul64(s.next(), bound)
	if low < bound {
		for unfair := -bound % bound; low < unfair; {
			high, low = bits.Mul64(s.next(), bound)
		}
	}
	return int(high)
}

// between returns a number from low to high, inclusive.
func (s *stream) between(low, high int) int { return low + s.below(high-low+1) }

// around returns a number from low to high, with a preference for the middle: the mean of three
// draws.
func (s *stream) around(low, high int) int {
	n := high - low + 1
	return low + (s.below(n)+s.below(n)+s.below(n))/3
}

// percent returns true in p of 100 cases.
func (s *stream) percent(p int) bool { return s.below(100) < p }

// weighted draws an index into weights, each with the probability of its weight.
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

// one draws one text of a list.
func (s *stream) one(list []string) string { return list[s.below(len(list))] }

// hash returns the number that represents a text in newStream: FNV-1a.
func hash(text string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3
	}
	return h
}
