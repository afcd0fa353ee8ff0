package httpadapter

import (
	"cmp"
	"fmt"

	"github.com/roget-health/roget/engine"
)

// The elements of TerminologyCapabilities that this server sets
// (R4 terminologycapabilities.html).
type (
	terminologyCapabilities struct {
		statementHeader
		Software     software            `json:"software"`
		Server       server              `json:"implementation"`
		LockedDate   bool                `json:"lockedDate"`
		CodeSystem   []systemCapability  `json:"codeSystem,omitempty"`
		Expansion    expansionCapability `json:"expansion"`
		CodeSearch   string              `json:"codeSearch"`
		ValidateCode map[string]bool     `json:"validateCode"`
		Translation  map[string]bool     `json:"translation"`
		Closure      map[string]bool     `json:"closure,omitempty"`
	}
	systemCapability struct {
		Extension   []featureValue      `json:"extension,omitempty"`
		URI         string              `json:"uri"`
		Version     []versionCapability `json:"version,omitempty"`
		Subsumption bool                `json:"subsumption"`
	}
	versionCapability struct {
		Code      string `json:"code,omitempty"`
		IsDefault bool   `json:"isDefault"`
		Composed  bool   `json:"compositional,omitempty"`
	}
	expansionCapability struct {
		Hierarchical bool             `json:"hierarchical"`
		Paging       bool             `json:"paging"`
		Incomplete   bool             `json:"incomplete"`
		Parameter    []namedParameter `json:"parameter,omitempty"`
		TextFilter   string           `json:"textFilter"`
	}
	namedParameter struct {
		Name          string `json:"name"`
		Documentation string `json:"documentation"`
	}
)

// terminologyCapabilities returns the TerminologyCapabilities, with the code systems of the engine.
func (h *Handler) terminologyCapabilities(at *base, base string) *terminologyCapabilities {
	s := &terminologyCapabilities{
		statementHeader: h.statementHeader("TerminologyCapabilities", "roget-terminology", "RogetTerminologyCapabilities",
			base+"/metadata?mode=terminology", at.rulesText()+" "+h.limitsText()+" "+h.expansionText(at.rules)),
		Software: software{Name: h.Name, Version: h.Version}, // R4 has no date here
		Server:   server{h.Name + " terminology server", base},
		Expansion: expansionCapability{
			Hierarchical: true, Paging: true, Incomplete: true,
			Parameter:  h.expansionParameters(),
			TextFilter: "A concept matches if every word of the filter is a prefix of a word of its display or of one of its designations, or if the filter is a prefix of its code. Case and accents are ignored.",
		},
		CodeSearch:   "all",
		ValidateCode: map[string]bool{"translations": false},
		Translation:  map[string]bool{"needsMap": true},
	}
	if h.Closures != nil {
		s.Closure = map[string]bool{"translation": false}
	}
	for _, e := range h.Engine.Entries("CodeSystem") {
		if e.Header.URL == "" || e.Content == "supplement" || e.Content == "not-present" {
			continue // such a code system cannot answer questions on its own
		}
		s.add(h.Engine, e, at.isR5())
	}
	return s
}

// expansionText describes the limits of an expansion.
func (h *Handler) expansionText(rules engine.Rules) string {
	limits := h.Engine.Limits()
	text := fmt.Sprintf("An expansion contains all codes unless count limits it, and fails with the code too-costly if there are more than %d", limits.ExpandLimit)
	if rules == engine.Clinical && limits.DefaultCount > 0 {
		text = fmt.Sprintf("An expansion contains %d codes unless count says otherwise", limits.DefaultCount)
	}
	if limits.MaxCount > 0 {
		text += fmt.Sprintf("; a page contains at most %d", limits.MaxCount)
	}
	return text + "."
}

// contentExtension is the extension with the content of a code system, which R5 requires.
const contentExtension = "http://hl7.org/fhir/5.0/StructureDefinition/extension-TerminologyCapabilities.codeSystem.content"

// add adds a version of a code system, with its content if withContent is set. Entries must come in
// the order of their URLs.
func (s *terminologyCapabilities) add(eng *engine.Engine, e *engine.Entry, withContent bool) {
	last := len(s.CodeSystem) - 1
	if last < 0 || s.CodeSystem[last].URI != e.Header.URL {
		s.CodeSystem = append(s.CodeSystem, systemCapability{URI: e.Header.URL, Subsumption: true})
		last++
		if withContent {
			s.CodeSystem[last].Extension = []featureValue{{URL: contentExtension, ValueCode: cmp.Or(e.Content, "complete")}}
		}
	}
	of := &s.CodeSystem[last]
	of.Version = append(of.Version, versionCapability{Code: e.Header.Version, IsDefault: eng.IsDefault(e), Composed: e.Grammar != nil || e.Header.URL == "http://snomed.info/sct"})
}
