package synth

// A Form is how resources are written.
type Form int

const (
	// NDJSON is one resource a line.
	NDJSON Form = iota
	// Transactions is Bundles of type transaction, one a line. Their entries are put by their
	// ids, so that they can be sent again.
	Transactions
)

// A Chunk is a part of what is made: of a population a patient with what comes before it
// and what follows of it.
type Chunk struct {
	Patient uint64 // number of the patient, of a population
	// Bytes are good until the function that was called with them returns.
	Bytes []byte
	// Resources is how many there are.
	Resources int
}

// lines frame resources as lines of a form.
type lines struct {
	form  Form
	count int
}

// What a Bundle is written with.
const (
	bundleStart   = `{"resourceType":"Bundle","type":"transaction"`
	bundleEntries = `,"entry":[`
	bundleEnd     = "}\n"
)

// start begins a chunk.
func (l *lines) start(dst []byte) []byte {
	if l.count = 0; l.form == Transactions {
		return append(dst, bundleStart...)
	}
	return dst
}

// before is what comes before a resource, given as Type/id. References are relative to its full
// URL.
func (l *lines) before(dst []byte, ref string) []byte {
	if l.count++; l.form == NDJSON {
		return dst
	}
	if l.count == 1 {
		dst = append(dst, bundleEntries...)
	} else {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, `{"fullUrl":"`...), roget...), ref...)
	return append(dst, `","resource":`...)
}

// after is what comes after it.
func (l *lines) after(dst []byte, ref string) []byte {
	if l.form == NDJSON {
		return append(dst, '\n')
	}
	dst = append(append(dst, `,"request":{"method":"PUT","url":"`...), ref...)
	return append(dst, `"}}`...)
}

// end ends a chunk.
func (l *lines) end(dst []byte) []byte {
	if l.form == NDJSON {
		return dst
	}
	if l.count > 0 { // FHIR knows no empty lists
		dst = append(dst, ']')
	}
	return append(dst, bundleEnd...)
}
