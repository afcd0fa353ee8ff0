package cliadapter

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/fhirxml"
	"github.com/roget-health/roget/resources/r4"
)

func (c builder) convertCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "convert", Category: groupResources, Usage: "Convert resources between JSON and XML",
		Description: "Prints a resource in the other format: JSON as XML, and XML as JSON. Nothing is lost: decimals keep their digits, " +
			"primitive values their ids and extensions, and narratives their text. Elements that FHIR R4 does not define are errors; " +
			"other rules are not checked (see roget validate).\n\n" +
			"A file may be compressed with gzip. Several resources, from a folder or one per line, are printed as JSON, one per line. " +
			"An XML document has one resource, so convert them one by one, or put them into a Bundle.",
		Flags: []cli.Flag{
			formatOption("Format of the output. By default the one that the input does not have."),
			&cli.BoolFlag{Name: "pretty", Usage: "Indent the output."},
			&cli.StringFlag{Name: "max-resource", Value: "256MiB", Usage: "`SIZE` Largest resource."},
			quietOption(),
		},
	}, command.Details{
		Access: command.Reads,
		Args:   []command.Argument{{Name: "FILE", Required: true, Many: true, Usage: "File or folder to read, or - for standard input."}},
		Examples: []string{
			"roget convert patient.json --pretty",
			"roget convert patient.xml",
			"curl -s http://localhost:8080/metadata | roget convert -",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.convert(ctx) }),
	})
}

// formatOption is the flag --output of commands that print resources.
func formatOption(usage string) cli.Flag {
	return &command.Flag{StringFlag: cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FORMAT` " + usage}, Choices: []string{"json", "xml"}}
}

func (inv *invocation) convert(ctx context.Context) error {
	limit, err := inv.Size("max-resource")
	if err != nil {
		return err
	}
	out := &conversion{ctx: ctx, inv: inv}
	obs := inv.observer()
	_, err = bulk.Each(ctx, inv.Args(), bulk.Options{
		Stdin: inv.In, Progress: obs.Progress, Warn: obs.Warned, Limits: loader.Limits{MaxDocument: int(limit)},
	}, out.found)
	obs.finish()
	if err == nil && out.count == 0 {
		err = fmt.Errorf("found no resource in %s", inv.Args()[0])
	}
	if err == nil && out.held != nil {
		err = inv.writeXML(ctx, out.held.Source())
	}
	return err
}

// A conversion prints resources.
type conversion struct {
	ctx   context.Context
	inv   *invocation
	count int
	held  *document.Document // to be printed as XML, if it is the only resource
}

func (c *conversion) found(f bulk.Found) error {
	if f.Err != nil {
		return fmt.Errorf("%s: %w", placeText(f.File, f.Place), f.Err)
	}
	to := c.inv.Text("output")
	if to == "" && !f.XML {
		to = "xml"
	}
	c.count++
	if c.count > 1 && (c.held != nil || to == "xml") {
		return command.Usagef("there are several resources, and XML has one in a document: convert them one by one, put them into a Bundle, or use --output json")
	}
	if to == "xml" {
		c.held = f.Document
		return nil
	}
	text, err := compact(f.Document.Source())
	if err != nil {
		return err
	}
	return c.inv.WriteJSON(text)
}

// writeXML prints a resource in JSON as XML.
func (inv *invocation) writeXML(ctx context.Context, json []byte) error {
	style := fhirxml.Compact
	if inv.Is("pretty") {
		style = fhirxml.Indented
	}
	text, err := fhirxml.New(definitions.R4(), r4.Limits{}).AppendXML(ctx, nil, json, style)
	if err != nil {
		return err
	}
	if style == fhirxml.Compact {
		text = append(text, '\n')
	}
	return command.Write(inv.Out, text)
}
