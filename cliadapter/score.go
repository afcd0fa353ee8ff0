package cliadapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/engine"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
	"github.com/roget-health/roget/resources/bulk"
	"github.com/roget-health/roget/resources/definitions"
	"github.com/roget-health/roget/resources/document"
	"github.com/roget-health/roget/resources/r4"
	"github.com/roget-health/roget/resources/score"
)

func (c builder) scoreCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "score", Category: groupResources, Usage: "Score responses to PHQ-9 and GAD-7",
		Description: "Prints the score and the severity band of QuestionnaireResponses to PHQ-9 and GAD-7, which are read from files, " +
			"folders and Bundles, or from the store. Resources of other types are skipped. A response with missing answers has no total " +
			"and no band. An answer that is not an integer from 0 to 3 is an error that names the item.\n\n" +
			"The exit code is 1 if a response is incomplete or wrong.",
		Flags: append(append([]cli.Flag{
			&command.Flag{StringFlag: cli.StringFlag{Name: "instrument", Usage: "Questionnaire of the responses. Required unless the last segment of QuestionnaireResponse.questionnaire names it."}, Choices: score.Codes()},
		}, findingOptions("and either score (the Parameters that the HTTP service returns) or outcome (an OperationOutcome)")...),
			storeOptions("Data folder with the resource store.")...),
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{{Name: "FILE", Required: true, Many: true, Usage: "File or folder to read, - for standard input, or a stored response: QuestionnaireResponse/123."}},
		Examples: []string{"roget score responses.ndjson", "roget score QuestionnaireResponse/123 --instrument phq-9", "cat bundle.json | roget score - -o ndjson"},
		Run:      c.run(func(ctx context.Context, inv *invocation) error { return inv.scoreAll(ctx) }),
	})
}

func (inv *invocation) scoreAll(ctx context.Context) error {
	limit, err := inv.Size("max-resource")
	if err != nil {
		return err
	}
	files, stored := storedNames(inv.Args())
	s := &scoring{instrument: inv.Text("instrument"), findings: inv.findings("FILE", "RESOURCE", "INSTRUMENT", "TOTAL", "BAND", "PROBLEM")}
	obs := inv.observer()
	if len(files) > 0 {
		_, err = bulk.Each(ctx, files, bulk.Options{
			Stdin: inv.In, Progress: obs.Progress, Warn: obs.Warned, Limits: loader.Limits{MaxDocument: int(limit)},
		}, s.found)
	}
	if err == nil && len(stored) > 0 {
		err = inv.resources(ctx, StoreOptions{}, obs, func(svc *resources.Service) error { return s.stored(ctx, svc, stored) })
	}
	obs.finish()
	if err == nil {
		err = s.end()
	}
	return err
}

// storedNames separates addresses of stored resources from paths. An argument is an address if it
// has a type and an id and there is no file of that name.
func storedNames(args []string) (files, stored []string) {
	for _, arg := range args {
		typ, rest, _ := strings.Cut(arg, "/")
		if _, err := os.Stat(arg); rest != "" && definitions.R4().IsResource(typ) && errors.Is(err, fs.ErrNotExist) {
			stored = append(stored, arg)
		} else {
			files = append(files, arg)
		}
	}
	return files, stored
}

// A scoredRow is the result for one response.
type scoredRow struct {
	File     string          `json:"file,omitempty"`
	Place    string          `json:"place,omitempty"`
	Resource string          `json:"resource,omitempty"`
	Score    json.RawMessage `json:"score,omitempty"`
	Outcome  json.RawMessage `json:"outcome,omitempty"`
}

// scoring is one run of the command.
type scoring struct {
	instrument string
	findings   *findings
	// Numbers of responses, of incomplete and of wrong ones, and of resources of other types.
	responses, incomplete, wrong, others int
}

// stored scores resources of the store.
func (s *scoring) stored(ctx context.Context, svc *resources.Service, names []string) error {
	for _, name := range names {
		typ, id, version, err := address(name)
		if err != nil {
			return err
		}
		row := scoredRow{Resource: name}
		v, err := readVersion(ctx, svc, typ, id, version)
		switch operation.ExitCode(err) {
		case operation.ExitYes:
			var d *document.Document
			if d, err = document.Parse(v.Body, r4.Limits{}); err == nil {
				err = s.response(row, d.Root())
			}
		case operation.ExitNo: // it is not there
			s.responses++
			err = s.say(row, nil, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// found scores a resource of a file.
func (s *scoring) found(f bulk.Found) error {
	row := scoredRow{File: f.File, Place: f.Place}
	if f.Err != nil {
		s.responses++
		return s.say(row, nil, f.Err)
	}
	return s.resource(row, f.Document.Root())
}

// resource scores a response, or all responses in a Bundle.
func (s *scoring) resource(row scoredRow, v document.Value) error {
	typ := v.Get("resourceType").Text()
	switch typ {
	case "QuestionnaireResponse":
		row.Resource = strings.Trim(typ+"/"+v.Get("id").Text(), "/")
		return s.response(row, v)
	case "Bundle":
		for e := range v.Get("entry").Items() {
			entry := row
			entry.Place = strings.TrimPrefix(row.Place+", "+e.Path("Bundle"), ", ")
			if err := s.resource(entry, e.Get("resource")); err != nil {
				return err
			}
		}
		return nil
	}
	s.others++
	return nil
}

func (s *scoring) response(row scoredRow, v document.Value) error {
	s.responses++
	r, err := operation.Score(v, s.instrument)
	return s.say(row, r, err)
}

// say adds the result for one response to the findings.
func (s *scoring) say(row scoredRow, r *score.Result, err error) error {
	var outcome *r4.OperationOutcome
	switch {
	case err != nil:
		s.wrong++
		_, outcome = operation.Outcome(err)
	case !r.Complete:
		s.incomplete++
	}
	cells := scoredCells(row, r, outcome)
	if err != nil {
		row.Outcome = outcome.AppendJSON(nil)
	} else {
		row.Score = r.AppendJSON(nil)
	}
	return s.findings.tell(row, cells)
}

// scoredCells returns the rows of one response: one, or one for each problem.
func scoredCells(row scoredRow, r *score.Result, outcome *r4.OperationOutcome) [][]string {
	where := placeText(row.File, row.Place)
	if outcome != nil {
		var rows [][]string
		for _, i := range outcome.Issue {
			rows = append(rows, []string{where, row.Resource, "", "", "", i.Diagnostics})
		}
		return rows
	}
	if r.Complete {
		return [][]string{{where, row.Resource, r.Instrument.Code, strconv.Itoa(r.Total), r.Band, ""}}
	}
	note := fmt.Sprintf("incomplete: no answer to %s; the other %d add up to %d", strings.Join(r.Missing, ", "), r.Answered, r.Partial)
	return [][]string{{where, row.Resource, r.Instrument.Code, "", "", note}}
}

// end prints the findings and the summary.
func (s *scoring) end() error {
	err := s.findings.end(fmt.Sprintf("%s: %s incomplete, %s wrong; %s passed over", command.Counted(s.responses, "response"),
		engine.Thousands(s.incomplete), engine.Thousands(s.wrong), command.Counted(s.others, "other resource")))
	switch {
	case err == nil && s.responses == 0:
		err = fmt.Errorf("found no QuestionnaireResponse in %s", strings.Join(s.findings.inv.Args(), ", "))
	case err == nil && s.incomplete+s.wrong > 0:
		err = command.ErrNo
	}
	return err
}
