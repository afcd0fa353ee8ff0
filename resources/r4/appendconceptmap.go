package r4

// AppendJSON appends the resource as JSON.
func (m *ConceptMap) AppendJSON(dst []byte) []byte {
	o := m.begin(dst, "ConceptMap")
	o.text("sourceUri", m.SourceURI)
	o.text("sourceCanonical", m.SourceCanonical)
	o.text("targetUri", m.TargetURI)
	o.text("targetCanonical", m.TargetCanonical)
	appendEach(&o, "group", m.Group, appendGroup)
	return o.end()
}

func appendGroup(dst []byte, g *ConceptMapGroup) []byte {
	o := beginObject(dst)
	o.text("source", g.Source)
	o.text("sourceVersion", g.SourceVersion)
	o.text("target", g.Target)
	o.text("targetVersion", g.TargetVersion)
	appendEach(&o, "element", g.Element, func(dst []byte, e *ConceptMapElement) []byte {
		o := beginObject(dst)
		o.text("code", e.Code)
		o.text("display", e.Display)
		appendEach(&o, "target", e.Target, appendTarget)
		return o.end()
	})
	if u := g.Unmapped; u != nil {
		o.name("unmapped")
		x := beginObject(o.dst)
		x.text("mode", u.Mode)
		x.text("code", u.Code)
		x.text("display", u.Display)
		x.text("url", u.URL)
		o.dst = x.end()
	}
	return o.end()
}

func appendTarget(dst []byte, t *ConceptMapTarget) []byte {
	o := beginObject(dst)
	o.text("code", t.Code)
	o.text("display", t.Display)
	o.text("equivalence", t.Equivalence)
	o.text("comment", t.Comment)
	appendEach(&o, "dependsOn", t.DependsOn, appendDependsOn)
	appendEach(&o, "product", t.Product, appendDependsOn)
	return o.end()
}

func appendDependsOn(dst []byte, d *ConceptMapDependsOn) []byte {
	o := beginObject(dst)
	o.text("property", d.Property)
	o.text("system", d.System)
	o.text("value", d.Value)
	o.text("display", d.Display)
	return o.end()
}
