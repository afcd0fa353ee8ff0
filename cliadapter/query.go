package cliadapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/base"
	"github.com/roget-health/roget/engine/operation"
)

// queryCommands makes a command of each Operation.Command of the table. Rows that
// share a command are its variants, tried in table order.
func (c builder) queryCommands() []*cli.Command {
	var commands []*cli.Command
	rows := map[string][]*operation.Operation{}
	for _, op := range c.config.Operations {
		if op.Command == "" {
			continue
		}
		if len(rows[op.Command]) == 0 {
			commands = append(commands, &cli.Command{Name: op.Command})
		}
		rows[op.Command] = append(rows[op.Command], op)
	}
	for _, cmd := range commands {
		variants := rows[cmd.Name]
		flags := flagNames(variants)
		details := c.describe(cmd, variants, flags)
		action := func(ctx context.Context, inv *invocation) error { return inv.query(ctx, variants, flags) }
		if cmd.Name == searchCommand {
			action = searchesResources(cmd, &details, action)
		}
		if variants[0].Stored {
			details.Access = command.Writes
			action = func(ctx context.Context, inv *invocation) error { return inv.queryStore(ctx, variants, flags) }
		}
		details.Run = c.run(action)
		c.Add(cmd, details)
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

// shortNames is about the canonicals on a command line.
const shortNames = "In place of a url, a well-known name, an id, a name or an unambiguous part of one will do: icd-10-cm, snomed|VERSION, animals?fhir_vs."

// describe fills in what help and the parser need, from the rows of a command.
func (c builder) describe(cmd *cli.Command, rows []*operation.Operation, flags map[string]string) command.Details {
	details := command.Details{Access: command.Reads}
	cmd.Category, cmd.Usage = groupQuery, rows[0].Summary
	var docs []string
	for _, op := range rows {
		if !slices.Contains(docs, op.Doc) {
			docs = append(docs, op.Doc)
		}
	}
	if slices.ContainsFunc(rows, func(op *operation.Operation) bool {
		return slices.ContainsFunc(op.In, func(p operation.Param) bool { return p.Names != "" && !p.HTTPOnly })
	}) {
		docs = append(docs, shortNames)
	}
	cmd.Description = strings.Join(docs, "\n\n")
	for _, op := range rows {
		for _, example := range op.Examples {
			if !slices.Contains(details.Examples, example) { // of another row
				details.Examples = append(details.Examples, example)
			}
		}
		for i := range op.In {
			p := &op.In[i]
			if p.HTTPOnly {
				continue
			}
			name := flags[p.Name]
			if p.Arg > 0 {
				for len(details.Args) < p.Arg {
					details.Args = append(details.Args, command.Argument{})
				}
				if a := &details.Args[p.Arg-1]; a.Name == "" {
					*a = command.Argument{Name: strings.ToUpper(name), Many: p.Many, Usage: "The same as --" + name + ".", Complete: c.completer(p.Type, p.Name, p.Names)}
				}
			}
			if command.FindFlag(cmd.Flags, name) == nil {
				cmd.Flags = append(cmd.Flags, c.parameterFlag(name, p))
			}
		}
	}
	if slices.ContainsFunc(rows, func(op *operation.Operation) bool { return op.Ruled }) {
		cmd.Flags = append(cmd.Flags, rulesOption())
	}
	sources := sourceOptions()
	if rows[0].Stored {
		sources = append(storeOptions("Data folder with the resource store and the loaded code systems. It is made if it does not exist."), sources[0])
	}
	output := outputOptions()
	output[0].(*command.Flag).Usage = "`FORMAT` Output format: table for people; json for programs, the FHIR resource that the HTTP service returns."
	cmd.Flags = slices.Concat(cmd.Flags, sources, output)
	if isListed(cmd.Name) {
		describeLists(cmd, output[0].(*command.Flag), &details, rows)
	}
	return details
}

// parameterFlag is the flag of a parameter. The name of the parameter is understood, too.
func (c builder) parameterFlag(name string, p *operation.Param) cli.Flag {
	var aliases []string
	if p.Name != name {
		aliases = []string{p.Name}
	}
	usage := "`" + cmp.Or(p.Type, "value") + "` " + p.Doc
	switch {
	case p.Type == "boolean":
		return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: p.Doc, DefaultText: p.Default}
	case p.Many:
		return &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: usage}
	}
	return &command.Flag{
		StringFlag: cli.StringFlag{Name: name, Aliases: aliases, Usage: usage, Value: p.Default},
		Complete:   c.completer(p.Type, p.Name, p.Names),
	}
}

// query runs the first variant that has all given flags and arguments and all of whose required
// parameters are given. If there is none, it returns an error about the first variant.
func (inv *invocation) query(ctx context.Context, variants []*operation.Operation, flags map[string]string) error {
	if inv.asksList(variants[0]) {
		return inv.queryList(ctx, variants, flags)
	}
	if err := inv.checkSingle(variants[0]); err != nil {
		return err
	}
	in, err := inv.input(variants, flags)
	if err != nil {
		return err
	}
	op := in.Op
	return inv.ask(ctx, Sources{Base: true}, func(eng *engine.Engine) error {
		if err := inv.rename(in, flags, eng); err != nil {
			return err
		}
		result, err := op.Run(ctx, operation.Env{Engine: eng.Under(in.Rules)}, in)
		if err != nil {
			return explain(inv.pointAt(missingFlag(err, op, flags, in.String("code"), eng), in.String("ecl")), eng)
		}
		return inv.answer(result)
	})
}

// queryStore runs an operation that needs a store of resources.
func (inv *invocation) queryStore(ctx context.Context, variants []*operation.Operation, flags map[string]string) error {
	in, err := inv.input(variants, flags)
	if err != nil {
		return err
	}
	address, err := inv.storeAddress()
	if err != nil {
		return err
	}
	o := StoreOptions{Data: cmp.Or(inv.Text("data"), defaultData), Store: address, Load: inv.List("load"), Write: true, Terminology: true}
	obs := inv.observer()
	defer obs.finish()
	return inv.cli.config.Backend.Closures(ctx, o, obs, func(closures operation.Closures) error {
		obs.finish()
		result, err := in.Op.Run(ctx, operation.Env{Closures: closures}, in)
		if err != nil {
			return err
		}
		return inv.answer(result)
	})
}

// input returns the parameters of the first variant that fits the command line.
func (inv *invocation) input(variants []*operation.Operation, flags map[string]string) (*operation.Input, error) {
	op, given, err := inv.choose(variants, question{args: inv.Args(), flags: flags})
	if err != nil {
		return nil, err
	}
	in := new(operation.Input)
	in.Reset(op)
	if op.Ruled {
		if in.Rules, err = inv.rules(); err != nil {
			return nil, err
		}
	}
	for _, g := range given {
		if err := in.Add(g.param, g.value); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// answer prints a result in the format of --output. For a result that is a no, it returns
// command.ErrNo.
func (inv *invocation) answer(result operation.Result) error {
	var err error
	if inv.Text("output") == "json" {
		err = inv.WriteJSON(result.AppendJSON(nil))
	} else {
		err = inv.WriteTable(result.Table())
	}
	if err == nil && !result.Yes() {
		err = command.ErrNo
	}
	return err
}

// assignment is one value for one parameter.
type assignment struct{ param, value string }

// A question is the part of a command line that a row must fit.
type question struct {
	args  []string
	flags map[string]string // of parameters, as flagNames returns them
	list  *listQuestion     // nil for a question about one code
}

// choose returns the first variant that fits the command line, and the values of its parameters. If
// none fits, the error is about the first one. Parameters that a list has are not among them.
func (inv *invocation) choose(variants []*operation.Operation, q question) (*operation.Operation, []assignment, error) {
	var first error
	for _, op := range variants {
		given, err := inv.assign(op, q)
		if err == nil {
			err = inv.lacks(op, given, q)
		}
		if err == nil {
			for i := range given {
				if p, ok := op.Param(given[i].param); ok && p.Names != "" {
					given[i].value = hyphened(given[i].value)
				}
			}
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
func (inv *invocation) assign(op *operation.Operation, q question) ([]assignment, error) {
	var given []assignment
	known := map[string]bool{"store": op.Stored, "store-password-file": op.Stored}
	if q.list != nil {
		inv.knowListFlags(op, known)
	}
	args := q.args
	used := 0
	for i := range op.In {
		p := &op.In[i]
		if p.HTTPOnly {
			continue
		}
		name := q.flags[p.Name]
		known[name] = true
		flagged := inv.IsSet(name)
		switch {
		case !flagged:
		case p.Type == "boolean":
			value := "false"
			if inv.Is(name) {
				value = "true"
			}
			given = append(given, assignment{p.Name, value})
		case p.Many:
			for _, value := range inv.List(name) {
				given = append(given, assignment{p.Name, value})
			}
		default:
			given = append(given, assignment{p.Name, inv.Text(name)})
		}
		if p.Arg == 0 || len(args) < p.Arg {
			continue
		}
		values := args[p.Arg-1 : p.Arg]
		if p.Many {
			values = args[p.Arg-1:]
		} else if flagged {
			return nil, command.Usagef("%s is given twice: as argument %q and as --%s", strings.ToUpper(name), values[0], name)
		}
		used = max(used, p.Arg-1+len(values))
		if q.list != nil && values[0] == listArgument {
			continue
		}
		for _, value := range values {
			given = append(given, assignment{p.Name, value})
		}
	}
	if used < len(args) {
		return nil, command.Usagef("unexpected argument %q", args[used])
	}
	for _, name := range inv.Set() {
		if !known[name] && !slices.Contains(commonOptions, name) {
			return nil, command.Usagef("--%s cannot be used with the other parameters", name)
		}
	}
	return given, nil
}

// hasAssignment reports whether a parameter has a value.
func hasAssignment(given []assignment, param string) bool {
	return slices.ContainsFunc(given, func(g assignment) bool { return g.param == param })
}

// lacks reports the first required parameter that was not given and that a list does not have.
func (inv *invocation) lacks(op *operation.Operation, given []assignment, q question) error {
	for i := range op.In {
		p := &op.In[i]
		if p.Min == 0 || hasAssignment(given, p.Name) || q.list != nil && inv.listHas(op, p, q.list) {
			continue
		}
		return operation.Missing(p.Name, "give --"+q.flags[p.Name])
	}
	return nil
}

// A lackingError is about a required parameter that was not given, in the words of the terminal.
type lackingError struct {
	what   string // "flag --system"
	detail string // what it is for
	err    error
}

func (e *lackingError) Error() string { return e.what + " is missing: " + e.detail }

// Unwrap returns the error of the operation.
func (e *lackingError) Unwrap() error { return e.err }

// missingFlag turns an error about a missing parameter into one about its flag or argument, with the code
// systems that have the code where it is the code system that is missing. Other errors it returns
// unchanged.
func missingFlag(err error, op *operation.Operation, flags map[string]string, code string, eng *engine.Engine) error {
	param, ok := errors.AsType[*engine.ParameterError](err)
	if !ok || !errors.Is(err, engine.ErrMissingParameter) || flags[param.Name] == "" {
		return err
	}
	lacking := &lackingError{what: "flag --" + flags[param.Name], detail: param.Detail, err: err}
	for i := range op.In {
		if op.In[i].Name == param.Name && op.In[i].Arg > 0 {
			lacking.what = "argument " + strings.ToUpper(flags[param.Name])
		}
	}
	if param.Name != "system" || code == "" {
		return lacking
	}
	return &hinted{err: lacking, hint: candidates(code, systemsWith(code, eng))}
}

// candidates says which code systems have a code, or are there.
func candidates(code string, found []string) string {
	list := strings.Join(found[:min(len(found), maxSystems)], ", ")
	if more := len(found) - maxSystems; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	switch {
	case code == "" && list == "":
		return "no code system is loaded"
	case code == "":
		return "there are " + list
	case list == "":
		return "no code system that is loaded has the code " + code
	}
	return code + " is a code of " + list
}

// maxSystems is the number of code systems that an error names at most.
const maxSystems = 5

// systemsWith returns the urls of the loaded code systems that have a code, or else of the built-in
// ones. Without code, it returns those that have any codes and are no part of FHIR.
func systemsWith(code string, eng *engine.Engine) []string {
	var loaded, builtIn []string
	for _, e := range eng.Entries(kinds[0]) {
		index, err := e.CodeSystem()
		if err != nil || e.Header.URL == "" {
			continue // damage is not what the user asked about
		}
		_, has := index.Find(code)
		switch {
		case !has && (code != "" || index.Len() == 0 || e.Origin == base.Origin || e.Grammar != nil):
		case e.BuiltIn:
			builtIn = append(builtIn, e.Header.URL)
		default:
			loaded = append(loaded, e.Header.URL)
		}
	}
	if len(loaded) == 0 {
		loaded = builtIn
	}
	slices.Sort(loaded)
	return slices.Compact(loaded)
}

// kebab converts a FHIR name to kebab case: valueSetUrl becomes value-set-url. A sequence of
// capitals stays together.
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

// ask runs a question on an engine with the sources of --load, --data and src. Without any of them,
// the engine has the default data folder, if it exists, and the built-in samples.
func (inv *invocation) ask(ctx context.Context, src Sources, question func(*engine.Engine) error) error {
	src.Load = append(slices.Clone(inv.List("load")), src.Load...)
	if err := filesOnly(src.Load); err != nil {
		return err
	}
	switch {
	case inv.Given("data"):
		src.Data = inv.Text("data")
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
