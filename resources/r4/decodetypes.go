package r4

// ReadCoding consumes a Coding and overwrites c.
func ReadCoding(s *Scanner, c *Coding) {
	*c = Coding{}
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "system":
			readText(s, &c.System)
		case "version":
			readText(s, &c.Version)
		case "code":
			readText(s, &c.Code)
		case "display":
			readText(s, &c.Display)
		case "userSelected":
			readBoolean(s, &c.UserSelected)
		default:
			s.Skip()
		}
	}
}

// ReadCodeableConcept consumes a CodeableConcept and overwrites c.
func ReadCodeableConcept(s *Scanner, c *CodeableConcept) {
	*c = CodeableConcept{}
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "coding":
			readList(s, &c.Coding, ReadCoding)
		case "text":
			readText(s, &c.Text)
		default:
			s.Skip()
		}
	}
}

// ReadDesignation consumes a designation and overwrites d.
func ReadDesignation(s *Scanner, d *Designation) {
	*d = Designation{}
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "language":
			readText(s, &d.Language)
		case "use":
			d.Use = new(Coding)
			ReadCoding(s, d.Use)
		case "value":
			readText(s, &d.Value)
		case "extension":
			readExtensions(s, &d.Extension)
		default:
			s.Skip()
		}
	}
}

func readIdentifier(s *Scanner, i *Identifier) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "use":
			readText(s, &i.Use)
		case "system":
			readText(s, &i.System)
		case "value":
			readText(s, &i.Value)
		default:
			s.Skip()
		}
	}
}

func readMeta(s *Scanner, m *Meta) {
	if !s.Object() {
		return
	}
	for s.Member() {
		switch string(s.Name()) {
		case "versionId":
			readText(s, &m.VersionID)
		case "lastUpdated":
			readText(s, &m.LastUpdated)
		case "profile":
			readTexts(s, &m.Profile)
		case "tag":
			readList(s, &m.Tag, ReadCoding)
		default:
			s.Skip()
		}
	}
}
