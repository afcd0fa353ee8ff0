package synth

// typedIdentifier writes an Identifier of a use and of a type of identifierType.
func (w *writer) typedIdentifier(use, typ, system, value string) {
	w.object("")
	w.text("use", use)
	w.concept("type", identifierType.find(typ))
	w.text("system", system)
	w.text("value", value)
	w.end()
}

// numberedIdentifier writes an Identifier of a type with a letter and eight digits.
func (d *draft) numberedIdentifier(use, typ string) {
	d.object("")
	d.text("use", use)
	d.concept("type", identifierType.find(typ))
	d.parts("system", "https://roget.health/fhir/sid/number-", typ)
	d.member("value")
	d.buf = append(d.buf, '"', byte('A'+d.below(26)))
	d.buf = append(appendDigits(d.buf, d.below(100_000_000), 8), '"')
	d.end()
}
