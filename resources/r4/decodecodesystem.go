package r4

import "slices"

// DecodeCodeSystem decodes the header of a CodeSystem: everything except its concepts, which are
// only checked as JSON (codesystem/loader/fhir streams them).
func DecodeCodeSystem(data []byte) (*CodeSystem, error) {
	c := new(CodeSystem)
	if err := decodeResource(data, "CodeSystem", &c.ResourceType, c.readCodeSystemMember); err != nil {
		return nil, err
	}
	return c, nil
}

// ReadMember consumes the value of a member of a CodeSystem, and stores it if it is an element of
// the header.
func (c *CodeSystem) ReadMember(s *Scanner) { c.readCodeSystemMember(s, s.Name()) }

func (c *CodeSystem) readCodeSystemMember(s *Scanner, name []byte) {
	switch string(name) {
	case "caseSensitive":
		readBoolean(s, &c.CaseSensitive)
	case "valueSet":
		readText(s, &c.ValueSet)
	case "hierarchyMeaning":
		readText(s, &c.HierarchyMeaning)
	case "compositional":
		c.Compositional = s.Boolean()
	case "versionNeeded":
		c.VersionNeeded = s.Boolean()
	case "content":
		readText(s, &c.Content)
	case "supplements":
		readText(s, &c.Supplements)
	case "count":
		readInteger(s, &c.Count)
	case "filter":
		readList(s, &c.Filter, readCodeSystemFilter)
	case "property":
		readList(s, &c.Property, readCodeSystemProperty)
	default:
		if !c.readMember(s, name) {
			s.Skip()
		}
	}
}

func readCodeSystemFilter(s *Scanner, f *CodeSystemFilter) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			readText(s, &f.Code)
		case "description":
			readText(s, &f.Description)
		case "operator":
			readTexts(s, &f.Operator)
		case "_operator":
			readList(s, &f.Operator, func(s *Scanner, op *string) {
				if !s.Null() {
					readOpExtension(s, operatorExtension, op)
				}
			})
			f.Operator = slices.DeleteFunc(f.Operator, func(op string) bool { return op == "" })
		case "value":
			readText(s, &f.Value)
		default:
			s.Skip()
		}
	}
}

func readCodeSystemProperty(s *Scanner, p *CodeSystemProperty) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			readText(s, &p.Code)
		case "uri":
			readText(s, &p.URI)
		case "description":
			readText(s, &p.Description)
		case "type":
			readText(s, &p.Type)
		default:
			s.Skip()
		}
	}
}
