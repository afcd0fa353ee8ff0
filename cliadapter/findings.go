package cliadapter

import (
	"encoding/json"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// findingOptions are the flags of commands that report findings about each resource. what describes
// the members of a JSON object besides file, place and resource.
func findingOptions(what string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "max-resource", Value: "256MiB", Usage: "`SIZE` Largest resource."},
		&command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "table", Usage: "`FORMAT` Output format: table for people; json and ndjson for programs: objects with file, place, resource " + what + ", in an array or one per line."}, Choices: []string{"table", "json", "ndjson"}},
		&cli.BoolFlag{Name: "pretty", Usage: "Indent JSON."},
		quietOption(),
	}
}

// findings writes findings one by one, in the format of --output.
type findings struct {
	inv   *invocation
	form  string
	rows  []any
	table engine.Table
}

// findings returns a writer of findings; header is the header of the table.
func (inv *invocation) findings(header ...string) *findings {
	return &findings{inv: inv, form: inv.Text("output"), rows: []any{}, table: engine.Table{Header: header}}
}

// tell adds a finding: row is an object for programs, cells are its rows in the table for people.
func (f *findings) tell(row any, cells [][]string) error {
	switch f.form {
	case "table":
		f.table.Rows = append(f.table.Rows, cells...)
	case "json":
		f.rows = append(f.rows, row)
	default:
		text, err := json.Marshal(row)
		if err != nil {
			return err
		}
		return command.Write(f.inv.Out, append(text, '\n'))
	}
	return nil
}

// end prints the collected findings; footer summarizes them for people.
func (f *findings) end(footer string) error {
	switch f.form {
	case "table":
		if f.table.Footer = footer; len(f.table.Rows) == 0 {
			f.table.Header = nil
		}
		return f.inv.WriteTable(&f.table)
	case "json":
		return f.inv.WriteValue(f.rows)
	}
	return nil
}

// placeText names a place in a file.
func placeText(file, place string) string {
	if place == "" {
		return file
	}
	return file + ", " + place
}
