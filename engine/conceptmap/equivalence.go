package conceptmap

// Equivalence is the relation of the target of a mapping to its source
// (http://hl7.org/fhir/concept-map-equivalence): "wider" means that the target is wider than the
// source.
type Equivalence string

// The codes of R4.
const (
	RelatedTo   Equivalence = "relatedto"
	Equivalent  Equivalence = "equivalent"
	Equal       Equivalence = "equal"
	Wider       Equivalence = "wider"
	Subsumes    Equivalence = "subsumes"
	Narrower    Equivalence = "narrower"
	Specializes Equivalence = "specializes"
	Inexact     Equivalence = "inexact"
	Unmatched   Equivalence = "unmatched"
	Disjoint    Equivalence = "disjoint"
)

// Known reports whether e is one of the codes of R4.
func (e Equivalence) Known() bool {
	_, ok := numberOf(e)
	return ok
}

// Inverse returns the relation of the source to the target: it swaps wider and narrower, and
// subsumes and specializes; the others are symmetric.
func (e Equivalence) Inverse() Equivalence {
	switch e {
	case Wider:
		return Narrower
	case Narrower:
		return Wider
	case Subsumes:
		return Specializes
	case Specializes:
		return Subsumes
	}
	return e
}

// Matches reports whether a mapping with this equivalence is a translation: all are except
// unmatched and disjoint.
func (e Equivalence) Matches() bool { return e != Unmatched && e != Disjoint }

// equivalences maps each code to the small number it is stored as.
func equivalences() [10]Equivalence {
	return [10]Equivalence{
		RelatedTo, Equivalent, Equal, Wider, Subsumes, Narrower, Specializes, Inexact, Unmatched, Disjoint,
	}
}

func numberOf(e Equivalence) (uint8, bool) {
	for i, known := range equivalences() {
		if e == known {
			return uint8(i), true
		}
	}
	return 0, false
}
