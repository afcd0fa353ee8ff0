package engine

// With returns an engine that answers from the resources of e and from entries, which
// beat those of e: for resources that come with one request. It costs what publishing
// the entries costs; e is not changed, and what is published to e later is not seen.
// Compiled value sets of e are not used, as they may depend on what entries replace.
func (e *Engine) With(entries ...*Entry) (*Engine, error) {
	return e.with(e.state.Load(), entries)
}

// with is With on a state of e.
func (e *Engine) with(st *state, entries []*Entry) (*Engine, error) {
	for _, entry := range entries {
		if _, err := entry.check(); err != nil {
			return nil, err
		}
	}
	over := &Engine{
		cache: e.cache, cacheBytes: e.cacheBytes, views: e.views, observer: e.observer, log: e.log, now: e.now,
		strict: e.strict, defaultCount: e.defaultCount, maxCount: e.maxCount, wholeLimit: e.wholeLimit, generations: e.generations, seqs: e.seqs,
	}
	c := st.change()
	for _, entry := range entries {
		k, _ := kindOf(entry.Header.ResourceType)
		entry.name()
		c.add(k, &record{Entry: entry, layer: layerRequest, seq: e.seqs.Add(1)})
	}
	c.next.generation = e.generations.Add(1)
	over.install(c.next)
	return over, nil
}
