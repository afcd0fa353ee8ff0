package r4

// DecodeConceptMap reads a ConceptMap.
func DecodeConceptMap(data []byte) (*ConceptMap, error) {
	m := new(ConceptMap)
	if err := decodeResource(data, "ConceptMap", &m.ResourceType, m.readConceptMapMember); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *ConceptMap) readConceptMapMember(s *Scanner) {
	switch string(s.Name()) {
	case "sourceUri":
		readText(s, &m.SourceURI)
	case "sourceCanonical":
		readText(s, &m.SourceCanonical)
	case "targetUri":
		readText(s, &m.TargetURI)
	case "targetCanonical":
		readText(s, &m.TargetCanonical)
	case "group":
		readList(s, &m.Group, readGroup)
	default:
		if !m.readMember(s) {
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
			readNew(s, &g.Unmapped, readUnmapped)
		default:
			s.Skip()
		}
	}
}

func readElement(s *Scanner, e *ConceptMapElement) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			readText(s, &e.Code)
		case "display":
			readText(s, &e.Display)
		case "target":
			readList(s, &e.Target, readTarget)
		default:
			s.Skip()
		}
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

// equivalence gives the code without a new string for those FHIR defines.
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
		case "url":
			readText(s, &u.URL)
		default:
			s.Skip()
		}
	}
}
