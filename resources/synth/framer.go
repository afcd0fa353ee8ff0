package synth

// A Form is an output format.
type Form int

const (
	// NDJSON is one resource per line.
	NDJSON Form = iota
	// Transactions is one transaction Bundle per line. The entries use PUT with the resource ids,
	// so a Bundle can be sent again.
	Transactions
)

// A Chunk is a part of the output. In a population it is one patient, with the shared resources
// that precede it and the resources that belong to it.
type Chunk struct {
	Patient uint64 // number of the patient; populations only
	// Bytes are valid only during the call they are passed to.
	Bytes []byte
	// Resources is the number of resources in the chunk.
	Resources int
}

// framer frames resources as lines of a format.
type framer struct {
	form  Form
	count int
}

// Fixed parts of a Bundle.
const (
	bundleStart   = `{"resourceType":"Bundle","type":"transaction"`
	bundleEntries = `,"entry":[`
	bundleEnd     = "}\n"
)

// start begins a chunk.
func (l *framer) start(dst []byte) []byte {
	if l.count = 0; l.form == Transactions {
		return append(dst, bundleStart...)
	}
	return dst
}

// beforeResource writes the text in front of a resource, identified by Type/id. References are
// relative to its full URL.
func (l *framer) beforeResource(dst []byte, ref string) []byte {
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

// afterResource writes the text that follows a resource.
func (l *framer) afterResource(dst []byte, ref string) []byte {
	if l.form == NDJSON {
		return append(dst, '\n')
	}
	dst = append(append(dst, `,"request":{"method":"PUT","url":"`...), ref...)
	return append(dst, `"}}`...)
}

// end ends a chunk.
func (l *framer) end(dst []byte) []byte {
	if l.form == NDJSON {
		return dst
	}
	if l.count > 0 { // FHIR does not allow empty lists
		dst = append(dst, ']')
	}
	return append(dst, bundleEnd...)
}
