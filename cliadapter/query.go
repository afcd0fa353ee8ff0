package cliadapter

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
)

// queryCommands makes a command of each Operation.Command of the table. Rows that
// share a command are its variants, tried in table order.
func (c *CLI) queryCommands() []*command {
	var commands []*command
	rows := map[string][]*operation.Operation{}
	for _, op := range c.config.Operations {
		if op.Command == "" {
			continue
		}
		if len(rows[op.Command]) == 0 {
			commands = append(commands, &command{name: op.Command})
		}
		rows[op.Command] = append(rows[op.Command], op)
	}
	for _, cmd := range commands {
		variants := rows[cmd.name]
		flags := flagNames(variants)
		describe(cmd, variants, flags)
		cmd.run = func(ctx context.Context, inv *invocation) error {
			return inv.query(ctx, variants, flags)
		}
		if cmd.name == searchCommand {
			c.searchesResources(cmd)
		}
	}
	return commands
}

// flagNames returns the flag of each parameter of the rows of a command, by the name of
// the parameter: that name in kebab-case. Where another parameter is spelled just so
// (systemVersion beside system-version), the name stays as it is.
func flagNames(rows []*operation.Operation) map[string]string {
	flags := map[string]string{}
	for _, op := range rows {
		for i := range op.In {
			flags[op.In[i].Name] = op.In[i].Name
		}
	}
	for name := range flags {
		if short := kebab(name); flags[short] == "" {
			flags[name] = short
		}
	}
	return flags
}

// describe fills in what help and the parser need, from the rows of a command.
func describe(cmd *command, rows []*operation.Operation, flags map[string]string) {
	cmd.group, cmd.access = groupQuery, accessRead
	var docs []string
	for _, op := range rows {
		if cmd.summary == "" {
			cmd.summary = op.Summary
		}
		if !slices.Contains(docs, op.Doc) {
			docs = append(docs, op.Doc)
		}
	}
	cmd.doc = strings.Join(docs, "\n\n")
	for _, op := range rows {
		for _, p := range op.In {
			if p.HTTPOnly {
				continue
			}
			name := flags[p.Name]
			if p.Arg > 0 {
				for len(cmd.args) < p.Arg {
					cmd.args = append(cmd.args, argument{})
				}
				if a := &cmd.args[p.Arg-1]; a.name == "" {
					*a = argument{name: strings.ToUpper(name), many: p.Many, usage: "as --" + name}
				}
			}
			if cmd.options.find(name) != nil {
				continue
			}
			opt := &option{names: []string{name}, also: p.Name, value: p.Type != "boolean", many: p.Many, hint: p.Type, usage: p.Doc, preset: p.Default}
			if p.Type == "" {
				opt.hint = "value"
			}
			if p.Type == "boolean" {
				opt.hint = ""
			}
			cmd.options = append(cmd.options, opt)
		}
	}
	cmd.options = append(cmd.options, sourceOptions()...)
	cmd.options = append(cmd.options, outputOptions()...)
}

// query runs the first variant that takes the flags and arguments given and has all
// it requires; when none does, the one that lacks least says what is missing.
func (inv *invocation) query(ctx context.Context, variants []*operation.Operation, flags map[string]string) error {
	op, given, err := inv.choose(variants, flags)
	if err != nil {
		return err
	}
	var in operation.Input
	in.Reset(op)
	for _, g := range given {
		if err := in.Add(g.param, g.value); err != nil {
			return err
		}
	}
	return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		result, err := op.Run(ctx, operation.Env{Engine: eng}, &in)
		if err != nil {
			return inv.explain(inv.pointAt(err, in.String("ecl")), eng)
		}
		return inv.answer(result)
	})
}

// answer prints a result in the form asked for. A clean no becomes errNo.
func (inv *invocation) answer(result operation.Result) error {
	var err error
	if inv.text("output") == "json" {
		err = inv.writeJSON(result.AppendJSON(nil))
	} else {
		err = inv.writeTable(result.Table())
	}
	if err == nil && !result.Yes() {
		err = errNo
	}
	return err
}

// assignment is one value for one parameter.
type assignment struct{ param, value string }

// choose picks the variant for what was given, and what was given in its terms. When
// none fits, the error is about the first.
func (inv *invocation) choose(variants []*operation.Operation, flags map[string]string) (*operation.Operation, []assignment, error) {
	var first error
	for _, op := range variants {
		given, err := inv.assign(op, flags)
		if err == nil {
			err = lacks(op, given, flags)
		}
		if err == nil {
			return op, given, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, nil, first
}

// assign reads flags and arguments as parameters of op. A flag that op does not have
// is wrong usage.
func (inv *invocation) assign(op *operation.Operation, flags map[string]string) ([]assignment, error) {
	var given []assignment
	known := map[string]bool{}
	args := inv.args()
	used := 0
	for i := range op.In {
		p := &op.In[i]
		if p.HTTPOnly {
			continue
		}
		name := flags[p.Name]
		known[name] = true
		flagged := inv.parsed.IsSet(name)
		switch {
		case !flagged:
		case p.Type == "boolean":
			value := "false"
			if inv.is(name) {
				value = "true"
			}
			given = append(given, assignment{p.Name, value})
		case p.Many:
			for _, value := range inv.list(name) {
				given = append(given, assignment{p.Name, value})
			}
		default:
			given = append(given, assignment{p.Name, inv.text(name)})
		}
		if p.Arg == 0 || len(args) < p.Arg {
			continue
		}
		values := args[p.Arg-1 : p.Arg]
		if p.Many {
			values = args[p.Arg-1:]
		} else if flagged {
			return nil, usagef("%s is given twice: as argument %q and as --%s", strings.ToUpper(name), values[0], name)
		}
		used = max(used, p.Arg-1+len(values))
		for _, value := range values {
			given = append(given, assignment{p.Name, value})
		}
	}
	if used < len(args) {
		return nil, usagef("unexpected argument %q", args[used])
	}
	for _, opt := range inv.cmd.options {
		name := opt.names[0]
		if inv.parsed.IsSet(name) && !known[name] && !slices.Contains(commonOptions, name) {
			return nil, usagef("--%s does not go with the other parameters given", name)
		}
	}
	return given, nil
}

// lacks reports the first required parameter that was not given.
func lacks(op *operation.Operation, given []assignment, flags map[string]string) error {
	for i := range op.In {
		p := &op.In[i]
		if p.Min == 0 || slices.ContainsFunc(given, func(g assignment) bool { return g.param == p.Name }) {
			continue
		}
		return operation.Missing(p.Name, "give --"+flags[p.Name])
	}
	return nil
}

// kebab writes a FHIR name with hyphens: valueSetUrl gives value-set-url, and a run
// of capitals stays together.
func kebab(name string) string {
	var b strings.Builder
	small := false // the rune before is neither a capital nor a hyphen
	for _, r := range name {
		if unicode.IsUpper(r) {
			if small {
				b.WriteByte('-')
			}
			b.WriteRune(unicode.ToLower(r))
			small = false
			continue
		}
		b.WriteRune(r)
		small = r != '-'
	}
	return b.String()
}

// ask runs a question on the engine that the flags --load and --data, and src beside
// them, ask for. Without any to load it has the default data folder, when there is one,
// and the built-in samples.
func (inv *invocation) ask(ctx context.Context, src Sources, question func(*engine.Engine) error) error {
	src.Load = append(slices.Clone(inv.list("load")), src.Load...)
	switch {
	case inv.given("data"):
		src.Data = inv.text("data")
	case len(src.Load) == 0:
		src.Data, src.Optional, src.Samples = defaultData, true, true
	}
	obs := inv.observer()
	defer obs.finish()
	return inv.cli.config.Backend.Query(ctx, src, obs, func(eng *engine.Engine) error {
		obs.finish()
		return question(eng)
	})
}
