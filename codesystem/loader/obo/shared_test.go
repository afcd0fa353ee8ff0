package obo

import (
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/fhir"
	"github.com/roget-health/roget/codesystem/loader/loadertest"
	"github.com/roget-health/roget/resources/sharedtest"
)

// load reads a file of the data folder into the only index it holds.
func load(t testing.TB, name string, identity loader.Identity) *codesystem.Index {
	t.Helper()
	path := sharedtest.Path(t, "data/"+name)
	if !Detect(path) {
		t.Errorf("%s is not detected", name)
	}
	sink := &loadertest.Sink{}
	if err := Load(t.Context(), path, loader.Options{Identity: identity}, sink); err != nil {
		t.Fatal(err)
	}
	return sink.One(t)
}

// converted reads the CodeSystem that was made of the same source by other means.
func converted(t testing.TB, name string) *codesystem.Index {
	t.Helper()
	path := sharedtest.Path(t, "data/"+name)
	if Detect(path) {
		t.Errorf("%s is detected as an ontology", name)
	}
	sink := &loadertest.Sink{}
	if err := fhir.Load(t.Context(), path, loader.Options{}, sink); err != nil {
		t.Fatal(err)
	}
	return sink.One(t)
}

// TestHPO compares with the CodeSystem made of the same graph. Meant to differ:
//   - the conversion leaves out cross-references to SNOMED CT, annotations, subsets,
//     consider, and who made the concept;
//   - it has no use for types of synonyms but two, and leaves out the scope of these.
func TestHPO(t *testing.T) {
	t.Parallel()
	x := load(t, "hpo/hp.v2024-04-26.json.gz", loader.Identity{})
	want := converted(t, "hpo/CodeSystem-hpo.json.gz")
	loadertest.Compare(t, x, want, func(ours bool, _, fact string) string {
		if !ours {
			return strings.TrimSpace(fact)
		}
		kind, rest, _ := strings.Cut(fact, " ")
		switch name, _, _ := strings.Cut(rest, " "); {
		case kind == "designation":
			text, scope, extended := strings.Cut(fact, " + ")
			if !extended {
				scope = "hasExactSynonym"
			}
			for _, use := range []string{"plural_form", "obsolete_synonym", "HP:0034334"} {
				text = strings.Replace(text, purl+"hp.owl|"+use+" ", scopes+"|"+scope+" ", 1)
			}
			return text
		case kind == "property" && strings.HasPrefix(rest, "xref String SNOMED"):
			return ""
		case kind == "property":
			switch name {
			case "replacedBy", "alternateCode", "created", "xref", "comment":
			default:
				return ""
			}
		}
		return strings.TrimSpace(fact)
	})
	s := x.Stats()
	if s.Concepts != 18961 || s.Active != 18536 || s.Edges != 22932 || s.Roots != 1 || s.MaxDepth != 17 || s.ClosurePairs != 191670 {
		t.Errorf("got %+v", s)
	}
	h := x.Header()
	if h.URL != "http://purl.obolibrary.org/obo/hp.owl" || h.Version != "2024-04-26" || h.Title != "Human Phenotype Ontology" || h.Name != "HumanPhenotypeOntology" || h.Copyright == "" {
		t.Errorf("got %+v", h.Header)
	}
}

// TestChEBI compares with the CodeSystem made of the same file. Meant to differ: the
// conversion leaves out cross-references, InChI and InChIKey, names the type of a synonym
// in the display of its scope, and repeats what the file repeats.
func TestChEBI(t *testing.T) {
	t.Parallel()
	loadertest.Large(t)
	x := load(t, "chebi/chebi-105.obo.gz", loader.Identity{Title: "Chemical Entities of Biological Interest"})
	compareOBO(t, x, converted(t, "chebi/CodeSystem-chebi.json.gz"))
	s := x.Stats()
	if s.Concepts != 41136 || s.Active != 41099 || s.Edges != 60470 || s.Roots != 3 || s.MaxDepth != 28 || s.ClosurePairs != 929867 {
		t.Errorf("got %+v", s)
	}
	if h := x.Header(); h.URL != "http://purl.obolibrary.org/obo/chebi.owl" || h.Version != "105" || h.Date != "2013-06-27" || h.Name != "ChemicalEntitiesOfBiologicalInterest" {
		t.Errorf("got %+v", h.Header)
	}
}

// TestSO compares with the CodeSystem made of the same file. Meant to differ, besides
// what TestChEBI names: comments, creation and consider.
func TestSO(t *testing.T) {
	t.Parallel()
	x := load(t, "so/so.obo", loader.Identity{URL: purl + "so.owl"})
	compareOBO(t, x, converted(t, "so/CodeSystem-so.json.gz"))
	s := x.Stats()
	if s.Concepts != 2151 || s.Active != 1951 || s.Edges != 2025 || s.Roots != 4 || s.MaxDepth != 11 || s.ClosurePairs != 11433 {
		t.Errorf("got %+v", s)
	}
	if h := x.Header(); h.URL != purl+"so.owl" || h.Version != "2012-10-31" || h.Title != "so-xp.obo" {
		t.Errorf("got %+v", h.Header)
	}
}

func compareOBO(t *testing.T, x, want *codesystem.Index) {
	t.Helper()
	loadertest.Compare(t, x, want, func(ours bool, _, fact string) string {
		kind, rest, _ := strings.Cut(fact, " ")
		name, _, _ := strings.Cut(rest, " ")
		switch kind {
		case "designation":
			// The scope, whether it is the use or in the extension beside a type.
			if text, scope, ok := strings.Cut(fact, " + "); ok {
				fields := strings.SplitN(text, " ", 4)
				return strings.Join([]string{kind, fields[1], scopes + "|" + scope, fields[3]}, " ")
			}
			if fields := strings.SplitN(fact, " ", 4); ours && !strings.HasPrefix(fields[2], scopes) {
				return strings.Join([]string{kind, fields[1], scopes + "|hasExactSynonym", fields[3]}, " ")
			}
		case "property":
			switch name {
			case "xref", "inchi", "inchikey", "comment", "created", "createdBy", "consider":
				return ""
			}
		}
		return fact
	})
}
