package r4

import "encoding/json"

// AppendJSON appends the resource as JSON.
func (v *ValueSet) AppendJSON(dst []byte) []byte {
	o := v.begin(dst, "ValueSet")
	appendEach(&o, "contained", v.Contained, func(dst []byte, raw *json.RawMessage) []byte {
		return append(dst, *raw...)
	})
	o.boolean("immutable", v.Immutable)
	if v.Compose != nil {
		o.name("compose")
		o.dst = v.Compose.appendJSON(o.dst)
	}
	if v.Expansion != nil {
		o.name("expansion")
		o.dst = v.Expansion.appendJSON(o.dst)
	}
	return o.end()
}

func (c *Compose) appendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.extensions(c.Extension)
	o.text("lockedDate", c.LockedDate)
	o.boolean("inactive", c.Inactive)
	appendEach(&o, "include", c.Include, appendInclude)
	appendEach(&o, "exclude", c.Exclude, appendInclude)
	o.texts("property", c.Property)
	return o.end()
}

func appendInclude(dst []byte, i *Include) []byte {
	o := beginObject(dst)
	o.extensions(i.Extension)
	o.text("system", i.System)
	o.text("version", i.Version)
	appendEach(&o, "concept", i.Concept, func(dst []byte, c *ConceptReference) []byte {
		o := beginObject(dst)
		o.extensions(c.Extension)
		o.text("code", c.Code)
		o.text("display", c.Display)
		appendEach(&o, "designation", c.Designation, AppendDesignation)
		return o.end()
	})
	appendEach(&o, "filter", i.Filter, appendFilter)
	o.texts("valueSet", i.ValueSet)
	return o.end()
}

// appendFilter appends operators that R4 does not have as the extension that R5 defines for them.
func appendFilter(dst []byte, f *Filter) []byte {
	o := beginObject(dst)
	o.text("property", f.Property)
	switch f.Op {
	case "child-of", "descendent-leaf":
		o.name("_op")
		x := beginObject(append(o.dst, `{"extension":[`...))
		x.text("url", opExtension)
		x.text("valueCode", f.Op)
		o.dst = append(x.end(), `]}`...)
	default:
		o.text("op", f.Op)
	}
	o.text("value", f.Value)
	return o.end()
}

func (e *Expansion) appendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.text("identifier", e.Identifier)
	o.text("timestamp", e.Timestamp)
	o.integer("total", e.Total)
	appendEach(&o, "contains", e.Contains, appendContains)
	return o.end()
}

func appendContains(dst []byte, c *ExpansionContains) []byte {
	o := beginObject(dst)
	o.text("system", c.System)
	o.truth("abstract", c.Abstract)
	o.truth("inactive", c.Inactive)
	o.text("version", c.Version)
	o.text("code", c.Code)
	o.text("display", c.Display)
	appendEach(&o, "contains", c.Contains, appendContains)
	return o.end()
}
