package synth

// roget is the prefix of canonical URLs and namespaces of synthetic resources.
const roget = "https://roget.health/fhir/"

// sid is the prefix of identifier namespaces.
const sid = roget + "sid/"

// identifier writes the list identifier with one Identifier.
func (d *draft) identifier(namespace string) {
	d.list("identifier")
	d.oneIdentifier("", namespace)
	d.end()
}

// oneIdentifier writes an Identifier: the id of the resource in a namespace of the project.
func (d *draft) oneIdentifier(name, namespace string) {
	d.object(name)
	d.join("system", sid, namespace)
	d.text("value", d.facts.id)
	d.end()
}

// typedIdentifier writes an Identifier like oneIdentifier, with a use and a type from
// identifierType.
func (d *draft) typedIdentifier(use, typ, namespace string) {
	d.object("")
	d.text("use", use)
	d.concept("type", identifierType.find(typ))
	d.join("system", sid, namespace)
	d.text("value", d.facts.id)
	d.end()
}

// numberedIdentifier writes an Identifier with a use, a type, and a value of one letter and eight
// digits.
func (d *draft) numberedIdentifier(use, typ string) {
	d.object("")
	d.text("use", use)
	d.concept("type", identifierType.find(typ))
	d.join("system", sid, "number-", typ)
	d.member("value")
	d.buf = append(d.buf, '"', byte('A'+d.below(26)))
	d.buf = append(appendDigits(d.buf, d.below(100_000_000), 8), '"')
	d.end()
}
