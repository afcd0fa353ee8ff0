package loinc

import (
	"path"
	"regexp"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// kind is the content of a file of a release.
type kind int

const (
	other kind = iota
	table
	coreTable
	mapTo
	partFile
	partLinks
	partMaps
	playbook
	documents
	hierarchy
	answerFile
	answerLinks
	panelFile
	consumerNames
	variant
	groupFile
	parentGroups
	groupTerms
	imaging
	orders
	topSI
	topUS
)

// kinds names the files by their base names in lower case, without extension.
var kinds = map[string]kind{
	"loinc":                           table,
	"loinctablecore":                  coreTable,
	"mapto":                           mapTo,
	"part":                            partFile,
	"loincpartlink":                   partLinks,
	"loincpartlink_primary":           partLinks,
	"loincpartlink_supplementary":     partLinks,
	"partrelatedcodemapping":          partMaps,
	"loincrsnaradiologyplaybook":      playbook,
	"documentontology":                documents,
	"componenthierarchybysystem":      hierarchy,
	"multiaxialhierarchy":             hierarchy,
	"answerlist":                      answerFile,
	"loincanswerlistlink":             answerLinks,
	"consumername":                    consumerNames,
	"panelsandforms":                  panelFile,
	"group":                           groupFile,
	"parentgroup":                     parentGroups,
	"grouploincterms":                 groupTerms,
	"imagingdocumentcodes":            imaging,
	"loincuniversallaborders":         orders,
	"loincuniversallabordersvalueset": orders,
	"top2000commonlabresultssi":       topSI,
	"top2000commonlabresultsus":       topUS,
}

// variantName is the base name of a linguistic variant: language, country, number.
var variantName = regexp.MustCompile(`(?i)^([a-z]{2,3})([a-z]{2})([0-9]+)linguisticvariant$`)

// kindOf returns the content of a file by its name.
func kindOf(name string) kind {
	dir, base := path.Split(strings.ToLower(name))
	stem, isCSV := strings.CutSuffix(base, ".csv")
	switch {
	case !isCSV, path.Base(dir) == "panelsandforms" && kinds[stem] != panelFile:
		return other
	case variantName.MatchString(stem):
		return variant
	}
	return kinds[stem]
}

// release holds the files of a release by kind.
type release map[kind][]loader.File

// releaseOf sorts files by kind. The table with fewer columns is only used without the full table,
// and the older hierarchy file only without the newer one.
func releaseOf(files []loader.File) release {
	r := release{}
	for _, f := range files {
		if k := kindOf(f.Name); k != other {
			r[k] = append(r[k], f)
		}
	}
	if len(r[table]) == 0 {
		r[table] = r[coreTable]
	}
	for _, k := range []kind{table, hierarchy} {
		if len(r[k]) > 1 {
			r[k] = r[k][:1] // files are in the order of names: Component… before MultiAxial…
		}
	}
	delete(r, coreTable)
	return r
}

// versionIn is the version of a release in a file name: Loinc_2.78.zip.
var versionIn = regexp.MustCompile(`(?i)loinc_?v?([0-9]\.[0-9]{1,3})(?:[^0-9]|$)`)

// version finds the version of the release in the names of its files and folders, or returns "".
func (r release) version(root string) string {
	names := []string{path.Base(root)}
	for _, f := range r[table] {
		names = append(names, f.Name)
	}
	for _, name := range names {
		if m := versionIn.FindStringSubmatch(name); m != nil {
			return m[1]
		}
	}
	return ""
}
