// Package rf2test writes small releases of SNOMED CT in Release Format 2, for tests: rows by kind
// of file, which become the Snapshot, Full or Delta files of a date.
package rf2test

// Release types, as in the names of files.
const (
	Snapshot = "Snapshot" // the latest row of each component
	Full     = "Full"     // all rows
	Delta    = "Delta"    // the rows that are new
)

// A Row is a row of a release.
type Row struct {
	File   string   // kind of file: a key of Layouts
	Time   string   // effectiveTime
	Fields []string // all of them, the identifier first
}

// A Release is a list of rows: the history of components.
type Release []Row

// Add adds a row: identifier, time, active, module and the further fields of the kind of file.
func (r *Release) Add(file, id, time string, active bool, module string, more ...string) {
	flag := "0"
	if active {
		flag = "1"
	}
	*r = append(*r, Row{file, time, append([]string{id, time, flag, module}, more...)})
}

// Concept adds an active concept with its full name, a preferred synonym, and parents. The
// identifiers of descriptions and relationships are derived from the item.
func (r *Release) Concept(item int, code, time, module, name string, parents ...string) {
	r.Add("concept", code, time, true, module, Primitive)
	r.Name(2*item, code, time, module, FullName, name+" (thing)")
	r.Name(2*item+1, code, time, module, Synonym, name)
	for i, p := range parents {
		r.Add("relationship", Relationship(100*item+i), time, true, module, code, p, "0", IsA, Inferred, Some)
	}
}

// Name adds a description that is preferred in American English.
func (r *Release) Name(item int, concept, time, module, kind, term string) {
	id := Description(1000 + item)
	r.Add("description", id, time, true, module, concept, "en", kind, term, NoCase)
	r.Add("language", Member(item), time, true, module, AmericanEnglish, id, Preferred)
}

// At returns the rows of a release type: the latest rows up to a date, all rows up to it, or those
// that are new since another date.
func (r Release) At(releaseType, date, since string) Release {
	var list Release
	at := map[string]int{}
	for _, row := range r {
		key := row.Fields[0]
		switch {
		case row.Time > date, releaseType == Delta && row.Time <= since:
			continue
		case releaseType == Full:
			list = append(list, row)
			continue
		}
		if i, ok := at[key]; !ok {
			at[key] = len(list)
			list = append(list, row)
		} else if row.Time >= list[i].Time {
			list[i] = row
		}
	}
	return list
}
