package expression_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/codesystem/expression"
	"github.com/roget-health/roget/codesystem/expression/expressiontest"
)

func model(t testing.TB) *expression.Model {
	t.Helper()
	m, err := expression.NewModel(context.Background(), expressiontest.Edition(t))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// read returns the meaning of an expression with the names of the world.
func read(t testing.TB, m *expression.Model, text string) *expression.Meaning {
	t.Helper()
	n, _, err := m.Read(context.Background(), expressiontest.Write(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return n
}

// TestSubsumes decides pairs by the concept model: > is subsumes, < subsumed-by, = equivalent and
// | neither.
func TestSubsumes(t *testing.T) {
	m := model(t)
	for line := range strings.Lines(`
disorder > asthma
asthma < lungDisorder
asthma = asthma
asthma | infection
asthma = === asthma
asthma + asthma = asthma
lungDisorder + infection < lungDisorder
lungDisorder + infection < infection
lungDisorder + infection = infection + lungDisorder
lungDisorder + disorder = lungDisorder
asthma + infection < lungDisorder + infection
asthma + infection | pneumonitis
disorder : site = lung = lungDisorder
disorder : { site = lung } = lungDisorder
finding : site = lung > lungDisorder
finding : site = lung > asthma
disorder : site = leftLung < lungDisorder
disorder : site = leftLung | asthma
disorder : site = upperLobe | disorder : site = leftLung
disorder : site = structure > lungDisorder
disorder : site = structure > disorder : site = femur
disorder : site = structure > fractureOfNeck
disorder : directSite = lung < lungDisorder
disorder : directSite = lung < disorder : site = lung
disorder : directSite = leftLung < disorder : site = lung
disorder : directSite = structure | lungDisorder
disorder : agent = bacterium = bacterial
disorder : agent = streptococcus < bacterial
disorder : agent = streptococcus < infection
infection : agent = bacterium = bacterial
infection : agent = organism = infection
bacterial : agent = organism = bacterial
bacterial : agent = streptococcus < bacterial
disorder : site = lung, morphology = inflammation > pneumonitis
disorder : site = lung, morphology = inflammation | disorder : morphology = granuloma
disorder : { site = lung, morphology = inflammation } = pneumonitis
disorder : { morphology = inflammation, site = lung } = pneumonitis
disorder : { site = lung } { morphology = inflammation } > pneumonitis
disorder : { site = lung } { morphology = inflammation } = disorder : site = lung, morphology = inflammation
disorder : { site = lung, morphology = granuloma } < pneumonitis
lungDisorder : { site = lung, morphology = granuloma } < pneumonitis
lungDisorder : { site = leftLung, morphology = granuloma } < pneumonitis
lungDisorder : { site = leftLung, morphology = granuloma } | asthma
lungDisorder : morphology = inflammation > pneumonitis
lungDisorder : { site = lung, morphology = inflammation } = pneumonitis
pneumonitis : agent = organism = infectivePneumonia
pneumonitis + infection = infectivePneumonia
pneumonitis : agent = bacterium = bacterialPneumonia
pneumonitis + bacterial = bacterialPneumonia
infectivePneumonia : agent = bacterium = bacterialPneumonia
infectivePneumonia + bacterial = bacterialPneumonia
infectivePneumonia : agent = streptococcus < bacterialPneumonia
pneumonitis : agent = streptococcus < infectivePneumonia
disorder : { site = lung, morphology = inflammation }, { agent = bacterium } = bacterialPneumonia
disorder : agent = bacterium, { site = lung, morphology = inflammation } = bacterialPneumonia
disorder : { site = lung, morphology = inflammation, agent = bacterium } < bacterialPneumonia
disorder : { site = lung, morphology = inflammation, agent = bacterium } < pneumonitis : agent = bacterium
bacterialPneumonia : severity = severe < bacterialPneumonia
bacterialPneumonia : severity = severe < pneumonitis : severity = severe
bacterialPneumonia : severity = severe < pneumonitis : severity = qualifier
bacterialPneumonia : severity = severe | pneumonitis : severity = mild
bacterialPneumonia : severity = severe = bacterialPneumonia : { severity = severe }
bacterialPneumonia : severity = severe = infectivePneumonia + bacterial : severity = severe
bacterialPneumonia : severity = severe | asthma : severity = severe
disorder : severity = severe > asthma : severity = severe
disorder : severity = severe | asthma
disorder : severity = severe < disorder
fractureOfFemur : site = neck > fractureOfNeck
fractureOfFemur : { site = neck, morphology = fracture } = fractureOfNeck
disorder : { site = neck, morphology = fracture } = fractureOfNeck
disorder : { site = neck, morphology = closedFracture } < fractureOfNeck
disorder : { site = femur, morphology = closedFracture } < fractureOfFemur
disorder : { site = femur, morphology = closedFracture } | fractureOfNeck
fractureOfFemur : { site = femur, morphology = closedFracture } > fractureOfNeck : { site = neck, morphology = closedFracture }
disorder : { site = femur } { morphology = fracture } | lungDisorder
disorder : { site = femur } { morphology = fracture } > fractureOfFemur
disorder : { site = neck } { morphology = closedFracture } | fractureOfFemur
disorder : site = ( lung : laterality = left ) < lungDisorder
disorder : site = ( lung : laterality = left ) > disorder : site = leftLung
disorder : site = ( upperLobe : laterality = left ) < disorder : site = ( lung : laterality = left )
disorder : site = ( lung : laterality = left ) | disorder : site = ( lung : laterality = right )
disorder : site = ( lung : laterality = qualifier ) > disorder : site = ( lung : laterality = left )
disorder : site = ( structure : laterality = left ) > disorder : site = leftLung
disorder : site = ( lung + bronchus ) < lungDisorder
disorder : site = ( lung + bronchus ) < disorder : site = bronchus
disorder : site = ( bronchus + lung ) = disorder : site = ( lung + bronchus )
disorder : site = ( lung ) = lungDisorder
disorder : { site = ( lung : laterality = left ), morphology = inflammation } < pneumonitis
disorder : { site = ( lung : laterality = left ), morphology = inflammation } < disorder : site = ( lung : laterality = left )
disorder : agent = ( organism : site = ( lung : laterality = left ) ) < infection
disorder : agent = ( organism : site = ( lung : laterality = left ) ) < disorder : agent = ( organism : site = lung )
lung : laterality = left > leftLung
lung : laterality = right | leftLung
leftLung : laterality = left = leftLung
product : ingredient = aspirin = withAspirin
product : ingredient = aspirin, strength = #300 = aspirin300
product : ingredient = aspirin, strength = #300.0 = aspirin300
product : ingredient = aspirin, strength = #+300 = aspirin300
product : ingredient = aspirin, strength = #500 < withAspirin
product : ingredient = aspirin, strength = #500 | aspirin300
product : strength = #500 | product : strength = #500.5
product : strength = #0 = product : strength = #-0
product : strength = #10 > withAspirin : strength = #10
product : trade = "X" = product : trade = "X"
product : trade = "X" | product : trade = "x"
product : trade = "1" | product : trade = #1
product : sugarfree = true = product : sugarfree = TRUE
product : sugarfree = true | product : sugarfree = false
withAspirin : ingredient = caffeine < withAspirin
withAspirin : ingredient = caffeine < product : ingredient = caffeine
withAspirin : ingredient = caffeine = product : ingredient = caffeine, ingredient = aspirin
product : ingredient = substance > withAspirin
product : ingredient = substance, ingredient = aspirin = withAspirin
<<< asthma < asthma
<<< asthma < lungDisorder
<<< asthma = <<< asthma
<<< disorder | asthma
<<< disorder : site = lung < lungDisorder
<<< disorder : site = lung | asthma
<<< disorder : site = lung < disorder : site = lung
<<< lungDisorder : severity = severe < lungDisorder : severity = severe
<<< lungDisorder : severity = severe | lungDisorder : severity = mild
`) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		a, b, outcome := split(t, line)
		na, nb := read(t, m, a), read(t, m, b)
		above, below := na.Subsumes(nb), nb.Subsumes(na)
		got := map[[2]bool]string{{true, true}: "=", {true, false}: ">", {false, true}: "<", {}: "|"}[[2]bool{above, below}]
		if got != outcome {
			t.Errorf("%s %s %s, want %s", a, got, b, outcome)
		}
		if same := na.NormalForm(true) == nb.NormalForm(true); same != (outcome == "=") {
			t.Errorf("normal forms of %s: %s and %s", line, na.NormalForm(true), nb.NormalForm(true))
		}
		for _, n := range []*expression.Meaning{na, nb} {
			if again := read(t, m, n.NormalForm(true)); !again.Subsumes(n) || !n.Subsumes(again) {
				t.Errorf("%s means something else than its normal form %s", line, n.NormalForm(false))
			}
		}
	}
}

// split finds the outcome: the operator between white space that is outside of brackets and has no
// attribute before it in its part.
func split(t *testing.T, line string) (a, b, outcome string) {
	t.Helper()
	for i := len(line) - 2; i > 0; i-- {
		if line[i-1] != ' ' || line[i+1] != ' ' || !strings.ContainsRune("=<>|", rune(line[i])) {
			continue
		}
		left, right := line[:i-1], line[i+2:]
		if _, err := expression.Parse(expressiontest.Write(left)); err != nil {
			continue
		}
		if _, err := expression.Parse(expressiontest.Write(right)); err == nil {
			return left, right, string(line[i])
		}
	}
	t.Fatalf("no outcome in %s", line)
	return
}

// TestParents places expressions: the most specific concepts above them.
func TestParents(t *testing.T) {
	m := model(t)
	for _, test := range [][2]string{
		{"asthma", "asthma"},
		{"asthma : severity = severe", "asthma"},
		{"asthma + infection", "asthma infection"},
		{"lungDisorder + bacterial", "bacterial lungDisorder"},
		{"disorder : site = leftLung, agent = streptococcus", "bacterial lungDisorder"},
		{"disorder : { site = leftLung, morphology = granuloma }", "pneumonitis"},
		{"disorder : agent = streptococcus, { site = leftLung, morphology = granuloma }", "bacterialPneumonia"},
		{"disorder : agent = bacterium { site = lung, morphology = inflammation }", "bacterialPneumonia"},
		{"<<< disorder : site = lung", "lungDisorder"},
		{"finding : site = lung", "finding"},
		{"product : strength = #300, ingredient = aspirin", "aspirin300"},
		{"product : strength = #301, ingredient = aspirin", "withAspirin"},
	} {
		var got []string
		for _, o := range read(t, m, test[0]).Parents() {
			got = append(got, m.Edition().Display(o))
		}
		if slices.Sort(got); strings.Join(got, " ") != test[1] {
			t.Errorf("%s is below %s, want %s", test[0], got, test[1])
		}
	}
}

// TestCovers compares the concepts that expressions subsume with a test of each concept.
func TestCovers(t *testing.T) {
	m := model(t)
	x := m.Edition()
	for _, text := range []string{
		"root", "asthma", "asthma : severity = severe", "lungDisorder + infection", "finding : site = lung", "<<< finding : site = lung", "disorder : site = structure",
		"disorder : { site = lung } { morphology = inflammation }", "disorder : agent = bacterium", "product : ingredient = aspirin", "product : strength = #300",
	} {
		n := read(t, m, text)
		covered, err := n.Covers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for o := range codesystem.Ord(x.Len()) {
			if want := !x.Inactive(o) && n.Subsumes(m.Of(o)); covered.Contains(o) != want {
				t.Errorf("%s covers %s: %v", text, x.Display(o), !want)
			}
		}
	}
}

// TestIndex makes a concept of an expression.
func TestIndex(t *testing.T) {
	m := model(t)
	codes := expressiontest.Codes()
	text := expressiontest.Write("disorder |Ill| : severity = severe, { site = ( lung : laterality = left ), morphology = granuloma }")
	x, err := m.Index(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	o, ok := x.Find(text)
	if want := "disorder : severity = severe, { site = ( lung : laterality = left ), morphology = granuloma }"; !ok || x.Display(o) != want {
		t.Errorf("display %q", x.Display(o))
	}
	for d := range x.Designations(o) {
		if !strings.HasPrefix(d.Value, "Ill : severity = severe, { ") || d.Use.Code != "900000000000013009" || d.Use.System != x.URL() {
			t.Errorf("designation %v", d)
		}
	}
	if first, end := x.DesignationRange(o); end-first != 1 {
		t.Errorf("%d designations", end-first)
	}
	groups := map[string]int{}
	for p := range x.Properties(o) {
		groups[p.Code] = p.Group
	}
	n := read(t, m, text)
	for property, value := range map[string]string{
		"parent": codes["pneumonitis"], "sufficientlyDefined": "true", codes["severity"]: codes["severe"], codes["morphology"]: codes["granuloma"],
		expression.PropertyNormalForm: n.NormalForm(true), expression.PropertyNormalFormTerse: n.NormalForm(false),
	} {
		if !x.HasProperty(o, property, value) {
			t.Errorf("%s is not %s", property, value)
		}
	}
	for code, group := range groups {
		if (code == codes["site"] || code == codes["morphology"]) != (group == 1) || group > 1 {
			t.Errorf("%s is in group %d", code, group)
		}
	}
	for _, name := range []string{"pneumonitis", "severe", "granuloma"} {
		if named, ok := x.Find(codes[name]); !ok || x.Display(named) != name {
			t.Errorf("%s is not there", name)
		}
	}
	if x.Len() != 4 || len(x.Header().Property) != len(m.Edition().Header().Property)+2 || expression.ViewOf(x).Meanings[o].NormalForm(false) != n.NormalForm(false) {
		t.Errorf("%d concepts, properties %v", x.Len(), x.Header().Property)
	}
	text = expressiontest.Write("<<< product : strength = #300, ingredient = aspirin")
	if x, err = m.Index(t.Context(), text); err != nil {
		t.Fatal(err)
	}
	o, _ = x.Find(text)
	if first, end := x.DesignationRange(o); !x.HasProperty(o, "sufficientlyDefined", "false") || !x.HasProperty(o, codes["strength"], "300") || first != end {
		t.Errorf("the properties of %s", text)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Index(ctx, codes["asthma"]); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if _, err := m.Index(t.Context(), "999999999"); !errors.Is(err, expression.ErrUnknownConcept) {
		t.Error(err)
	}
}

// TestNormalForm merges the definitions of concepts, in an order that does not depend on the text.
func TestNormalForm(t *testing.T) {
	m := model(t)
	for _, test := range [][2]string{
		{"asthma", "=== asthma : site = lung"},
		{"bacterialPneumonia : severity = severe", "=== disorder : severity = severe, agent = bacterium, { morphology = inflammation, site = lung }"},
		{"disorder : { site = ( lung : laterality = left ), morphology = granuloma }", "=== disorder : { morphology = granuloma, site = ( lung : laterality = left ) }"},
		{"<<< withAspirin : strength = #1.50", "<<< product : strength = #1.5, ingredient = aspirin"},
		{"leftLung", "=== leftLung : laterality = left"},
	} {
		want := read(t, m, test[1]).NormalForm(false)
		if got := read(t, m, test[0]).NormalForm(false); got != want || len(got) != len(expressiontest.Write(test[1])) {
			t.Errorf("%s: %s, want %s", test[0], got, expressiontest.Write(test[1]))
		}
	}
	if got := read(t, m, "asthma").NormalForm(true); !strings.Contains(got, " |asthma| : ") {
		t.Errorf("with terms: %s", got)
	}
}

// TestBindErrors has the errors of an edition, with their positions.
func TestBindErrors(t *testing.T) {
	m := model(t)
	for _, test := range []struct {
		text, at string // the last one is at fault
		err      error
	}{
		{"999999999", "999999999", expression.ErrUnknownConcept},
		{"asthma + 999999999", "999999999", expression.ErrUnknownConcept},
		{"oldAsthma", "oldAsthma", expression.ErrInactive},
		{"asthma : severity = oldAsthma", "oldAsthma", expression.ErrInactive},
		{"asthma : 999999999 = severe", "999999999", expression.ErrUnknownConcept},
		{"asthma : severity = 999999999", "999999999", expression.ErrUnknownConcept},
		{"asthma : lung = severe", "lung", expression.ErrNotAttribute},
		{"asthma : attribute = severe", "attribute", expression.ErrNotAttribute},
		{"asthma : { severity = severe, disorder = severe }", "disorder", expression.ErrNotAttribute},
		{"asthma : site = ( lung : lung = left )", "lung", expression.ErrNotAttribute},
		{"asthma : severity = #3", "severity", expression.ErrValueKind},
		{"asthma : strength = severe", "strength", expression.ErrValueKind},
		{"asthma : strength = ( severe )", "strength", expression.ErrValueKind},
	} {
		var bind *expression.BindError
		text := expressiontest.Write(test.text)
		if _, _, err := m.Read(context.Background(), text); !errors.As(err, &bind) || !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.text, err, test.err)
		} else if want := strings.LastIndex(text, expressiontest.Write(test.at)); bind.Offset != want {
			t.Errorf("%s: at %d, want %d", test.text, bind.Offset, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := m.Read(ctx, expressiontest.Write("asthma")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
