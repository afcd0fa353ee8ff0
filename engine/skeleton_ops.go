package engine

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// ValidateCodeRequest asks whether a code is in a value set (ValueSet/$validate-code).
type ValidateCodeRequest struct {
	ID              string // ValueSet/{id}/$validate-code
	URL             string // canonical of the value set, may be url|version
	ValueSetVersion string
	ValueSet        *r4.ValueSet // given with the request instead of URL
	Context         string       // refused with ErrNotSupported
	Code            string
	System          string // optional: found from the value set when empty
	SystemVersion   string
	Display         string // checked when given
	Coding          *r4.Coding
	CodeableConcept *r4.CodeableConcept
	Date            string // accepted
	Abstract        *bool  // false: an abstract code is no valid answer
	DisplayLanguage string
	Versions        VersionRules
}

// ValidateCodeInSystemRequest asks whether a code is in a code system (CodeSystem/$validate-code).
type ValidateCodeInSystemRequest struct {
	ID              string // CodeSystem/{id}/$validate-code
	URL             string // canonical of the code system, may be url|version
	Version         string
	CodeSystem      []byte // JSON of a CodeSystem given with the request instead of URL
	Code            string
	Display         string
	Coding          *r4.Coding
	CodeableConcept *r4.CodeableConcept
	Date            string
	Abstract        *bool
	DisplayLanguage string
}

// ValidateCodeResult is the answer of ValidateCode and ValidateCodeInSystem.
type ValidateCodeResult struct{}

func (r *ValidateCodeResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *ValidateCodeResult) Yes() bool                    { panic("skeleton") }
func (r *ValidateCodeResult) Table() *Table                { panic("skeleton") }

// ValidateCode tells whether a code, Coding or CodeableConcept is in a value set.
func (e *Engine) ValidateCode(ctx context.Context, req *ValidateCodeRequest) (ValidateCodeResult, error) {
	panic("skeleton")
}

// ValidateCodeInSystem tells whether a code, Coding or CodeableConcept is in a code system.
func (e *Engine) ValidateCodeInSystem(ctx context.Context, req *ValidateCodeInSystemRequest) (ValidateCodeResult, error) {
	panic("skeleton")
}

// TranslateRequest asks for codes of another system (ConceptMap/$translate).
type TranslateRequest struct {
	ID                    string
	URL                   string
	ConceptMapVersion     string
	ConceptMap            *r4.ConceptMap
	Code, System, Version string
	Coding                *r4.Coding
	CodeableConcept       *r4.CodeableConcept
	Source, Target        string // value sets
	TargetSystem          string
	Reverse               bool
}

// TranslateResult is the answer of Translate.
type TranslateResult struct{}

func (r *TranslateResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *TranslateResult) Yes() bool                    { panic("skeleton") }
func (r *TranslateResult) Table() *Table                { panic("skeleton") }

// Translate gives the codes that concept maps give for a code.
func (e *Engine) Translate(ctx context.Context, req *TranslateRequest) (*TranslateResult, error) {
	panic("skeleton")
}

// FindMatchesRequest asks for concepts by their properties (CodeSystem/$find-matches).
type FindMatchesRequest struct {
	ID              string
	System, Version string
	Properties      []codesystem.Property // all must hold; code "code" and "display" name the concept's own
	Partial         bool                  // also concepts that have only some of the properties (exact=false)
	Compositional   bool
	Count           int // 0: the engine's default
}

// FindMatchesResult is the answer of FindMatches.
type FindMatchesResult struct{}

func (r *FindMatchesResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *FindMatchesResult) Yes() bool                    { panic("skeleton") }
func (r *FindMatchesResult) Table() *Table                { panic("skeleton") }

// FindMatches gives the concepts that have all properties.
func (e *Engine) FindMatches(ctx context.Context, req *FindMatchesRequest) (*FindMatchesResult, error) {
	panic("skeleton")
}

// ExplainRequest asks why a code is or is not in a value set (ValueSet/$explain).
type ExplainRequest struct {
	ID                    string
	URL, ValueSetVersion  string
	ValueSet              *r4.ValueSet
	Code, System, Version string
	Coding                *r4.Coding
	DisplayLanguage       string
}

// ExplainResult is the answer of Explain.
type ExplainResult struct{}

func (r *ExplainResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *ExplainResult) Yes() bool                    { panic("skeleton") }
func (r *ExplainResult) Table() *Table                { panic("skeleton") }

// Explain tells why a code is or is not in a value set.
func (e *Engine) Explain(ctx context.Context, req *ExplainRequest) (*ExplainResult, error) {
	panic("skeleton")
}
