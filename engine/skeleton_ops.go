package engine

import (
	"context"

	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/resources/r4"
)

// LookupRequest asks for what is known of one code (CodeSystem/$lookup).
type LookupRequest struct {
	ID              string // CodeSystem/{id}/$lookup: the system is this one
	System          string // canonical of the code system, may be url|version
	Version         string // "" asks for the default version
	Code            string
	Coding          *r4.Coding // instead of System, Version and Code
	DisplayLanguage string     // BCP 47, or a list as Accept-Language has it
	Properties      []string   // properties to give; empty gives all
	Date            string     // accepted; the current content is given
}

// LookupResult is the answer of Lookup.
type LookupResult struct{}

func (r *LookupResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *LookupResult) Yes() bool                    { panic("skeleton") }
func (r *LookupResult) Table() *Table                { panic("skeleton") }

// Lookup gives a concept: display, definition, designations, properties.
func (e *Engine) Lookup(ctx context.Context, req *LookupRequest) (LookupResult, error) {
	panic("skeleton")
}

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

// SubsumesRequest asks how two codes of a system relate (CodeSystem/$subsumes).
type SubsumesRequest struct {
	ID               string
	System, Version  string
	CodeA, CodeB     string
	CodingA, CodingB *r4.Coding
}

// Subsumption is an outcome of $subsumes, a code of http://hl7.org/fhir/concept-subsumption-outcome.
type Subsumption string

// The outcomes of $subsumes.
const (
	Equivalent  Subsumption = "equivalent"
	SubsumesB   Subsumption = "subsumes"    // A is an ancestor of B
	SubsumedByB Subsumption = "subsumed-by" // A is a descendant of B
	NotSubsumed Subsumption = "not-subsumed"
)

// SubsumesResult is the answer of Subsumes.
type SubsumesResult struct{ Outcome Subsumption }

func (r *SubsumesResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *SubsumesResult) Yes() bool                    { panic("skeleton") }
func (r *SubsumesResult) Table() *Table                { panic("skeleton") }

// Subsumes tells how code A relates to code B.
func (e *Engine) Subsumes(ctx context.Context, req *SubsumesRequest) (SubsumesResult, error) {
	panic("skeleton")
}

// VersionRules choose code system versions for one request. Each is a list of
// canonicals "system|version".
type VersionRules struct {
	System []string // system-version: used where the value set names no version
	Check  []string // check-system-version: another version in use is an error
	Force  []string // force-system-version: used whatever the value set names
}

// ExpandRequest asks for a page of the codes of a value set (ValueSet/$expand).
type ExpandRequest struct {
	ID                     string
	URL                    string
	ValueSet               *r4.ValueSet
	ValueSetVersion        string
	Context                string // refused with ErrNotSupported
	ContextDirection       string
	Filter                 string
	Date                   string // accepted and echoed
	Offset                 int
	Count                  *int // nil: the engine's default
	IncludeDesignations    bool
	Designations           []string // use or language tokens: "system|code", "urn:ietf:bcp:47|de"
	IncludeDefinition      bool
	ActiveOnly             *bool
	ExcludeNested          *bool // nil means true: a flat expansion
	ExcludeNotForUI        bool
	ExcludePostCoordinated bool
	DisplayLanguage        string
	ExcludeSystems         []string // canonicals, may be system|version
	Versions               VersionRules
	Properties             []string
}

// ExpandResult is a page of an expansion.
type ExpandResult struct{}

func (r *ExpandResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *ExpandResult) Yes() bool                    { panic("skeleton") }
func (r *ExpandResult) Table() *Table                { panic("skeleton") }

// Expand gives a page of the codes of a value set.
func (e *Engine) Expand(ctx context.Context, req *ExpandRequest) (*ExpandResult, error) {
	panic("skeleton")
}

// MemberOfRequest asks whether a code is in a value set (clinical document 4.2).
type MemberOfRequest struct{ Code, System, ValueSetURL string }

// MemberOfResult is the answer of MemberOf.
type MemberOfResult struct{}

func (r *MemberOfResult) AppendJSON(dst []byte) []byte { panic("skeleton") }
func (r *MemberOfResult) Yes() bool                    { panic("skeleton") }
func (r *MemberOfResult) Table() *Table                { panic("skeleton") }

// MemberOf tells whether a code is in a value set.
func (e *Engine) MemberOf(ctx context.Context, req *MemberOfRequest) (MemberOfResult, error) {
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
	Exact           bool
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

// System gives the index of a code system, for loops that ask it directly.
func (e *Engine) System(url, version string) (*codesystem.Index, error) { panic("skeleton") }
