package e2e_test

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/codesystem/loader/formats"
	"github.com/roget-health/roget/codesystem/loader/rf2/rf2test"
	"github.com/roget-health/roget/engine"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

const (
	sct    = "http://snomed.info/sct"
	first  = "20230731" // releases of the International Edition
	second = "20240131"
	third  = "20240301" // release of the extension
	fourth = "20240701" // not published yet
	draft  = "http://snomed.info/xsct/" + rf2test.Core + "/version/" + fourth

	finding       = "404684003"
	appendicitis  = "74400008"
	acuteAppendix = "85189001"
	appendectomy  = "80146002"
	appendix      = "66754008"
	inflammation  = "23583003"
	acuteInflamed = "4532008"
	site          = "363698007"
	morphology    = "116676008"
	strength      = "1142135004"
	simpleSet     = "723264001"
	simpleMap     = "900000000000497000"
	extendedMap   = "447562003"
)

var (
	tablet    = rf2test.Concept(501)
	outdated  = rf2test.Concept(502)
	extModule = rf2test.Identifier(1, "123456710")
	local     = rf2test.Identifier(2, "123456710")

	inflamed = "http://example.org/ValueSet/inflamed"
)

// edition returns the version of a release.
func edition(extModule, date string) string { return sct + "/" + extModule + "/version/" + date }

// internationalEdition is a small International Edition of two releases: a concept, a
// reference set member and a description come with the second, and a concept goes.
func internationalEdition() *rf2test.Release {
	r := &rf2test.Release{}
	const core = rf2test.Core
	for i, c := range []struct{ code, name, parent string }{
		{rf2test.Root, "SNOMED CT Concept", ""},
		{rf2test.IsA, "Is a", rf2test.Root},
		{core, "Core module", rf2test.Root},
		{rf2test.Model, "Model module", rf2test.Root},
		{rf2test.FullName, "Fully specified name", rf2test.Root},
		{rf2test.Synonym, "Synonym", rf2test.Root},
		{rf2test.AmericanEnglish, "US English", rf2test.Root},
		{rf2test.BritishEnglish, "GB English", rf2test.Root},
		{rf2test.ReplacedBy, "REPLACED BY association reference set", rf2test.Root},
		{simpleSet, "Lateralizable structures", rf2test.Root},
		{simpleMap, "CTV3 map", rf2test.Root},
		{extendedMap, "ICD-10 map", rf2test.Root},
		{site, "Finding site", rf2test.Root},
		{morphology, "Associated morphology", rf2test.Root},
		{strength, "Strength", rf2test.Root},
		{finding, "Clinical finding", rf2test.Root},
		{appendix, "Appendix", rf2test.Root},
		{inflammation, "Inflammation", rf2test.Root},
		{acuteInflamed, "Acute inflammation", inflammation},
		{appendicitis, "Appendicitis", finding},
		{tablet, "Tablet of 500 mg", rf2test.Root},
		{outdated, "Inflamed appendix", finding},
	} {
		var parents []string
		if c.parent != "" {
			parents = append(parents, c.parent)
		}
		r.Concept(i+1, c.code, first, core, c.name, parents...)
	}
	// Appendectomy: the preferred term depends on the dialect.
	r.Add("concept", appendectomy, first, true, core, rf2test.Primitive)
	r.Add("relationship", rf2test.Relationship(9000), first, true, core, appendectomy, rf2test.Root, "0", rf2test.IsA, rf2test.Inferred, rf2test.Some)
	for i, d := range []struct{ use, term, us, gb string }{
		{rf2test.FullName, "Appendectomy (procedure)", rf2test.Preferred, rf2test.Preferred},
		{rf2test.Synonym, "Appendectomy", rf2test.Preferred, rf2test.Acceptable},
		{rf2test.Synonym, "Appendicectomy", rf2test.Acceptable, rf2test.Preferred},
	} {
		id := rf2test.Description(9000 + i)
		r.Add("description", id, first, true, core, appendectomy, "en", d.use, d.term, rf2test.NoCase)
		r.Add("language", rf2test.Member(9000+2*i), first, true, core, rf2test.AmericanEnglish, id, d.us)
		r.Add("language", rf2test.Member(9001+2*i), first, true, core, rf2test.BritishEnglish, id, d.gb)
	}
	attribute := func(item int, date, source, group, kind, target string) {
		r.Add("relationship", rf2test.Relationship(9100+item), date, true, core, source, target, group, kind, rf2test.Inferred, rf2test.Some)
	}
	attribute(1, first, appendicitis, "1", site, appendix)
	attribute(2, first, appendicitis, "1", morphology, inflammation)
	r.Add("value", rf2test.Relationship(9200), first, true, core, tablet, "#500", "1", strength, rf2test.Inferred, rf2test.Some)
	r.Add("simple", rf2test.Member(9300), first, true, core, simpleSet, appendix)
	r.Add("simple map", rf2test.Member(9301), first, true, core, simpleMap, appendicitis, "X30Yr")
	for i, target := range []string{"K35", "K37"} {
		rule := []string{"IFA 445518008 | Age at onset of clinical finding (observable entity) | < 15.0 years", "OTHERWISE TRUE"}[i]
		r.Add("map", rf2test.Member(9310+i), first, true, core, extendedMap, appendicitis,
			"1", string(rune('1'+i)), rule, "ALWAYS "+target, target, "447561005", "447637006")
	}
	r.Concept(60, acuteAppendix, second, core, "Acute appendicitis", appendicitis)
	attribute(3, second, acuteAppendix, "1", site, appendix)
	attribute(4, second, acuteAppendix, "1", morphology, acuteInflamed)
	r.Add("simple", rf2test.Member(9302), second, true, core, simpleSet, appendicitis)
	r.Add("concept", outdated, second, false, core, rf2test.Primitive)
	r.Add("association", rf2test.Member(9303), second, true, core, rf2test.ReplacedBy, outdated, appendicitis)
	for _, date := range []string{first, second} {
		r.Add("dependency", rf2test.Member(9400), date, true, core, rf2test.Dependencies, rf2test.Model, date, date)
	}
	r.Add("concept", rf2test.Model, first, true, rf2test.Model, rf2test.Primitive)
	return r
}

// extensionOf is an extension of the International Edition.
func extensionOf() *rf2test.Release {
	r := &rf2test.Release{}
	r.Concept(300, extModule, third, extModule, "Extension module", rf2test.Root)
	r.Concept(301, local, third, extModule, "Local appendicitis", appendicitis)
	r.Add("relationship", rf2test.Relationship(40000), third, true, extModule, local, acuteInflamed, "1", morphology, rf2test.Inferred, rf2test.Some)
	r.Add("simple", rf2test.Member(9500), third, true, extModule, simpleSet, local)
	r.Add("dependency", rf2test.Member(9501), third, true, extModule, rf2test.Dependencies, rf2test.Core, third, second)
	return r
}

// snomedSource is one load: paths that make one edition, or other resources.
type snomedSource struct {
	paths    []string
	settings formats.Settings
}

// snomedSources are three versions: two of the International Edition from its Full files,
// the extension, and an edition that is not published; and a value set by an expression constraint.
func snomedSources(t *testing.T) []snomedSource {
	t.Helper()
	full := rf2test.Zip(t, internationalEdition().At(rf2test.Full, second, "").Files(rf2test.Full, second))
	extension := extensionOf().Folder(t, rf2test.Snapshot, third, "")
	valueSet := filepath.Join(t.TempDir(), "inflamed.json")
	if err := os.WriteFile(valueSet, []byte(`{"resourceType":"ValueSet","url":"`+inflamed+`","status":"active","compose":{"include":[{"system":"`+sct+`",
		"filter":[{"property":"constraint","op":"=","value":"< `+finding+` : { `+site+` = `+appendix+` , `+morphology+` = << `+inflammation+` }"}]}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	unpublished := map[string]string{}
	for name, data := range internationalEdition().At(rf2test.Snapshot, second, "").Files(rf2test.Snapshot, second) {
		folder, base := path.Split(name)
		unpublished[folder+"x"+base] = strings.ReplaceAll(data, second, fourth)
	}
	return []snomedSource{
		{paths: []string{full}, settings: formats.Settings{AsOf: first}},
		{paths: []string{full}},
		{paths: []string{extension, full}},
		{paths: []string{rf2test.Folder(t, unpublished)}},
		{paths: []string{valueSet}},
	}
}

// loadSnomed loads the sources into a data folder by the command, and into an engine by
// the library.
func loadSnomed(t *testing.T) (data string, lib *engine.Engine) {
	t.Helper()
	data = filepath.Join(t.TempDir(), "data")
	lib = library(t)
	for _, s := range snomedSources(t) {
		args := append([]string{"load", "--data", data}, s.paths...)
		if s.settings.AsOf != "" {
			args = append(args, "--as-of", s.settings.AsOf)
		}
		if _, stderr, exit := backendtest.Run(t, args...); exit != 0 {
			t.Fatalf("roget %s: exit %d\n%s", strings.Join(args, " "), exit, stderr)
		}
		collected := &engine.Collector{}
		if err := formats.Load(t.Context(), s.paths, formats.Options{Settings: s.settings, Options: loader.Options{}}, collected); err != nil {
			t.Fatal(err)
		}
		if err := lib.Publish(collected.Entries...); err != nil {
			t.Fatal(err)
		}
	}
	return data, lib
}
