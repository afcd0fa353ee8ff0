package r4

// DecodeConceptMap decodes a ConceptMap. It also accepts the names of R5: relationship, noMap,
// sourceScope, targetScope, use-source-code, otherMap.
func DecodeConceptMap(data []byte) (*ConceptMap, error) {
	m := new(ConceptMap)
	if err := decodeResource(data, "ConceptMap", &m.ResourceType, m.readConceptMapMember); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *ConceptMap) readConceptMapMember(s *Scanner, name []byte) {
	switch string(name) {
	case "sourceUri", "sourceScopeUri":
		readText(s, &m.SourceURI)
	case "sourceCanonical", "sourceScopeCanonical":
		readText(s, &m.SourceCanonical)
	case "targetUri", "targetScopeUri":
		readText(s, &m.TargetURI)
	case "targetCanonical", "targetScopeCanonical":
		readText(s, &m.TargetCanonical)
	case "group":
		readList(s, &m.Group, readGroup)
	default:
		if !m.readMember(s, name) {
			s.Skip()
		}
	}
}

func readGroup(s *Scanner, g *ConceptMapGroup) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "source":
			readText(s, &g.Source)
		case "sourceVersion":
			readText(s, &g.SourceVersion)
		case "target":
			readText(s, &g.Target)
		case "targetVersion":
			readText(s, &g.TargetVersion)
		case "element":
			readList(s, &g.Element, readElement)
		case "unmapped":
			g.Unmapped = new(ConceptMapUnmapped)
			readUnmapped(s, g.Unmapped)
		default:
			s.Skip()
		}
	}
}

func readElement(s *Scanner, e *ConceptMapElement) {
	if !s.Object() {
		return
	}
	noMap := false
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			readText(s, &e.Code)
		case "display":
			readText(s, &e.Display)
		case "target":
			readList(s, &e.Target, readTarget)
		case "noMap":
			noMap = s.Boolean()
		default:
			s.Skip()
		}
	}
	if noMap && len(e.Target) == 0 {
		e.Target = []ConceptMapTarget{{Equivalence: "unmatched"}}
	}
}

func readTarget(s *Scanner, t *ConceptMapTarget) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			readText(s, &t.Code)
		case "display":
			readText(s, &t.Display)
		case "equivalence":
			t.Equivalence = equivalence(s.Text())
		case "relationship":
			if code := s.Text(); t.Equivalence == "" {
				t.Equivalence = relationship(code)
			}
		case "comment":
			readText(s, &t.Comment)
		case "dependsOn":
			readList(s, &t.DependsOn, readDependsOn)
		case "product":
			readList(s, &t.Product, readDependsOn)
		default:
			s.Skip()
		}
	}
}

// equivalence returns the code, without allocating for the codes that FHIR defines.
func equivalence(code []byte) string {
	switch string(code) {
	case "relatedto":
		return "relatedto"
	case "equivalent":
		return "equivalent"
	case "equal":
		return "equal"
	case "wider":
		return "wider"
	case "subsumes":
		return "subsumes"
	case "narrower":
		return "narrower"
	case "specializes":
		return "specializes"
	case "inexact":
		return "inexact"
	case "unmatched":
		return "unmatched"
	case "disjoint":
		return "disjoint"
	}
	return string(code)
}

// relationship returns the R4 equivalence of an R5 relationship, which is expressed from the
// opposite side: a narrower source has a wider target.
func relationship(code []byte) string {
	switch string(code) {
	case "related-to":
		return "relatedto"
	case "source-is-narrower-than-target":
		return "wider"
	case "source-is-broader-than-target":
		return "narrower"
	case "not-related-to":
		return "disjoint"
	}
	return equivalence(code)
}

func readDependsOn(s *Scanner, d *ConceptMapDependsOn) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "property":
			readText(s, &d.Property)
		case "system":
			readText(s, &d.System)
		case "value":
			readText(s, &d.Value)
		case "display":
			readText(s, &d.Display)
		default:
			s.Skip()
		}
	}
}

func readUnmapped(s *Scanner, u *ConceptMapUnmapped) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "mode":
			readText(s, &u.Mode)
		case "code":
			readText(s, &u.Code)
		case "display":
			readText(s, &u.Display)
		case "url", "otherMap":
			readText(s, &u.URL)
		default:
			s.Skip()
		}
	}
	if u.Mode == "use-source-code" {
		u.Mode = "provided"
	}
}
