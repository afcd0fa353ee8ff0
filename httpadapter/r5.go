package httpadapter

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/codesystem"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/r5"
	"github.com/roget-health/roget/resources/validate"
)

// The store and the engine have resources in R4. A base of R5 converts what it receives and what it
// sends.

// fhirR5 is the version of FHIR of bases that speak R5.
const fhirR5 = "5.0.0"

// typesR5 are the resource types with paths on a base of R5.
var typesR5 = [...]string{
	"CapabilityStatement", "CodeSystem", "ConceptMap", "NamingSystem", typeDefinition, "TerminologyCapabilities", "ValueSet",
}

func (b *base) isR5() bool { return b.fhir == fhirR5 }

// serves reports whether a resource type that the server has has paths on this base.
func (b *base) serves(typ string) bool { return !b.isR5() || slices.Contains(typesR5[:], typ) }

// served reports whether a resource type has paths on the base of the request.
func (c *call) served(typ string) bool { return c.h.served(typ) && c.at.serves(typ) }

// notOnR5 responds to a request for what a base of R5 does not have.
func (c *call) notOnR5(what string) {
	c.refuse(http.StatusNotFound, "not-supported", "%s is not served in R5; this base has %s, and the bases of R4 (%s) have the rest",
		what, strings.Join(typesR5[:], ", "), strings.Join(c.basesR4(), ", "))
}

// basesR4 returns the absolute URLs of the bases that speak R4.
func (c *call) basesR4() []string {
	var list []string
	for i := range bases {
		if !bases[i].isR5() && bases[i].path != "" {
			list = append(list, c.address()+bases[i].path)
		}
	}
	return list
}

// tables returns the definitions of the version of the base.
func (c *call) tables() *definitions.Tables {
	if c.at.isR5() {
		return definitions.R5()
	}
	return c.h.tables
}

// spoken returns a resource of R4 in the version of the base.
func (c *call) spoken(doc []byte) ([]byte, error) {
	if !c.at.isR5() {
		return doc, nil
	}
	var converted []byte
	err := c.converting(len(doc), func() (err error) {
		converted, err = r5.FromR4(doc)
		return err
	})
	return converted, err
}

// respond writes a resource of R4 in the version of the base.
func (c *call) respond(status int, body []byte) {
	body, err := c.spoken(body)
	if errors.Is(err, budget.ErrBusy) || errors.Is(err, budget.ErrTooLarge) {
		c.fail(err)
		return
	}
	if err != nil {
		c.h.Logger.LogAttrs(c.r.Context(), slog.LevelError, "a resource has no form in R5",
			slog.String("id", requestID(c.w)), slog.Any("err", err))
		c.refuse(http.StatusInternalServerError, "exception", "the answer has no form in R5: %v; ask a base of R4", err)
		return
	}
	c.fhir(status, body)
}

// understood returns a document of the version of the base in R4. It checks the document against the
// definitions of R5 before. A document of another type than the request's is returned unchanged, as
// that is an error in any version.
func (c *call) understood(doc []byte) ([]byte, error) {
	if !c.at.isR5() {
		return doc, nil
	}
	return toR4(doc)
}

// validatorR5 checks documents against the definitions of R5.
var validatorR5 = sync.OnceValue(func() *validate.Validator { return validate.New(definitions.R5()) })

func toR4(doc []byte) ([]byte, error) {
	parsed, err := document.Parse(doc, r4.DefaultLimits())
	if err != nil {
		return nil, err
	}
	if !r5.Supports(parsed.ResourceType()) {
		return doc, nil
	}
	if err := validate.Check(validatorR5().Validate(parsed)); err != nil {
		return nil, err
	}
	return r5.ToR4(doc)
}

// isTranslate reports whether an operation is $translate, whose parameters have other names in R5.
func isTranslate(op *operation.Operation) bool {
	return op.Type == "ConceptMap" && op.Name == "translate"
}

// understoodParameters returns the body of an operation in R4. It is not validated, as operations
// ignore what they do not know.
func (c *call) understoodParameters(op *operation.Operation, body []byte) ([]byte, error) {
	if !c.at.isR5() || op.Name == validateOperation.Name {
		return body, nil // $validate reads its resource as it is
	}
	header, err := r4.DecodeHeader(body)
	if err != nil || !r5.Supports(header.ResourceType) {
		return body, nil //nolint:nilerr // reading the parameters reports it
	}
	body, err = r5.ToR4(body)
	if err == nil && isTranslate(op) {
		body, err = r5.TranslateRequest(body)
	}
	return body, err
}

// isVersions reports whether an operation is $versions, whose answer is the version of the base.
func isVersions(op *operation.Operation) bool { return op.Type == "" && op.Name == "versions" }

// answer writes the result of an operation.
func (c *call) answer(op *operation.Operation, body []byte) {
	if c.at.isR5() && isVersions(op) {
		w := r4.NewParametersWriter(nil)
		w.Code("version", c.at.major())
		w.Code("default", c.at.major())
		body = w.Finish()
	}
	if c.at.isR5() && isTranslate(op) {
		var err error
		if body, err = r5.TranslateAnswer(body); err != nil {
			c.fail(err)
			return
		}
	}
	c.respond(http.StatusOK, body)
}

// understoodEntries converts the resources of a transaction to R4. The entries of a batch are
// requests, which convert their own.
func (c *call) understoodEntries(b *resources.Bundle) error {
	if !c.at.isR5() || b.Type != "transaction" {
		return nil
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		typ, _, _ := strings.Cut(strings.TrimPrefix(e.URL, "/"), "/")
		typ, _, _ = strings.Cut(typ, "?")
		var err error
		switch {
		case !c.served(typ):
			err = problem(http.StatusBadRequest, "not-supported", "%q is not served in R5; this base has %s", cut(typ), strings.Join(typesR5[:], ", "))
		case e.Method == http.MethodPatch:
			err = problem(http.StatusUnprocessableEntity, "not-supported", "a transaction of R5 has no PATCH; send the PATCH by itself or in a batch")
		case len(e.Resource) > 0:
			e.Resource, err = toR4(e.Resource)
		}
		if err != nil {
			return &resources.EntryError{Index: i, Err: err}
		}
	}
	return nil
}

// patchR5 applies a patch of a resource in R5 to the resource in R4.
type patchR5 struct{ resources.Patch }

// Apply implements resources.Patch.
func (p patchR5) Apply(doc []byte) ([]byte, error) {
	as5, err := r5.FromR4(doc)
	if err != nil {
		return nil, err
	}
	patched, err := p.Patch.Apply(as5)
	if err != nil {
		return nil, err
	}
	return toR4(patched)
}

// maxConverted is the number of concepts up to which a code system is converted as a whole. Of larger
// ones only the header is, as concepts differ in the additional uses of designations only.
const maxConverted = 100_000

// writeIndexR5 writes a code system in R5.
func (s *stream) writeIndexR5(x *codesystem.Index) error {
	header := x.Header().AppendJSON(nil)
	if x.Len() <= maxConverted {
		var whole collected
		if err := x.WriteJSON(&whole); err != nil {
			return err
		}
		return s.writeDocument(whole, nil)
	}
	as5, err := r5.FromR4(header)
	if err != nil {
		return err
	}
	return x.WriteJSON(&otherHeader{out: s, old: len(header) - 1, header: as5[:len(as5)-1]})
}

// collected collects what is written.
type collected []byte

// Write implements io.Writer.
func (c *collected) Write(p []byte) (int, error) {
	*c = append(*c, p...)
	return len(p), nil
}

// otherHeader writes another header in place of the first bytes of a code system.
type otherHeader struct {
	out    *stream
	old    int // length of the header that is replaced; the first write is at least as long
	header []byte
}

// Write implements io.Writer.
func (h *otherHeader) Write(p []byte) (int, error) {
	if h.header == nil {
		return h.out.Write(p)
	}
	if _, err := h.out.Write(h.header); err != nil {
		return 0, err
	}
	h.header = nil
	if _, err := h.out.Write(p[h.old:]); err != nil {
		return 0, err
	}
	return len(p), nil
}
