package synth

// roget begins the canonicals and the namespaces of what is made here.
const roget = "https://roget.health/fhir/"

// sid begins the namespaces of identifiers.
const sid = roget + "sid/"

// identifier writes the list identifier with one Identifier.
func (d *draft) identifier(namespace string) {
	d.list("identifier")
	d.oneIdentifier("", namespace)
	d.end()
}

// oneIdentifier writes an Identifier: the id of the resource in one of our namespaces.
func (d *draft) oneIdentifier(name, namespace string) {
	d.object(name)
	d.parts("system", sid, namespace)
	d.text("value", d.facts.id)
	d.end()
}

// typedIdentifier writes an Identifier as oneIdentifier does, with a use and a type of
// identifierType.
func (d *draft) typedIdentifier(use, typ, namespace string) {
	d.object("")
	d.text("use", use)
	d.concept("type", identifierType.find(typ))
	d.parts("system", sid, namespace)
	d.text("value", d.facts.id)
	d.end()
}

// numberedIdentifier writes an Identifier of a use and a type with a letter and eight digits.
func (d *draft) numberedIdentifier(use, typ string) {
	d.object("")
	d.text("use", use)
	d.concept("type", identifierType.find(typ))
	d.parts("system", sid, "number-", typ)
	d.member("value")
	d.buf = append(d.buf, '"', byte('A'+d.below(26)))
	d.buf = append(appendDigits(d.buf, d.below(100_000_000), 8), '"')
	d.end()
}
