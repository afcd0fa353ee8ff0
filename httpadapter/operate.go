package httpadapter

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/roget-health/roget/budget"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/r4"
)

// resourceOperation is an operation on stored resources. It is declared like the operations of
// the table, and its parameters are read in the same way, but it uses Resources in place of the
// engine and writes its own response.
type resourceOperation struct {
	operation.Operation
	onType bool // also at /Type/$name
	raw    bool // run reads the parameters itself
	table  bool // run chooses the format of the response, which is no resource
	run    func(c *call, in *operation.Input)
}

// headerCacheID names the cache of resources that a request uses ($cache-control).
const headerCacheID = "X-Cache-Id"

// typeAny is the type of an operation on every stored type.
const typeAny = "Resource"

// storedOperations returns the resource operations that this server supports.
func (h *Handler) storedOperations() []*resourceOperation {
	if len(h.stored) == 0 {
		return nil
	}
	list := append([]*resourceOperation{&validateOperation}, metaOperations()...)
	if h.stored[lastNOperation.Type] && h.Resources.Searches() {
		list = append(list, &lastNOperation)
	}
	if h.Resources.Searches() {
		list = append(list, &viewOperation)
	}
	for _, typ := range h.types {
		if h.stored[typ] && h.tables.Compartment(typ) != nil {
			list = append(list, everythingOperation(typ))
		}
	}
	if h.Exports != nil {
		for i := range exportOperations {
			if op := &exportOperations[i]; op.Type == "" || h.stored[op.Type] {
				list = append(list, op)
			}
		}
	}
	if h.Imports != nil {
		list = append(list, &importOperation)
	}
	return list
}

// operateTarget runs the operation that the target names.
func (c *call) operateTarget() {
	typ, name, id := c.label.typ, c.target.last, c.target.id
	op := c.h.resourceOperation(typ, name, id != "")
	if op == nil {
		c.operateFromTable(typ, name, id)
		return
	}
	c.label.action = op.Name
	in, err := &c.in, error(nil)
	switch {
	case op.raw:
		_, err = c.negotiateQuery()
	case op.table:
		c.format = formatJSON
		in, err = c.decode(&op.Operation, id)
	default:
		in, err = c.input(&op.Operation, id)
	}
	if err != nil {
		c.fail(err)
		return
	}
	op.run(c, in)
}

// resourceOperation returns the resource operation of a type by name, or nil.
func (h *Handler) resourceOperation(typ, name string, instance bool) *resourceOperation {
	for _, op := range h.resourceOperations {
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

// operateFromTable runs an operation of the table on a type or the system, or on an instance if
// id is not "".
func (c *call) operateFromTable(typ, name, id string) {
	op := c.h.operationsByType[typ].named(id != "")[name]
	if op == nil {
		c.label = label{"operation", typ}
		c.unknownOperation(typ, name, id, c.h.operationNames(typ, id != ""))
		return
	}
	c.label = label{op.Name, op.Type}
	c.operate(op, id)
}

func (c *call) unknownOperation(typ, name, id string, known []string) {
	if name == "import" && typ == "" {
		c.refuse(http.StatusNotFound, "not-supported", "this server does not offer $import; its operator can with --imports DIR and --import-hosts HOST")
		return
	}
	level := "the system"
	switch {
	case id != "":
		level = typ + " instances"
	case typ != "":
		level = typ
	}
	c.refuse(http.StatusNotFound, "not-supported", "operation $%s is not supported on %s, which supports %s", cut(name), level, strings.Join(known, ", "))
}

// operationNames returns the operations of a type or the system, with $, in ascending order.
func (h *Handler) operationNames(typ string, instance bool) []string {
	list := lo.Map(lo.Keys(h.operationsByType[typ].named(instance)), func(name string, _ int) string { return "$" + name })
	for _, op := range h.resourceOperations {
		if op.isOf(h, typ, instance) {
			list = append(list, "$"+op.Name)
		}
	}
	slices.Sort(list)
	return list
}

// hasOperation reports whether the target names an operation of this server.
func (c *call) hasOperation() bool {
	return c.operation() != nil || c.h.resourceOperation(c.label.typ, c.target.last, c.target.id != "") != nil
}

// operate runs an operation with the parameters of the request and writes its result.
func (c *call) operate(op *operation.Operation, id string) {
	in, err := c.input(op, id)
	if err != nil {
		c.fail(err)
		return
	}
	weight := codeSize * wanted(in)
	err = c.hold(weight)
	var result operation.Result
	if err == nil {
		result, err = c.h.runner.Run(c.context(), in)
	}
	if err != nil {
		c.fail(notFoundIfBadID(err, op.Type, id))
		return
	}
	if whole, ok := result.(streamed); ok && max(weight, sizeOf(result)) >= budget.Small && !c.at.isR5() {
		c.answerStream(whole)
		return
	}
	c.responseBody = result.AppendJSON(c.responseBody[:0])
	c.answer(op, c.responseBody)
}

// codeSize is the memory in bytes that one code of an answer needs: a few strings and properties, and
// their JSON.
const codeSize = 400

// wanted returns how many codes a request wants, as far as it says that.
func wanted(in *operation.Input) int {
	most := 0
	for _, name := range [...]string{"count", "limit"} {
		if _, has := in.Op.Param(name); has {
			n, _ := in.Int(name)
			most = max(most, n)
		}
	}
	return min(most, engine.DefaultMaxCount)
}

// streamed is a result that can be written in pieces.
type streamed interface{ WriteJSON(w io.Writer) error }

// sizeOf returns the size of a result in bytes, 0 if the result does not tell.
func sizeOf(result operation.Result) int {
	if sized, ok := result.(interface{ Size() int }); ok {
		return sized.Size()
	}
	return 0
}

// answerStream writes a large result in pieces.
func (c *call) answerStream(result streamed) {
	s := newStream(c, http.StatusOK)
	if err := result.WriteJSON(s); err != nil {
		if s.err == nil { // else the client has gone
			s.abort(err)
		}
		return
	}
	s.close()
}

// input reads the parameters of an operation from the request and chooses the format of the
// response.
func (c *call) input(op *operation.Operation, id string) (*operation.Input, error) {
	in, err := c.decode(op, id)
	if err != nil {
		return nil, err
	}
	return in, c.negotiate(in.Control.Format, in.Control.Pretty)
}

// decode reads the parameters of an operation from the request.
func (c *call) decode(op *operation.Operation, id string) (*operation.Input, error) {
	strict := c.strictParameters()
	in := &c.in
	in.Reset(op)
	in.ID, in.Rules = id, c.at.rules
	if op.AffectsState { // only these operations refer to resources of this server
		in.Base = c.base()
	}
	in.Endpoint = c.at.path
	switch ids := c.r.Header[headerCacheID]; {
	case len(ids) == 1:
		in.CacheID = ids[0]
	case len(ids) > 1:
		return nil, withStatus(http.StatusBadRequest, operation.Problem{
			Code: "invalid", Detail: "cache-id-duplicate", Text: "the header " + headerCacheID + " is given more than once",
		})
	}
	if language := c.r.Header["Accept-Language"]; language != nil {
		in.AcceptLanguage = language[0]
	}
	err := in.DecodeQuery(c.r.URL.RawQuery, strict)
	if err == nil && c.r.Method == http.MethodPost {
		err = c.bodyParameters(in, strict)
	}
	return in, err
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
	body, err := c.readBody(c.requestBody)
	if err != nil {
		return err
	}
	c.requestBody = body
	if media == mediaForm {
		return in.DecodeQuery(string(body), strict)
	}
	if len(body) == 0 {
		return nil // all parameters are in the query
	}
	if media == mediaXML {
		if body, err = c.fromXML(body); err != nil {
			return err
		}
	}
	if body, err = c.understoodParameters(in.Op, body); err != nil {
		return err
	}
	return decodeBody(in, body, strict)
}

// decodeBody decodes a JSON body: Parameters, or a resource if the operation has exactly one
// parameter of its type (R4 operations.html#request).
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
			Text: fmt.Sprintf("the body of $%s must be a Parameters resource, not %q", in.Op.Name, header.ResourceType),
		})
	}
	// The resource may be cached, while the memory of the body is reused.
	return in.DecodeParameters(&r4.Parameters{Parameter: []r4.Parameter{{Name: only.Name, Resource: slices.Clone(body)}}}, strict)
}
