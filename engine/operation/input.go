package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	tag "golang.org/x/text/language"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/resources/r4"
)

// Errors of decoding parameters, in addition to those of package engine. They are used as the
// Problem of an *engine.ParameterError.
var (
	// ErrUnknownParameter is returned for a parameter the operation does not have.
	ErrUnknownParameter = errors.New("unknown parameter")
	// ErrRepeatedParameter is returned for a second value of a parameter that may not repeat.
	ErrRepeatedParameter = errors.New("parameter given more than once")
)

// Missing returns the error of a call that lacks a required parameter.
func Missing(name, detail string) error {
	return &engine.ParameterError{Name: name, Problem: engine.ErrMissingParameter, Detail: detail}
}

// Invalid returns the error of a parameter whose value cannot be used.
func Invalid(name, detail string) error { return invalid(name, detail) }

// An Input has the decoded parameters of one call. It may be reused after Reset; values its
// methods returned before stay valid. It is not safe for concurrent use.
//
// A parameter with an empty text counts as absent; only Empty knows that it was there.
type Input struct {
	// Op is the row that the parameters belong to.
	Op *Operation
	// ID is the logical id of a call at the instance level.
	ID string
	// Rules are the rules of the call; zero means those of the engine.
	Rules engine.Rules
	// Base is the absolute URL of the service, without a trailing slash, for operations that
	// change something; "" in the terminal.
	Base string
	// CacheID is the id of the cache of resources that the request names in its header X-Cache-Id,
	// and Endpoint the path of the base that it was sent to, to which the cache belongs.
	CacheID, Endpoint string
	// AcceptLanguage is the Accept-Language header, used if displayLanguage is absent.
	AcceptLanguage string
	// Control holds the parameters that every call may carry.
	Control Control

	args   []arg
	empty  []*Param // given without a value
	inline [8]arg   // initial memory of args, so that few parameters need no allocation
}

// Control has the parameters of every call: _format, _pretty, _summary, _elements (R4
// http.html#parameters), as text.
type Control struct {
	Format, Pretty, Summary, Elements string
}

// An arg is one value of one parameter. Primitives are text in the lexical form of FHIR.
type arg struct {
	param *Param
	text  string
	more  *complexValue // nil for primitives
}

// size returns the size of the value in bytes, at least that of an arg. Resources do not count.
func (a *arg) size() int {
	const least = 64
	n := least + len(a.text)
	if a.more == nil {
		return n
	}
	if c := a.more.coding; c != nil {
		n += codingSize(c)
	}
	if concept := a.more.concept; concept != nil {
		n += len(concept.Text)
		for i := range concept.Coding {
			n += least + codingSize(&concept.Coding[i])
		}
	}
	return n
}

func codingSize(c *r4.Coding) int {
	return len(c.System) + len(c.Version) + len(c.Code) + len(c.Display)
}

// A complexValue is a value that is not a primitive. Exactly one of the first four fields is set.
type complexValue struct {
	coding   *r4.Coding
	concept  *r4.CodeableConcept
	resource json.RawMessage
	part     []r4.Parameter

	valueSet func() (*r4.ValueSet, error) // the resource, decoded once; nil before
}

// Reset clears the Input for a call of op.
func (in *Input) Reset(op *Operation) {
	clear(in.args)
	in.empty = in.empty[:0]
	if cap(in.args) > 64 { // do not keep the memory of an unusually large call
		in.args = nil
	}
	in.Op, in.ID, in.Rules, in.Base, in.AcceptLanguage, in.Control = op, "", 0, "", "", Control{}
	in.CacheID, in.Endpoint = "", ""
	in.args = in.args[:0]
}

// Has reports whether a parameter was given.
func (in *Input) Has(name string) bool { return in.find(name) != nil }

// Empty reports whether a parameter was given without a value, and not with one.
func (in *Input) Empty(name string) bool {
	return slices.ContainsFunc(in.empty, func(p *Param) bool { return p.Name == name }) && !in.Has(name)
}

// String returns the text of a primitive parameter, "" when absent.
func (in *Input) String(name string) string {
	if a := in.find(name); a != nil {
		return a.text
	}
	return ""
}

// Strings returns the texts of a parameter that may repeat, in the order given.
func (in *Input) Strings(name string) []string {
	var list []string
	for i := range in.args {
		if in.args[i].param.Name == name {
			list = append(list, in.args[i].text)
		}
	}
	return list
}

// Bool returns a boolean parameter; given is false when it is absent.
func (in *Input) Bool(name string) (value, given bool) {
	a := in.find(name)
	return a != nil && a.text == "true", a != nil
}

// Int returns an integer parameter; given is false when it is absent.
func (in *Input) Int(name string) (value int, given bool) {
	a := in.find(name)
	if a == nil {
		return 0, false
	}
	n, err := parseInteger(a.text)
	return n, err == nil
}

// Coding returns a Coding parameter, nil when absent.
func (in *Input) Coding(name string) *r4.Coding {
	if a := in.find(name); a != nil && a.more != nil {
		return a.more.coding
	}
	return nil
}

// Codings returns every value of a Coding parameter that may repeat.
func (in *Input) Codings(name string) []r4.Coding {
	var list []r4.Coding
	for i := range in.args {
		if a := &in.args[i]; a.param.Name == name && a.more != nil && a.more.coding != nil {
			list = append(list, *a.more.coding)
		}
	}
	return list
}

// CodeableConcept returns a CodeableConcept parameter, nil when absent.
func (in *Input) CodeableConcept(name string) *r4.CodeableConcept {
	if a := in.find(name); a != nil && a.more != nil {
		return a.more.concept
	}
	return nil
}

// Resource returns the JSON of a resource parameter, nil if it is absent. Its type is the one that
// the row requires; nothing else has been checked.
func (in *Input) Resource(name string) json.RawMessage {
	if a := in.find(name); a != nil && a.more != nil {
		return a.more.resource
	}
	return nil
}

// Resources returns the JSON of every value of a resource parameter that may repeat.
func (in *Input) Resources(name string) []json.RawMessage {
	var list []json.RawMessage
	for i := range in.args {
		if a := &in.args[i]; a.param.Name == name && a.more != nil && a.more.resource != nil {
			list = append(list, a.more.resource)
		}
	}
	return list
}

// Parts returns the parts of every value of a parameter made of parts, in the order given.
func (in *Input) Parts(name string) [][]r4.Parameter {
	var list [][]r4.Parameter
	for i := range in.args {
		if a := &in.args[i]; a.param.Name == name && a.more != nil && a.more.part != nil {
			list = append(list, a.more.part)
		}
	}
	return list
}

// language returns the requested language for methods of the engine that take only one text: the
// parameter if there is one, else the header. A malformed header is ignored, as HTTP requires.
func language(in *Input) string {
	if s := in.String("displayLanguage"); s != "" || in.AcceptLanguage == "" {
		return s
	}
	if _, _, err := tag.ParseAcceptLanguage(in.AcceptLanguage); err != nil {
		return ""
	}
	return in.AcceptLanguage
}

// optionalBool returns a boolean parameter, nil when it is absent.
func optionalBool(in *Input, name string) *bool {
	if v, given := in.Bool(name); given {
		return &v
	}
	return nil
}

// isTrue reports whether a boolean parameter is true.
func isTrue(in *Input, name string) bool {
	v, _ := in.Bool(name)
	return v
}

const lenientDisplayName = "lenient-display-validation"

// lenientDisplay reports whether a wrong display is only a warning. Older clients request that
// with mode.
func lenientDisplay(in *Input) bool {
	return isTrue(in, lenientDisplayName) || in.String("mode") == lenientDisplayName
}

// strictDisplay reports whether a request states that it wants no lenience, so that a display
// which is no longer in use is an error.
func strictDisplay(in *Input) bool {
	return in.Has(lenientDisplayName) && !lenientDisplay(in)
}

func versionRules(in *Input) engine.VersionRules {
	return engine.VersionRules{
		System:   in.Strings("system-version"),
		Check:    in.Strings("check-system-version"),
		Force:    in.Strings("force-system-version"),
		ValueSet: in.Strings("default-valueset-version"),

		CheckValueSet: in.Strings("check-valueset-version"),
		ForceValueSet: in.Strings("force-valueset-version"),
	}
}

// valueSetOf decodes a value set parameter, nil if it is absent. It decodes it once, even if several
// validations of a batch share it.
func valueSetOf(in *Input, name string) (*r4.ValueSet, error) {
	a := in.find(name)
	if a == nil || a.more == nil || a.more.resource == nil {
		return nil, nil
	}
	if a.more.valueSet == nil {
		raw := a.more.resource
		a.more.valueSet = sync.OnceValues(func() (*r4.ValueSet, error) { return r4.DecodeValueSet(raw) })
	}
	vs, err := a.more.valueSet()
	if err != nil {
		return nil, &engine.ParameterError{Name: name, Problem: engine.ErrInvalidParameter, Cause: err}
	}
	return vs, nil
}

// find returns the first value of a parameter, nil when absent.
func (in *Input) find(name string) *arg {
	for i := range in.args {
		if in.args[i].param.Name == name {
			return &in.args[i]
		}
	}
	return nil
}

// put adds a value. It fails if the parameter may not repeat and has a value.
func (in *Input) put(a arg) error {
	if !a.param.Many && in.find(a.param.Name) != nil {
		return &engine.ParameterError{Name: a.param.Name, Problem: ErrRepeatedParameter}
	}
	if in.args == nil {
		in.args = in.inline[:0]
	}
	in.args = append(in.args, a)
	return nil
}

// unknown returns the error of a parameter that the operation does not have. Its text lists the
// parameters the operation has.
func (in *Input) unknown(name string) error {
	known := make([]string, 0, len(in.Op.In))
	for i := range in.Op.In {
		if !in.Op.In[i].Refused {
			known = append(known, in.Op.In[i].Name)
		}
	}
	return &engine.ParameterError{
		Name:    name,
		Problem: ErrUnknownParameter,
		Detail:  fmt.Sprintf("$%s has %s", in.Op.Name, strings.Join(known, ", ")),
	}
}
