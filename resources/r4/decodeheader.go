package r4

// DecodeHeader decodes the elements that resources have in common. Elements from url on are decoded
// only for CodeSystem, ValueSet and ConceptMap, where all of them have the types of Header; for
// other types only id, meta and language are.
func DecodeHeader(data []byte) (*Header, error) {
	base := new(Header)
	var s Scanner
	s.ResetBytes(data, DefaultLimits())
	if s.Object() {
		for s.Member() {
			base.readBase(&s)
		}
		if base.ResourceType == "" {
			s.Fail("required", "the element resourceType is missing")
		}
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	switch base.ResourceType {
	case "CodeSystem", "ValueSet", "ConceptMap":
	default:
		return base, nil
	}
	h := new(Header)
	err := decodeResource(data, base.ResourceType, &h.ResourceType, func(s *Scanner, name []byte) {
		if !h.readMember(s, name) {
			s.Skip()
		}
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// readBase consumes the value of a member, and stores it if it is an element of every resource.
func (h *Header) readBase(s *Scanner) {
	switch string(s.Name()) {
	case "resourceType":
		readText(s, &h.ResourceType)
	case "id":
		readText(s, &h.ID)
	case "language":
		readText(s, &h.Language)
	case "meta":
		h.Meta = new(Meta)
		readMeta(s, h.Meta)
	default:
		s.Skip()
	}
}

// readMember consumes the value of the member with a name if it is an element of the header, and
// reports whether it is.
func (h *Header) readMember(s *Scanner, name []byte) bool {
	switch string(name) {
	case "resourceType":
		readText(s, &h.ResourceType)
	case "id":
		readText(s, &h.ID)
	case "meta":
		h.Meta = new(Meta)
		readMeta(s, h.Meta)
	case "language":
		readText(s, &h.Language)
	case "extension":
		readRaw(s, &h.Extension)
	case "url":
		readText(s, &h.URL)
	case "identifier":
		readIdentifiers(s, &h.Identifier)
	case "version":
		readText(s, &h.Version)
	case "name":
		readText(s, &h.Name)
	case "title":
		readText(s, &h.Title)
	case "status":
		readText(s, &h.Status)
	case "experimental":
		readBoolean(s, &h.Experimental)
	case "date":
		readText(s, &h.Date)
	case "publisher":
		readText(s, &h.Publisher)
	case "description":
		readText(s, &h.Description)
	case "copyright":
		readText(s, &h.Copyright)
	default:
		return false
	}
	return true
}

// readIdentifiers consumes an array of identifiers or, as in ConceptMap, a single identifier.
func readIdentifiers(s *Scanner, list *IdentifierList) {
	if s.Kind() == KindObject {
		*list = make(IdentifierList, 1)
		readIdentifier(s, &(*list)[0])
		return
	}
	readList(s, (*[]Identifier)(list), readIdentifier)
}
