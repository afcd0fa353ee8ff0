package httpadapter

import (
	"slices"

	"github.com/samber/lo"

	"github.com/roget-health/roget/engine/operation"
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

// knowsOperation reports that there is an operation that the target names.
func (c *call) knowsOperation() bool {
	return c.operation() != nil || c.h.resourceOperation(c.label.typ, c.target.last, c.target.id != "") != nil
}

// operation returns the row of the table that the target names, nil when there is none.
func (c *call) operation() *operation.Operation {
	return c.h.table[c.label.typ].named(c.target.id != "")[c.target.last]
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
