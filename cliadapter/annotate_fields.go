package cliadapter

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// A need is a question about a code that a field needs the answer of.
type need uint8

const (
	needLookup need = 1 << iota
	needValidation
	needMembership
	needTranslation
)

// facts are what is known of a code.
type facts struct {
	concept    *engine.LookupResult // nil if the code is not known
	validation *engine.ValidateCodeResult
	member     *engine.MemberOfResult
	maps       *engine.TranslateResult
}

// An annotationField is something that annotate adds.
type annotationField struct {
	lists.Field
	of    string // the field as --add names it
	needs need
	value func(*facts) lists.Value
}

// annotationRow is a row of the table of fields. Names that end in a colon go on with an argument.
type annotationRow struct {
	name  string
	kind  lists.Kind
	needs need
	value func(f *facts, argument string) lists.Value
}

// conceptTexts returns the value of a property of the concept.
func conceptTexts(property string, kind lists.Kind) func(*facts, string) lists.Value {
	return func(f *facts, argument string) lists.Value {
		if f.concept == nil {
			return lists.Value{}
		}
		return textsValue(f.concept.Texts(property+argument), kind)
	}
}

// ofConcept returns a text about the concept.
func ofConcept(text func(*engine.LookupResult) string) func(*facts, string) lists.Value {
	return func(f *facts, _ string) (v lists.Value) {
		if f.concept != nil {
			v.Text = text(f.concept)
		}
		return v
	}
}

// annotationRows is the table of fields.
func annotationRows() []annotationRow {
	return []annotationRow{
		{"display", lists.Text, needLookup, ofConcept(func(r *engine.LookupResult) string { return r.Display })},
		{"definition", lists.Text, needLookup, conceptTexts("definition", lists.Text)},
		{"inactive", lists.Bool, needLookup, conceptTexts("inactive", lists.Bool)},
		{"abstract", lists.Bool, needLookup, conceptTexts("abstract", lists.Bool)},
		{"status", lists.Text, needLookup, ofConcept(func(r *engine.LookupResult) string { return r.Index.Status(r.Concept) })},
		{"system", lists.Text, needLookup, ofConcept(func(r *engine.LookupResult) string { return r.Index.URL() })},
		{"version", lists.Text, needLookup, ofConcept(func(r *engine.LookupResult) string { return r.Index.Version() })},
		{"parents", lists.List, needLookup, conceptTexts("parent", lists.List)},
		{"children", lists.List, needLookup, conceptTexts("child", lists.List)},
		{"ancestors", lists.List, needLookup, conceptTexts("ancestor", lists.List)},
		{"designation:", lists.List, needLookup, conceptTexts("lang.", lists.List)},
		{"property:", lists.List, needLookup, conceptTexts("", lists.List)},
		{"valid", lists.Bool, needValidation, func(f *facts, _ string) (v lists.Value) {
			if f.validation != nil {
				v = lists.Truth(f.validation.Result)
			}
			return v
		}},
		{"message", lists.Text, needValidation, func(f *facts, _ string) (v lists.Value) {
			if f.validation != nil {
				v.Text = f.validation.Message
			}
			return v
		}},
		{"member", lists.Bool, needMembership, func(f *facts, _ string) (v lists.Value) {
			if f.member != nil {
				v = lists.Truth(f.member.Member)
			}
			return v
		}},
		{"map", lists.List, needTranslation, func(f *facts, _ string) (v lists.Value) {
			if f.maps == nil {
				return v
			}
			for i := range f.maps.Matches {
				if m := &f.maps.Matches[i]; m.Equivalence.Matches() && !slices.Contains(v.List, m.Concept.Code) {
					v.List = append(v.List, m.Concept.Code)
				}
			}
			return v
		}},
	}
}

// annotationNames returns the names of all fields for help and completion.
func annotationNames() (names []string) {
	for _, row := range annotationRows() {
		switch row.name {
		case "designation:":
			row.name += "LANGUAGE"
		case "property:":
			row.name += "NAME"
		}
		names = append(names, row.name)
	}
	return names
}

// An annotation says what is added to the lines of a table.
type annotation struct {
	fields                    []annotationField
	needs                     need
	system, version, language string
	url, conceptMap           string
	ownSystem                 bool // lines have code systems of their own
	engine                    *engine.Engine
	names                     *lineNames // of code systems in lines
	layout                    *lists.Layout
}

// newAnnotation reads what to add.
func (inv *invocation) newAnnotation() (*annotation, error) {
	a := &annotation{
		system: inv.Text("system"), version: inv.Text("version"), language: inv.Text("display-language"),
		url: inv.Text("url"), conceptMap: inv.Text("map"),
		ownSystem: inv.IsSet("system-column") || lists.Format(inv.Text("input")) == lists.NDJSON || lists.FormatOf(inv.Args()[0]) == lists.NDJSON,
	}
	for text := range strings.SplitSeq(inv.Text("add"), ",") {
		f, err := parseAnnotation(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(a.fields, func(other annotationField) bool { return other.Name == f.Name }) {
			return nil, command.Usagef("--add names %s twice", f.Name)
		}
		a.fields = append(a.fields, f)
		a.needs |= f.needs
	}
	return a, a.complete(inv)
}

// complete reports flags that are missing, or of no use.
func (a *annotation) complete(inv *invocation) error {
	about := a.needs & (needLookup | needMembership) // a code system
	if a.url == "" {
		about |= a.needs & needValidation
	}
	switch {
	case a.needs&needMembership != 0 && a.url == "":
		return command.Usagef("--add member needs a value set: give --url")
	case a.needs&needTranslation != 0 && a.conceptMap == "":
		return command.Usagef("--add map needs a concept map: give --map")
	case a.needs&(needMembership|needValidation) == 0 && a.url != "":
		return command.Usagef("--url is for --add member, valid or message")
	case a.needs&needTranslation == 0 && a.conceptMap != "":
		return command.Usagef("--map is for --add map")
	case a.needs&needValidation == 0 && inv.IsSet("display-column"):
		return command.Usagef("--display-column is for --add valid or message")
	case about != 0 && a.system == "" && !a.ownSystem:
		return command.Usagef("flag --system is missing: the code system of the codes; or --system-column")
	}
	return nil
}

// parseAnnotation reads FIELD or NAME=FIELD.
func parseAnnotation(text string) (f annotationField, err error) {
	name, of, named := strings.Cut(text, "=")
	if !named {
		of = name
	}
	for _, row := range annotationRows() {
		argument, found := strings.CutPrefix(of, row.name)
		if takes := strings.HasSuffix(row.name, ":"); !found || takes == (argument == "") {
			continue
		}
		if name == "" {
			break
		}
		value := row.value
		return annotationField{
			Field: lists.Field{Name: name, Kind: row.kind}, of: of, needs: row.needs,
			value: func(known *facts) lists.Value { return value(known, argument) },
		}, nil
	}
	return f, command.Usagef("--add: there is no field %q%s; there are %s", text, command.DidYouMean(command.Nearest(of, annotationNames())), strings.Join(annotationNames(), ", "))
}

// check asks about a code that hardly exists, and returns an error that every code would have.
func (a *annotation) check(ctx context.Context) error {
	if a.ownSystem {
		return nil
	}
	var known facts
	if verdict, err := a.ask(ctx, &lists.Item{Codes: [2]string{"roget-probe"}}, &known); verdict == lists.Broken {
		return err
	}
	if a.system == "" {
		return nil
	}
	url, version, _ := strings.Cut(a.system, "|")
	x, err := a.engine.System(url, cmp.Or(a.version, version))
	if err != nil {
		return nil //nolint:nilerr // a code system that only maps and value sets know
	}
	names := x.PropertyNames()
	for i := range a.fields {
		name, found := strings.CutPrefix(a.fields[i].of, "property:")
		if builtIn := []string{"parent", "child", "inactive", "abstract", "notSelectable", "deprecated", "definition"}; !found || slices.Contains(names, name) || slices.Contains(builtIn, name) {
			continue
		}
		return command.Usagef("--add: %s has no property %q%s; it has %s", url, name, command.DidYouMean(command.Nearest(name, names)), strings.Join(names[:min(len(names), 20)], ", "))
	}
	return nil
}

// ask finds out what the fields need. A code is a no if it is not known, not valid, no member or
// has no translation, as far as that is asked.
func (a *annotation) ask(ctx context.Context, it *lists.Item, known *facts) (lists.Verdict, error) {
	*known = facts{}
	verdict := lists.Yes
	system, version := cmp.Or(a.names.system(it.System), a.system), cmp.Or(it.Version, a.version)
	for _, question := range [...]struct {
		needs need
		ask   func() (yes bool, err error)
	}{
		{needValidation, func() (bool, error) {
			r, err := a.validate(ctx, it, system, version)
			if err == nil {
				known.validation = &r
			}
			return r.Result, err
		}},
		{needLookup, func() (bool, error) {
			r, err := a.engine.Lookup(ctx, &engine.LookupRequest{System: system, Version: version, Code: it.Codes[0], DisplayLanguage: a.language})
			if err == nil {
				known.concept = &r
			}
			return true, err
		}},
		{needMembership, func() (bool, error) {
			r, err := a.engine.MemberOf(ctx, &engine.MemberOfRequest{Code: it.Codes[0], System: versioned(system, version), ValueSetURL: a.url})
			if err == nil {
				known.member = &r
			}
			return r.Member, err
		}},
		{needTranslation, func() (bool, error) {
			r, err := a.engine.Translate(ctx, &engine.TranslateRequest{URL: a.conceptMap, Code: it.Codes[0], System: system, Version: version})
			if err == nil {
				known.maps = r
			}
			return err == nil && r.Result, err
		}},
	} {
		if a.needs&question.needs == 0 {
			continue
		}
		yes, err := question.ask()
		switch {
		case err != nil && operation.ExitCode(err) != operation.ExitNo:
			return lists.Broken, ofLine(err)
		case err != nil || !yes:
			verdict = lists.No
		}
	}
	return verdict, nil
}

// validate checks the code in the value set, or else in the code system.
func (a *annotation) validate(ctx context.Context, it *lists.Item, system, version string) (engine.ValidateCodeResult, error) {
	if a.url == "" {
		return a.engine.ValidateCodeInSystem(ctx, &engine.ValidateCodeInSystemRequest{
			URL: system, Version: version, Code: it.Codes[0], Display: it.Display, DisplayLanguage: a.language,
		})
	}
	return a.engine.ValidateCode(ctx, &engine.ValidateCodeRequest{
		URL: a.url, System: system, SystemVersion: version, Code: it.Codes[0], Display: it.Display, DisplayLanguage: a.language,
	})
}
