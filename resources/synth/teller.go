package synth

// A teller writes what tells of patients, one after the other. It is for one goroutine.
type teller struct {
	p       *Population
	lines   lines
	d       draft // the resource at hand; its buffer has all that is written
	patient uint64
	ref     string // of the resource at hand
	count   uint64 // resources of the story that were begun
	text    []byte // where references are put together
	story   story
}

func newTeller(p *Population, form Form) *teller {
	return &teller{p: p, lines: lines{form: form}}
}

// populationStream is the stream of stories.
var populationStream = hash("population")

// chunk writes a patient: what it needs that is not there yet, the patient, its story.
func (t *teller) chunk(n uint64) {
	t.patient, t.count = n, 0
	t.d.buf = t.lines.start(t.d.buf)
	for i := range shared {
		s := &shared[i]
		if n == 0 {
			for number := range s.begin {
				t.fixed(s.kind, number)
			}
		} else if s.every > 0 && n%s.every == 0 {
			t.fixed(s.kind, s.begin+n/s.every-1)
		}
	}
	t.fixed(kindPatient, n)
	t.tell()
	if next := n + 1; next%PatientsPerStudy == 0 || next == t.p.end {
		t.subjects(n / PatientsPerStudy)
	}
	t.d.buf = t.lines.end(t.d.buf)
}

// fixed writes a resource as the generator of its type makes it.
func (t *teller) fixed(k kind, n uint64) {
	f := t.numbered(k, n)
	if k == kindResearchStudy {
		f.refs[roleGroup] = "Group/" + f.id
	}
	t.write()
}

// numbered begins a resource with a number of its type.
func (t *teller) numbered(k kind, n uint64) *facts {
	g := t.p.makers[k]
	t.ref = g.row.name + "/" + g.id(n)
	t.d.numbered(g, n, t.d.buf)
	return &t.d.facts
}

// begin begins the next resource of the story. Its references are those that most resources
// have; more facts may be given before write.
func (t *teller) begin(k kind) *facts {
	g := t.p.makers[k]
	t.ref = t.name(k, t.count)
	t.count++
	t.d.begin(g, newStream(t.p.seed, populationStream, t.patient, t.count), t.d.buf)
	t.d.told, t.d.number = true, t.patient
	f := &t.d.facts
	f.id = t.ref[len(g.row.name)+1:]
	s := &t.story
	f.refs[rolePatient], f.refs[roleEncounter] = s.patient, s.encounter
	f.refs[rolePractitioner], f.refs[roleOrganization], f.refs[roleLocation] = s.practitioner, s.organization, s.location
	f.born, f.female, f.died = s.born, s.female, s.died
	return f
}

// name returns the reference to resource n of the story.
func (t *teller) name(k kind, n uint64) string {
	text := append(append(t.text[:0], kindNames[k]...), '/')
	text = append(append(text, t.p.makers[k].seedID...), '-')
	text = append(appendInt(text, int(t.patient)), '-')
	t.text = appendInt(text, int(n))
	return string(t.text)
}

// write writes the resource that was begun and gives the reference to it.
func (t *teller) write() string {
	t.d.buf = t.lines.before(t.d.buf, t.ref)
	t.d.begun = len(t.d.buf)
	t.d.write(t.d.g.row)
	t.d.buf = t.lines.after(t.d.buf, t.ref)
	return t.ref
}
