package engine

// Generation is a number that rises with each change of the published code systems and
// value sets, for caches of what is derived from them.
func (e *Engine) Generation() uint64 { return e.state.Load().generation }

// IsDefault reports that a published entry is the one that answers for its url when no
// version is asked for.
func (e *Engine) IsDefault(entry *Entry) bool {
	k, ok := kindOf(entry.Header.ResourceType)
	if !ok {
		return false
	}
	r, _ := e.state.Load().shelves[k].find(entry.Header.URL, "")
	return r != nil && r.Entry == entry
}
