package operation

import (
	"context"

	"github.com/roget-health/roget/resources/r4"
)

// fhirVersion is the supported version of FHIR, as $versions writes it.
const fhirVersion = "4.0"

var versions = Operation{
	Name: "versions", Type: "",
	Summary: "List the versions of FHIR that the server supports",
	Doc:     "Returns the versions of FHIR that the server supports, and the default version.",
	Spec:    "https://hl7.org/fhir/R4/capabilitystatement.html ($versions)",
	In:      requestParams(),
	Out: []Param{
		{Name: "version", Type: "code", Min: 1, Many: true, Doc: "A version, as major.minor."},
		{Name: "default", Type: "code", Min: 1, Doc: "The version used for a request that does not name one."},
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
