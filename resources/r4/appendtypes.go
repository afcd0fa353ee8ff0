package r4

// AppendCoding appends a Coding as a JSON object without empty elements.
func AppendCoding(dst []byte, c *Coding) []byte {
	o := beginObject(dst)
	o.text("system", c.System)
	o.text("version", c.Version)
	o.text("code", c.Code)
	o.text("display", c.Display)
	o.boolean("userSelected", c.UserSelected)
	return o.end()
}

// AppendCodeableConcept appends a CodeableConcept as a JSON object.
func AppendCodeableConcept(dst []byte, c *CodeableConcept) []byte {
	o := beginObject(dst)
	appendEach(&o, "coding", c.Coding, AppendCoding)
	o.text("text", c.Text)
	return o.end()
}

// AppendDesignation appends a designation as a JSON object.
func AppendDesignation(dst []byte, d *Designation) []byte {
	o := beginObject(dst)
	o.extensions(d.Extension)
	o.text("language", d.Language)
	if d.Use != nil {
		o.name("use")
		o.dst = AppendCoding(o.dst, d.Use)
	}
	o.text("value", d.Value)
	return o.end()
}

// AppendExtension appends an extension as a JSON object.
func AppendExtension(dst []byte, x *Extension) []byte {
	o := beginObject(dst)
	o.text("url", x.URL)
	o.extensions(x.Extension)
	if !x.Value.IsZero() {
		if o.comma {
			o.dst = append(o.dst, ',')
		}
		o.comma = true
		o.dst = AppendValue(o.dst, "value", x.Value)
	}
	return o.end()
}

// extensions appends the member extension unless it is empty.
func (o *object) extensions(list Extensions) { appendEach(o, "extension", list, AppendExtension) }

func appendIdentifier(dst []byte, i *Identifier) []byte {
	o := beginObject(dst)
	o.text("use", i.Use)
	o.text("system", i.System)
	o.text("value", i.Value)
	return o.end()
}

func appendMeta(dst []byte, m *Meta) []byte {
	o := beginObject(dst)
	o.text("versionId", m.VersionID)
	o.text("lastUpdated", m.LastUpdated)
	o.texts("profile", m.Profile)
	appendEach(&o, "tag", m.Tag, AppendCoding)
	return o.end()
}

// AppendValue appends a choice element as a member: `"valueCode":"x"` for prefix "value" and a
// Code. A zero Value appends nothing. Booleans and numbers are written as their Text, other
// primitives as strings. If the Text of a boolean or number is malformed, it is written as a
// string, so that the JSON is always well-formed.
func AppendValue(dst []byte, prefix string, v Value) []byte {
	if v.Type == "" {
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, prefix...)
	dst = append(dst, v.Type...)
	dst = append(dst, '"', ':')
	switch {
	case v.Coding != nil:
		return AppendCoding(dst, v.Coding)
	case v.Concept != nil:
		return AppendCodeableConcept(dst, v.Concept)
	case len(v.Raw) > 0:
		return append(dst, v.Raw...)
	}
	switch v.Type {
	case "Boolean":
		if v.Text == "true" || v.Text == "false" {
			return append(dst, v.Text...)
		}
	case "Integer", "Decimal", "PositiveInt", "UnsignedInt":
		if isNumber(v.Text) {
			return append(dst, v.Text...)
		}
	case "Coding", "CodeableConcept":
		return append(dst, "{}"...)
	}
	return AppendString(dst, v.Text)
}
