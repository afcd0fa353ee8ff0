package operation

import (
	"context"

	"github.com/roget-health/roget/resources/r4"
)

// fhirVersion is the version of FHIR that the operations speak, as $versions writes it.
const fhirVersion = "4.0"

var versions = Operation{
	Name: "versions", Type: "",
	Summary: "Tell which versions of FHIR are spoken",
	Doc:     "Gives the versions of FHIR that the server speaks, and the one it speaks when a request does not say.",
	Spec:    "https://hl7.org/fhir/R4/capabilitystatement.html ($versions)",
	In:      requestParams(),
	Out: []Param{
		{Name: "version", Type: "code", Min: 1, Many: true, Doc: "A version: major and minor."},
		{Name: "default", Type: "code", Min: 1, Doc: "The version when a request does not say."},
	},
	Run: func(context.Context, Env, *Input) (Result, error) { return versionsResult{}, nil },
}

// versionsResult is the answer of $versions.
type versionsResult struct{}

func (versionsResult) AppendJSON(dst []byte) []byte {
	w := r4.NewParametersWriter(dst)
	w.Code("version", fhirVersion)
	w.Code("default", fhirVersion)
	return w.Finish()
}

func (versionsResult) Yes() bool { return true }

func (versionsResult) Table() *Table {
	return &Table{Header: []string{"NAME", "VALUE"}, Rows: [][]string{{"version", fhirVersion}, {"default", fhirVersion}}}
}
