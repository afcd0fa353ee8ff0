package cliadapter

import (
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/cliadapter/lists"
	"github.com/roget-health/roget/engine/operation"
)

// listArgument is the argument that stands for the codes of a list.
const listArgument = "-"

// listTitle is the section of the help with the flags of lists.
const listTitle = "Flags for a list of codes (the argument - or --from)"

// listDoc is the part of the description of a command that answers lists.
const listDoc = "With the argument -, the command answers a list of codes from standard input, and with --from one from a file: " +
	"a code on each line, a column of CSV or TSV, or a member of NDJSON. Answers come in the order of the lines, with the number of the line, " +
	"as a table, CSV, TSV, NDJSON or a JSON array (--output). The first line of CSV and TSV names the columns unless --no-header is given. " +
	"A line that cannot be read or answered is reported with its number, and the others are answered. A summary goes to standard error. " +
	"The exit code is 0 if all answers are yes, 1 if some are no, and 3 if lines are broken; empty cells do not count."

// listFlags returns the flags of a command for lists. Its rows decide which parts a line may have.
func listFlags(rows []*operation.Operation) []cli.Flag {
	flags := []cli.Flag{
		&command.Flag{Discloses: true, StringFlag: cli.StringFlag{Name: "from", TakesFile: true, Usage: "`FILE` File with the list; - is standard input. It may be compressed with gzip."}},
		inputFlag(lists.Formats(), ".csv, .tsv, .tab, .ndjson, .jsonl. Otherwise a code on each line, or CSV if a column is named."),
	}
	if len(listedParams(rows[0])) == 1 {
		flags = append(flags, columnFlag("column", "Column with the codes: its name, its number from 1, or in NDJSON the path of a member, such as code.coding.0. By default the column code, or the only one; in NDJSON the line is a string or a Coding."))
	} else {
		flags = append(flags,
			columnFlag("column-a", "Column with the first codes: its name, its number from 1, or in NDJSON the path of a member. By default code_a, or the first of two columns."),
			columnFlag("column-b", "Column with the second codes. By default code_b, or the second of two columns."))
	}
	flags = append(flags, columnFlag("system-column", "Column with the code system of each code. --system is for lines without one."))
	if hasParam(rows, versionParams[:]...) {
		flags = append(flags, columnFlag("version-column", "Column with the version of the code system."))
	}
	if hasParam(rows, displayParam) {
		flags = append(flags, columnFlag("display-column", "Column with the display to check."))
	}
	return command.Titled(listTitle, append(flags, tableFlags()...))
}

// inputFlag is the flag for the format of a list. endings says what happens without it.
func inputFlag(formats []string, endings string) cli.Flag {
	return &command.Flag{StringFlag: cli.StringFlag{Name: "input", Usage: "`FORMAT` Format of the list. By default by the ending of the file: " + endings}, Choices: formats}
}

// tableFlags are the flags about tables.
func tableFlags() []cli.Flag {
	return []cli.Flag{
		&command.Flag{StringFlag: cli.StringFlag{Name: "delimiter", Usage: "`CHARACTER` What separates the cells of CSV, such as ; or tab."}, Check: checkDelimiter},
		&cli.BoolFlag{Name: "no-header", Usage: "The first line of the table is not the names of the columns."},
	}
}

// columnFlag is a flag that names a column. Completion offers those of the file.
func columnFlag(name, usage string) cli.Flag {
	return &command.Flag{StringFlag: cli.StringFlag{Name: name, Usage: "`COLUMN` " + usage}, Complete: command.Words(columnsOf)}
}

// columnsOf returns the names of the columns of the file that --from names.
func columnsOf(flag func(string) string) []string {
	path := flag("from")
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	source, err := lists.Open(path, nil)
	if err != nil {
		return nil
	}
	defer func() { _ = source.Close() }()
	o := lists.Options{Format: lists.FormatOf(path)}
	if o.Format == "" || flag("input") != "" {
		o.Format = lists.Format(flag("input"))
	}
	if o.Format != lists.CSV && o.Format != lists.TSV {
		return nil
	}
	o.Delimiter, _ = delimiterOf(flag("delimiter"))
	layout, err := lists.Arrange(lists.NewReader(source, o), o, lists.Columns{})
	if err != nil {
		return nil
	}
	return layout.Header
}

// delimiterOf returns the byte that --delimiter names, 0 if it is not given.
func delimiterOf(text string) (byte, error) {
	switch {
	case text == "tab" || text == `\t`:
		return '\t', nil
	case len(text) > 1 || strings.ContainsAny(text, "\"\r\n\x00") || text >= "\x80":
		return 0, command.Usagef("flag --delimiter must be one character of ASCII, or tab, not %q", text)
	case text == "":
		return 0, nil
	}
	return text[0], nil
}

func checkDelimiter(text string) error {
	_, err := delimiterOf(text)
	return err
}

// The parameters that a line may have beside its codes.
var (
	versionParams = [...]string{"version", "systemVersion"}
	systemParam   = "system"
	displayParam  = "display"
)

// hasParam reports whether a row has one of some parameters.
func hasParam(rows []*operation.Operation, names ...string) bool {
	return slices.ContainsFunc(rows, func(op *operation.Operation) bool { return paramOf(op, names...) != "" })
}

// paramOf returns the first of some names that is a parameter of op, or "".
func paramOf(op *operation.Operation, names ...string) string {
	for _, name := range names {
		if slices.ContainsFunc(op.In, func(p operation.Param) bool { return p.Name == name && !p.HTTPOnly }) {
			return name
		}
	}
	return ""
}

// listedParams returns the names of the positional parameters, which lines have.
func listedParams(op *operation.Operation) (names []string) {
	for i := range op.In {
		if op.In[i].Arg > 0 {
			names = append(names, op.In[i].Name)
		}
	}
	return names
}

// describeLists adds to a command that it also answers lists.
func describeLists(cmd *cli.Command, output *command.Flag, details *command.Details, rows []*operation.Operation) {
	cmd.Description += "\n\n" + listDoc
	if doc := rowDoc(cmd.Name); doc != "" {
		cmd.Description += "\n\n" + doc
	}
	cmd.Flags = append(cmd.Flags, listFlags(rows)...)
	output.Usage += " A list of codes is answered in rows: as table, csv, tsv, ndjson, or json, an array of objects with the same members."
	output.Choices = lists.Forms()
	details.Examples = append(details.Examples, listExamples(cmd.Name)...)
	for i := range details.Args {
		details.Args[i].Usage += " - stands for the codes of a list."
	}
}

// rowDoc says what is particular about the lines and rows of a command, "" if nothing is.
func rowDoc(name string) string {
	switch name {
	case "lookup":
		return "Several values in a cell are separated by |, and in JSON they are an array. The answer to an unknown code is no."
	case "translate":
		return "A code with several translations in a list has a row for each. The answer to a code without one is no."
	case "subsumes":
		return "A line of a list has two codes, separated by a tab or blanks, unless one of the codes is given: then it has the other. " +
			"The answer is yes if they are equivalent or one subsumes the other; the outcome says which."
	}
	return ""
}

// isListed reports whether a command answers lists.
func isListed(name string) bool { return sheetOf(name, nil) != nil }

// asksList reports whether the command line asks about a list.
func (inv *invocation) asksList(op *operation.Operation) bool {
	return isListed(op.Command) && (inv.IsSet("from") || slices.Contains(inv.Args(), listArgument))
}

// onlyLists are the flags that make sense for lists only.
var onlyLists = [...]string{"input", "column", "column-a", "column-b", "system-column", "version-column", "display-column", "delimiter", "no-header"}

// checkSingle refuses what is for lists in a question about one code.
func (inv *invocation) checkSingle(op *operation.Operation) error {
	if !isListed(op.Command) {
		return nil
	}
	for _, name := range onlyLists {
		if inv.IsSet(name) {
			return command.Usagef("--%s is for a list of codes: give - for standard input, or --from FILE", name)
		}
	}
	if form := inv.Text("output"); form != "table" && form != "json" {
		return command.Usagef("--output %s is for a list of codes: give - for standard input, or --from FILE", form)
	}
	return nil
}

// A listQuestion is what a command line says about a list.
type listQuestion struct {
	path    string
	options lists.Options
	columns lists.Columns
}

// listOptions reads how a list is written: the file at path, or standard input.
func (inv *invocation) listOptions(path string) (o lists.Options, err error) {
	o.Name = path
	if path == listArgument {
		o.Name = "standard input"
	}
	o.Format, o.NoHeader = lists.Format(inv.Text("input")), inv.Is("no-header")
	if o.Format == "" {
		o.Format = lists.FormatOf(path)
	}
	if o.Format == "" {
		o.Format = lists.Lines
		if slices.ContainsFunc(onlyLists[:], inv.IsSet) {
			o.Format = lists.CSV
		}
	}
	if o.Delimiter, err = delimiterOf(inv.Text("delimiter")); err != nil {
		return o, err
	}
	for _, name := range []string{"delimiter", "no-header"} {
		if inv.IsSet(name) && o.Format != lists.CSV && o.Format != lists.TSV {
			return o, command.Usagef("--%s is for tables, and the list is %s; say --input csv if it is one", name, o.Format)
		}
	}
	return o, nil
}

// listQuestion reads the flags of a list.
func (inv *invocation) listQuestion() (q listQuestion, err error) {
	q.path = listArgument
	if inv.IsSet("from") {
		q.path = inv.Text("from")
	}
	if q.options, err = inv.listOptions(q.path); err != nil {
		return q, err
	}
	if inv.IsSet("pretty") {
		return q, command.Usagef("--pretty is for one code: the answers of a list have a line each")
	}
	q.columns.System, q.columns.Version, q.columns.Display = inv.column("system-column"), inv.column("version-column"), inv.column("display-column")
	return q, nil
}

// column reads a flag that names a column.
func (inv *invocation) column(name string) lists.Column {
	c := lists.Column{Flag: "--" + name}
	if inv.IsSet(name) {
		c.Name = inv.Text(name)
	}
	return c
}

// columnOf returns the flag of the column with the values of a parameter, or "".
func columnOf(op *operation.Operation, param string) string {
	switch param {
	case systemParam:
		return "system-column"
	case paramOf(op, versionParams[:]...):
		return "version-column"
	case displayParam:
		return "display-column"
	}
	return ""
}

// knowListFlags adds the flags of lists that a row can use.
func (inv *invocation) knowListFlags(op *operation.Operation, known map[string]bool) {
	for _, name := range []string{"from", "input", "column", "column-a", "column-b", "delimiter", "no-header"} {
		known[name] = true
	}
	for i := range op.In {
		known[columnOf(op, op.In[i].Name)] = true
	}
}

// listHas reports whether the lines of a list have a parameter, or may have it.
func (inv *invocation) listHas(op *operation.Operation, p *operation.Param, q *listQuestion) bool {
	column := columnOf(op, p.Name)
	return p.Arg > 0 || column != "" && inv.IsSet(column) || p.Name == systemParam && q.options.Format == lists.NDJSON
}

// listExamples are examples for the help.
func listExamples(name string) []string {
	const animals = "--system https://roget.health/fhir/CodeSystem/animals"
	switch name {
	case "validate-code":
		return []string{
			"roget validate-code - " + animals + " < codes.txt",
			"roget validate-code --from visits.csv --column animal --display-column text \\\n    " + animals + " --output csv",
			"roget validate-code --from visits.csv --column animal \\\n    --url https://roget.health/fhir/ValueSet/pets --output ndjson",
		}
	case "lookup":
		return []string{
			"roget lookup --from visits.csv --column animal " + animals + " \\\n    --property parent --property legs --output csv",
		}
	case "member-of":
		return []string{
			"roget member-of --from visits.csv --column animal " + animals + " \\\n    --value-set-url https://roget.health/fhir/ValueSet/pets --output tsv",
		}
	case "subsumes":
		return []string{
			"roget subsumes pet - " + animals + " \\\n    --from visits.csv --column-b animal",
			"roget subsumes - " + animals + " < pairs.txt",
		}
	case "translate":
		return []string{
			"roget translate --from colours.ndjson --output ndjson",
		}
	}
	return nil
}
