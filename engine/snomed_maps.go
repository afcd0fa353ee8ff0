package engine

// fittingRefsets returns the implicit concept maps of the default edition of SNOMED CT that
// go between the value sets and systems of a request that names no map; none when the
// request is not about SNOMED CT.
func fittingRefsets(st *state, req *TranslateRequest) ([]*mapIndex, error) {
	if !req.about(snomedSystem) {
		return nil, nil
	}
	r, _ := st.shelf(kindCodeSystem).find(snomedSystem, "")
	if r == nil || r.Content == "not-present" {
		return nil, nil
	}
	x, err := r.content()
	if err != nil {
		return nil, err
	}
	var maps []*mapIndex
	for _, code := range x.Refsets() {
		m, err := r.refsetMap(code)
		if err != nil {
			return nil, err
		}
		if m == nil {
			continue
		}
		if found := refsetIndex(m, snomedSystem, snomedSystem+implicitMapMark+code, ""); fits(found, req) {
			maps = append(maps, found)
		}
	}
	return maps, nil
}

// about reports that a request translates from or to a code system.
func (req *TranslateRequest) about(system string) bool {
	if canonicalURL(req.System) == system || req.TargetSystem == system || req.Coding != nil && req.Coding.System == system {
		return true
	}
	if req.CodeableConcept == nil {
		return false
	}
	for i := range req.CodeableConcept.Coding {
		if req.CodeableConcept.Coding[i].System == system {
			return true
		}
	}
	return false
}
