package synth

// A storyWriter writes patients with their stories, one after the other. It is for one goroutine.
type storyWriter struct {
	p       *Population
	framer  framer
	d       draft // current resource; its buffer holds the whole output
	patient uint64
	current string // reference of the current resource
	count   uint64 // resources of the story so far
	refBuf  []byte // scratch space for references
	story   story
}

func newStoryWriter(p *Population, form Form) *storyWriter {
	return &storyWriter{p: p, framer: framer{form: form}}
}

// populationStream is the stream of stories.
var populationStream = hash("population")

// chunk writes a patient: the shared resources that it needs first, the patient, and its story.
func (t *storyWriter) chunk(n uint64) {
	t.patient, t.count = n, 0
	t.d.buf = t.framer.start(t.d.buf)
	for i := range sharedRows {
		s := &sharedRows[i]
		if n == 0 {
			for number := range s.begin {
				t.writeShared(s.kind, number)
			}
		} else if s.every > 0 && n%s.every == 0 {
			t.writeShared(s.kind, s.begin+n/s.every-1)
		}
	}
	t.writeShared(kindPatient, n)
	t.writeStory()
	if next := n + 1; next%PatientsPerStudy == 0 || next == t.p.end {
		t.subjects(n / PatientsPerStudy)
	}
	t.d.buf = t.framer.end(t.d.buf)
}

// writeShared writes a resource as the generator for its type makes it.
func (t *storyWriter) writeShared(k kind, n uint64) {
	f := t.numbered(k, n)
	if k == kindResearchStudy {
		f.refs[roleGroup] = "Group/" + f.id
	}
	t.write()
}

// numbered begins a resource with a number of its type.
func (t *storyWriter) numbered(k kind, n uint64) *facts {
	g := t.p.makers[k]
	t.current = g.row.name + "/" + g.id(n)
	t.d.numbered(g, n, t.d.buf)
	return &t.d.facts
}

// begin begins the next resource of the story with the references that most resources have. The
// caller may set more facts before write.
func (t *storyWriter) begin(k kind) *facts {
	g := t.p.makers[k]
	t.current = t.storyRef(k, t.count)
	t.count++
	t.d.begin(g, newStream(t.p.seed, populationStream, t.patient, t.count), t.d.buf)
	t.d.inStory, t.d.number = true, t.patient
	f := &t.d.facts
	f.id = t.current[len(g.row.name)+1:]
	s := &t.story
	f.refs[rolePatient], f.refs[roleEncounter] = s.patient, s.encounter
	f.refs[rolePractitioner], f.refs[roleOrganization], f.refs[roleLocation] = s.practitioner, s.organization, s.location
	f.born, f.female, f.died = s.born, s.female, s.died
	return f
}

// storyRef returns the reference to resource n of the story.
func (t *storyWriter) storyRef(k kind, n uint64) string {
	text := append(append(t.refBuf[:0], kindNames[k]...), '/')
	text = append(append(text, t.p.makers[k].seedID...), '-')
	text = append(appendInt(text, int(t.patient)), '-')
	t.refBuf = appendInt(text, int(n))
	return string(t.refBuf)
}

// write writes the resource that was begun and returns the reference to it.
func (t *storyWriter) write() string {
	t.d.buf = t.framer.beforeResource(t.d.buf, t.current)
	t.d.start = len(t.d.buf)
	t.d.write(t.d.g.row)
	t.d.buf = t.framer.afterResource(t.d.buf, t.current)
	return t.current
}
