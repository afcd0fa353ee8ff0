package r4

// A CodeUse is a code that resources have, and which ones.
type CodeUse struct {
	Code      string
	Resources int            // that have it
	Types     map[string]int // the same by type
	First     []string       // the first of them, as Type/id
}

// Add counts a resource, and names it unless there are already as many as first.
func (u *CodeUse) Add(typ, id string, first int) {
	u.Resources++
	u.Types[typ]++
	if len(u.First) < first {
		u.First = append(u.First, typ+"/"+id)
	}
}
