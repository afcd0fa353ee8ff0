package cliadapter

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// A listCall asks the operation of a command about the items of a list.
type listCall struct {
	op       *operation.Operation
	rules    engine.Rules
	env      operation.Env
	names    *lineNames   // of the code systems of items
	constant []assignment // parameters that are the same for all items
	fed      []string     // parameters that are the codes of an item
	fields   []string     // the names of the codes in answers
	// Names of the parameters for the other parts of an item; "" if there is none.
	system, version, display string
}

// newListCall reads the parameters that are the same for all items, and which parameters the items
// have.
func (inv *invocation) newListCall(variants []*operation.Operation, flags map[string]string, q *listQuestion) (*listCall, error) {
	op, given, err := inv.choose(variants, question{args: inv.Args(), flags: flags, list: q})
	if err != nil {
		return nil, err
	}
	c := &listCall{op: op, constant: given, system: paramOf(op, systemParam), version: paramOf(op, versionParams[:]...), display: paramOf(op, displayParam)}
	for _, name := range listedParams(op) {
		if !hasAssignment(given, name) {
			c.fed = append(c.fed, name)
		}
	}
	if len(c.fed) == 0 {
		return nil, command.Usagef("%s is given, and so is a list of codes with --from", strings.ToUpper(flags[listedParams(op)[0]]))
	}
	if op.Ruled {
		if c.rules, err = inv.rules(); err != nil {
			return nil, err
		}
	}
	var in operation.Input
	return c, c.fill(&in, &lists.Item{})
}

// codeColumns returns the columns of the codes of an item, and the names of their fields in
// answers.
func (inv *invocation) codeColumns(c *listCall) (columns []lists.Column, fields []string, err error) {
	all := listedParams(c.op)
	for i, name := range all {
		flag := "column"
		if len(all) == 2 {
			flag = "column-" + strings.ToLower(name[len(name)-1:])
		}
		switch {
		case slices.Contains(c.fed, name):
			columns = append(columns, inv.column(flag))
			fields = append(fields, sheetOf(c.op.Command, nil).codes[i])
		case inv.IsSet(flag):
			return nil, nil, command.Usagef("--%s names a column, but the code is given", flag)
		}
	}
	return columns, fields, nil
}

// fill sets the parameters for an item. Those that it does not have keep their constant value.
func (c *listCall) fill(in *operation.Input, it *lists.Item) error {
	in.Reset(c.op)
	in.Rules = c.rules
	system, version := c.names.system(it.System), it.Version
	if c.version == "" { // member-of takes url|version
		system = versioned(system, version)
	}
	own := [...]assignment{{c.system, system}, {c.version, version}, {c.display, it.Display}}
	for _, g := range c.constant {
		replaced := false
		for _, a := range own {
			replaced = replaced || a.param == g.param && a.value != ""
		}
		if replaced {
			continue
		}
		if err := in.Add(g.param, g.value); err != nil {
			return err
		}
	}
	for _, a := range own {
		if a.param == "" || a.value == "" {
			continue
		}
		if err := in.Add(a.param, a.value); err != nil {
			return err
		}
	}
	for i, name := range c.fed {
		if it.Codes[i] == "" {
			continue
		}
		if err := in.Add(name, it.Codes[i]); err != nil {
			return err
		}
	}
	return nil
}

// ask asks about an item.
func (c *listCall) ask(ctx context.Context, in *operation.Input, it *lists.Item) (operation.Result, error) {
	if err := c.fill(in, it); err != nil {
		return nil, err
	}
	return c.op.Run(ctx, c.env, in)
}

// probe asks about a code that hardly exists, and returns an error that every code would have.
func (c *listCall) probe(ctx context.Context) error {
	const code = "roget-probe"
	var in operation.Input
	_, err := c.ask(ctx, &in, &lists.Item{Codes: [2]string{code, code}})
	if operation.ExitCode(err) == operation.ExitNo {
		return nil
	}
	return err
}

// wholly reports whether an error is about what all items share.
func wholly(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, engine.ErrUnknownValueSet) || errors.Is(err, engine.ErrUnknownConceptMap)
}

// versioned returns a canonical of a code system.
func versioned(system, version string) string {
	if version == "" || system == "" || strings.Contains(system, "|") {
		return system
	}
	return system + "|" + version
}
