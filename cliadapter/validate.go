package cliadapter

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/r4"
)

func (c builder) validateCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "validate", Category: groupResources, Usage: "Check resources in files against FHIR R4 and profiles",
		Description: "Checks the resources in files and folders as the server does before it stores them: the syntax of JSON and XML, elements, types, " +
			"cardinalities, codes, references and constraints. It reports all problems, not only the first. It reads the same files as " +
			"roget import, but checks a Bundle as a resource of its own type.\n\n" +
			"With --load it also checks the profiles that resources claim in meta.profile, and the extensions that they have. A profile " +
			"that is not loaded is reported as a warning.\n\n" +
			"The exit code is 1 if a resource has errors, and 3 if there was no resource to check.",
		Flags: append(profileOptions(), findingOptions("and outcome (an OperationOutcome)")...),
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{{Name: "FILE", Required: true, Many: true, Usage: "File or folder to read, or - for standard input."}},
		Examples: []string{"roget validate patient.json", "roget validate export/ --output ndjson", "cat bundle.json | roget validate -", "roget validate patient.json --profile http://example.org/StructureDefinition/patient --load package.tgz"},
		Run:      c.run(func(ctx context.Context, inv *invocation) error { return inv.validateFiles(ctx) }),
	})
}

// A judgedRow is a resource with issues.
type judgedRow struct {
	File     string          `json:"file"`
	Place    string          `json:"place,omitempty"`
	Resource string          `json:"resource,omitempty"`
	Outcome  json.RawMessage `json:"outcome"`
}

func (inv *invocation) validateFiles(ctx context.Context) error {
	limit, err := inv.Size("max-resource")
	if err != nil {
		return err
	}
	found := inv.findings("FILE", "RESOURCE", "SEVERITY", "ELEMENT", "PROBLEM")
	var addErr error
	obs := inv.observer()
	judged := func(j bulk.Judgement) {
		row := judgedRow{File: j.File, Place: j.Place, Resource: keyText(&j), Outcome: judgedOutcome(&j).AppendJSON(nil)}
		if err := found.tell(row, judgedCells(&j)); addErr == nil {
			addErr = err
		}
	}
	var sum bulk.Checked
	limits := loader.Limits{MaxDocument: int(limit)}
	err = inv.judging(ctx, limits, func(judge bulk.Judge) (err error) {
		sum, err = bulk.Check(ctx, judge, inv.Args(), bulk.Options{Stdin: inv.In, Progress: obs.Progress, Warn: obs.Warned, Limits: limits}, judged)
		return err
	})
	obs.finish()
	if err == nil {
		err = addErr
	}
	if err == nil {
		err = found.end(fmt.Sprintf("%s in %s: %s with errors", command.Counted(sum.Resources, "resource"), command.Counted(sum.Files, "file"), engine.Thousands(sum.Failed)))
	}
	switch {
	case err == nil && sum.Resources == 0:
		err = fmt.Errorf("found no resource in %s", strings.Join(inv.Args(), ", "))
	case err == nil && sum.Failed > 0:
		err = command.ErrNo
	}
	return err
}

func keyText(j *bulk.Judgement) string { return strings.Trim(j.Type+"/"+j.ID, "/") }

// judgedCells returns the rows of one resource.
func judgedCells(j *bulk.Judgement) [][]string {
	file := placeText(j.File, j.Place)
	if j.Err != nil {
		return [][]string{{file, keyText(j), "error", "", j.Err.Error()}}
	}
	var rows [][]string
	for _, i := range j.Issues {
		rows = append(rows, []string{file, keyText(j), i.Severity.String(), i.Expression, i.Text})
	}
	return rows
}

func judgedOutcome(j *bulk.Judgement) *r4.OperationOutcome {
	if j.Err != nil {
		_, outcome := operation.Outcome(j.Err)
		return outcome
	}
	outcome := &r4.OperationOutcome{}
	for _, i := range j.Issues {
		outcome.Issue = append(outcome.Issue, i.R4())
	}
	return outcome
}
