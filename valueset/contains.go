package valueset

// Contains looks up a code. An empty version matches any version in the set. An empty system is
// allowed if the code belongs to exactly one system of the set; see Find, which distinguishes
// ambiguous codes from absent ones. Contains allocates nothing if the system is set.
func (s *Set) Contains(system, version, code string) (e Entry, ok bool) {
	if system == "" {
		e, ok, err := s.Find(system, version, code)
		return e, ok && err == nil
	}
	ok = s.find(&e, system, version, code)
	return e, ok
}

// Find is like Contains, but returns an *AmbiguousSystemError with the candidates for a code
// without a system that belongs to several systems of the set.
func (s *Set) Find(system, version, code string) (e Entry, ok bool, err error) {
	if system != "" {
		ok = s.find(&e, system, version, code)
		return e, ok, nil
	}
	var candidates []Entry
	for _, c := range s.Infer(code) {
		if c.fits(version) {
			candidates = append(candidates, c)
		}
	}
	if len(candidates) == 0 {
		return Entry{}, false, nil
	}
	for _, c := range candidates[1:] {
		if c.System != candidates[0].System {
			return Entry{}, false, &AmbiguousSystemError{Code: code, Candidates: candidates}
		}
	}
	return candidates[0], true, nil
}

func (s *Set) find(e *Entry, system, version, code string) bool {
	if s.bySystem == nil {
		for i := range s.groups {
			if g := &s.groups[i]; g.system == system && g.find(e, version, code) {
				return true
			}
		}
	} else {
		for _, i := range s.bySystem[system] {
			if s.groups[i].find(e, version, code) {
				return true
			}
		}
	}
	if c := s.findLoose(system, version, code); c != nil {
		c.fill(e)
		return true
	}
	return false
}

func (g *group) find(e *Entry, version, code string) bool {
	if version != "" && version != g.version {
		return false
	}
	o, ok := g.index.Find(code)
	if !ok || !g.members.Contains(o) {
		return false
	}
	g.fill(e, o)
	return true
}

func (s *Set) findLoose(system, version, code string) *looseCode {
	i, ok := s.looseAt[looseKey{system, code}]
	for ok && i >= 0 {
		c := &s.loose[i]
		if sameVersion(c.version, version) {
			return c
		}
		i = c.next
	}
	return nil
}
