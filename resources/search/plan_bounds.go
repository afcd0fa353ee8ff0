package search

// bounds are the numbers that plans go by. Reading an entry in order is the cheapest there
// is; a record with its values takes some ten times that, and a look at another place of
// the index more.
type bounds struct {
	// probe is how many entries of each criterion are read to see which has few, and ranges
	// how many ranges it may have for that.
	probe, ranges int
	// union is how many tokens or references are read side by side in the order of Seq.
	union int
	// gather is how many entries of a criterion are read to narrow a walk down.
	gather int
	// patience is how many candidates are looked at before a walk may be narrowed down, and
	// looked how many it may be expected to take without that.
	patience, looked int
	// inner is how many resources at the other end of a chain, or of _has, are gathered to
	// look for what they are linked with. When there are more, each candidate is followed to
	// the other end.
	inner int
	// sorted is how many candidates are gathered and sorted where the index has an order that
	// could be followed instead.
	sorted int
	// batchFirst records are loaded at once, then twice as many each time, up to batchMost;
	// entries are read in the same way.
	batchFirst, batchMost int
	chunkFirst, chunkMost int
}

func defaultBounds() bounds {
	return bounds{
		probe: 256, ranges: 64, union: 16, gather: 1 << 16, patience: 512, looked: 4096,
		inner: 2_000, sorted: 3_000, batchFirst: 64, batchMost: 512, chunkFirst: 64, chunkMost: 1024,
	}
}
