package httpadapter

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// resourceOperation is an operation on what clients store. It is declared and its
// parameters are read as those of the operation table are, but it works on Resources, not
// on an engine, and writes its answer itself.
type resourceOperation struct {
	operation.Operation
	onType bool // it is at /Type/$name too
	run    func(c *call, in *operation.Input)
}

// typeAny is the type of an operation that all stored types have.
const typeAny = "Resource"

// resourceOperations are those that this server has.
func (h *Handler) resourceOperations() []*resourceOperation {
	if len(h.stored) == 0 {
		return nil
	}
	list := []*resourceOperation{&validateOperation}
	if h.stored[everythingOperation.Type] {
		list = append(list, &everythingOperation)
	}
	return list
}

// operateHere runs the operation that the target names.
func (c *call) operateHere() {
	typ, name, id := c.label.typ, c.target.last, c.target.id
	op := c.h.resourceOperation(typ, name, id != "")
	if op == nil {
		c.operateByName(typ, name, id)
		return
	}
	c.label.action = op.Name
	in, err := c.input(&op.Operation, id)
	if err != nil {
		c.fail(err)
		return
	}
	op.run(c, in)
}

// resourceOperation finds the operation of a type by name, nil when there is none.
func (h *Handler) resourceOperation(typ, name string, instance bool) *resourceOperation {
	for _, op := range h.own {
		if op.Name == name && op.isOf(h, typ, instance) {
			return op
		}
	}
	return nil
}

func (op *resourceOperation) isOf(h *Handler, typ string, instance bool) bool {
	if instance && !op.Instance || !instance && !op.onType {
		return false
	}
	return op.Type == typ || op.Type == typeAny && h.stored[typ]
}

// operateByName runs an operation of the table on a type or the system, at the instance
// level when id is not "".
func (c *call) operateByName(typ, name, id string) {
	op := c.h.table[typ].named(id != "")[name]
	if op == nil {
		c.label = label{"operation", typ}
		c.unknownOperation(typ, name, id, c.h.operationNames(typ, id != ""))
		return
	}
	c.label = label{op.Name, op.Type}
	c.operate(op, id)
}

func (c *call) unknownOperation(typ, name, id string, known []string) {
	level := "the system"
	switch {
	case id != "":
		level = typ + " instances"
	case typ != "":
		level = typ
	}
	c.refuse(http.StatusNotFound, "not-supported", "operation $%s is not supported on %s; it has %s", cut(name), level, strings.Join(known, ", "))
}

// operationNames lists the operations of a type or the system, with $, in order.
func (h *Handler) operationNames(typ string, instance bool) []string {
	list := lo.Map(lo.Keys(h.table[typ].named(instance)), func(name string, _ int) string { return "$" + name })
	for _, op := range h.own {
		if op.isOf(h, typ, instance) {
			list = append(list, "$"+op.Name)
		}
	}
	slices.Sort(list)
	return list
}

// knowsOperation reports that there is an operation that the target names.
func (c *call) knowsOperation() bool {
	return c.operation() != nil || c.h.resourceOperation(c.label.typ, c.target.last, c.target.id != "") != nil
}

// operate runs an operation with the parameters of the request.
func (c *call) operate(op *operation.Operation, id string) {
	in, err := c.input(op, id)
	if err != nil {
		c.fail(err)
		return
	}
	result, err := c.h.runner.Run(c.context(), in)
	if err != nil {
		c.fail(missing(err, op.Type, id))
		return
	}
	c.buf = result.AppendJSON(c.buf[:0])
	c.fhir(http.StatusOK, c.buf)
}

// input reads the parameters of an operation from the request and checks that the client
// accepts JSON.
func (c *call) input(op *operation.Operation, id string) (*operation.Input, error) {
	strict := c.strictParameters()
	in := &c.in
	in.Reset(op)
	in.ID = id
	if op.AffectsState { // only these operations refer to resources of this server
		in.Base = c.base()
	}
	if language := c.r.Header["Accept-Language"]; language != nil {
		in.AcceptLanguage = language[0]
	}
	err := in.DecodeQuery(c.r.URL.RawQuery, strict)
	if err == nil && c.r.Method == http.MethodPost {
		err = c.bodyParameters(in, strict)
	}
	if err != nil {
		return nil, err
	}
	return in, c.negotiate(in.Control.Format, in.Control.Pretty)
}

// strictParameters reports whether unknown parameters are refused. A GET refuses them unless
// the client prefers leniency. A POST refuses them only when the client prefers strictness.
func (c *call) strictParameters() bool {
	if prefer := c.r.Header["Prefer"]; prefer != nil {
		switch preference(prefer, "handling") {
		case "strict":
			return true
		case "lenient":
			return false
		}
	}
	return c.r.Method != http.MethodPost
}

// bodyParameters decodes the parameters in the body of a POST.
func (c *call) bodyParameters(in *operation.Input, strict bool) error {
	media, err := c.mediaType()
	if err != nil {
		return err
	}
	body, err := c.body(c.sent)
	if err != nil {
		return err
	}
	c.sent = body
	if media == mediaForm {
		return in.DecodeQuery(string(body), strict)
	}
	if len(body) == 0 {
		return nil // all parameters are in the query
	}
	return decodeBody(in, body, strict)
}

// decodeBody reads a body of JSON: Parameters, or the resource itself where the
// operation has exactly one parameter of its type (R4 operations.html#request).
func decodeBody(in *operation.Input, body []byte, strict bool) error {
	p, err := r4.DecodeParameters(body)
	if err == nil {
		return in.DecodeParameters(p, strict)
	}
	header, headerErr := r4.DecodeHeader(body)
	if headerErr != nil || header.ResourceType == "Parameters" {
		return err
	}
	var only *operation.Param
	for i := range in.Op.In {
		if q := &in.Op.In[i]; (q.Type == header.ResourceType || q.Type == typeAny) && !q.Many {
			if only != nil {
				return err
			}
			only = q
		}
	}
	if only == nil {
		return withStatus(http.StatusBadRequest, operation.Problem{
			Code: "invalid", Expression: "resourceType",
			Text: fmt.Sprintf("the body of $%s is a Parameters resource, not %q", in.Op.Name, header.ResourceType),
		})
	}
	// What is made of the resource may be kept, the memory of the body is not.
	return in.DecodeParameters(&r4.Parameters{Parameter: []r4.Parameter{{Name: only.Name, Resource: slices.Clone(body)}}}, strict)
}
