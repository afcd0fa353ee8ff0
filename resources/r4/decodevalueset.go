package r4

import "encoding/json"

// DecodeValueSet decodes a ValueSet. A filter operator of R5 that the document has in the
// cross-version extension on _op is stored in Filter.Op.
func DecodeValueSet(data []byte) (*ValueSet, error) {
	v := new(ValueSet)
	if err := decodeResource(data, "ValueSet", &v.ResourceType, v.readValueSetMember); err != nil {
		return nil, err
	}
	return v, nil
}

func (v *ValueSet) readValueSetMember(s *Scanner, name []byte) {
	switch string(name) {
	case "immutable":
		readBoolean(s, &v.Immutable)
	case "contained":
		readList(s, &v.Contained, func(s *Scanner, raw *json.RawMessage) {
			if s.want(KindObject) {
				readRaw(s, raw)
			}
		})
	case "compose":
		v.Compose = new(Compose)
		readCompose(s, v.Compose)
	case "expansion":
		v.Expansion = new(Expansion)
		readExpansion(s, v.Expansion)
	default:
		if !v.readMember(s, name) {
			s.Skip()
		}
	}
}

func readCompose(s *Scanner, c *Compose) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "lockedDate":
			readText(s, &c.LockedDate)
		case "inactive":
			readBoolean(s, &c.Inactive)
		case "include":
			readList(s, &c.Include, readInclude)
		case "exclude":
			readList(s, &c.Exclude, readInclude)
		case "property":
			readTexts(s, &c.Property)
		case "extension":
			readExtensions(s, &c.Extension)
		default:
			s.Skip()
		}
	}
}

func readInclude(s *Scanner, i *Include) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "system":
			readText(s, &i.System)
		case "version":
			readText(s, &i.Version)
		case "concept":
			readList(s, &i.Concept, readConceptReference)
		case "filter":
			readList(s, &i.Filter, readFilter)
		case "valueSet":
			readTexts(s, &i.ValueSet)
		case "extension":
			readExtensions(s, &i.Extension)
		default:
			s.Skip()
		}
	}
}

func readConceptReference(s *Scanner, c *ConceptReference) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "code":
			readText(s, &c.Code)
		case "display":
			readText(s, &c.Display)
		case "designation":
			readList(s, &c.Designation, ReadDesignation)
		case "extension":
			readExtensions(s, &c.Extension)
		default:
			s.Skip()
		}
	}
}

func readFilter(s *Scanner, f *Filter) {
	if !s.Object() {
		return
	}
	var extended string
	for s.Member() {
		switch string(s.Name()) {
		case "property":
			readText(s, &f.Property)
		case "op":
			readText(s, &f.Op)
		case "_op":
			readOpExtension(s, opExtension, &extended)
		case "value":
			readText(s, &f.Value)
		default:
			s.Skip()
		}
	}
	if extended != "" {
		f.Op = extended
	}
}

// readOpExtension consumes what is beside an operator and stores the operator in the cross-version
// extension with a url.
func readOpExtension(s *Scanner, extension string, op *string) {
	if !s.Object() {
		return
	}
	for s.Member() {
		if string(s.Name()) != "extension" {
			s.Skip()
			continue
		}
		if !s.Array() {
			return
		}
		for s.Element() {
			var url, code string
			if !s.Object() {
				return
			}
			for s.Member() {
				switch string(s.Name()) {
				case "url":
					readText(s, &url)
				case "valueCode":
					readText(s, &code)
				default:
					s.Skip()
				}
			}
			if url == extension {
				*op = code
			}
		}
	}
}

func readExpansion(s *Scanner, e *Expansion) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "identifier":
			readText(s, &e.Identifier)
		case "timestamp":
			readText(s, &e.Timestamp)
		case "total":
			readInteger(s, &e.Total)
		case "contains":
			readList(s, &e.Contains, readContains)
		default:
			s.Skip()
		}
	}
}

func readContains(s *Scanner, c *ExpansionContains) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "system":
			readText(s, &c.System)
		case "abstract":
			c.Abstract = s.Boolean()
		case "inactive":
			c.Inactive = s.Boolean()
		case "version":
			readText(s, &c.Version)
		case "code":
			readText(s, &c.Code)
		case "display":
			readText(s, &c.Display)
		case "contains":
			readList(s, &c.Contains, readContains)
		default:
			s.Skip()
		}
	}
}
