package valueset

// Selectable is the set without abstract codes, those that are there to group others
// and not to be picked. It is the set itself when there are none.
func (s *Set) Selectable() *Set {
	abstract := false
	for i := range s.groups {
		drop := s.groups[i].index.AbstractSet()
		abstract = abstract || drop != nil && s.groups[i].members.Intersects(drop)
	}
	for i := range s.loose {
		abstract = abstract || s.loose[i].abstract
	}
	if !abstract {
		return s
	}
	a := newAlgebra()
	a.parts = s.parts()
	for i := range a.parts {
		if x := a.parts[i].index; x != nil {
			a.parts[i].subtract(x.AbstractSet())
		}
	}
	a.excludeLoose(func(c *looseCode) bool { return c.abstract })
	return a.finish(s.canonical, s.imports)
}
