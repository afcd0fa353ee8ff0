package cliadapter

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

func (c builder) doctorCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "doctor", Category: groupOther, Usage: "Check the program and its data, and say what to do",
		Description: "Says where the program and its data are, and checks that the data folder and the resource store open, which versions of " +
			"a code system there are, and whether the shell completes roget and man finds its pages. ok needs nothing, a note may " +
			"interest you, and a problem has to be solved. The exit code is 1 if there is a problem.\n\n" +
			"The command changes nothing. It reads tables of contents only: roget verify reads everything. roget health asks a running server.",
		Flags: append(storeOptions("Data folder to check."), outputOptions()...),
	}, command.Details{
		Access:   command.Reads,
		Examples: []string{"roget doctor", "roget doctor --data /var/lib/roget --output json"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			list := []finding{checkProgram(inv)}
			list = append(list, inv.checkData(ctx)...)
			list = append(list, inv.checkStore(ctx), checkCompletion(inv.Getenv), checkManual(inv.Getenv))
			if err := inv.writeFindings(list); err != nil {
				return err
			}
			for _, f := range list {
				if f.State == stateProblem {
					return command.ErrNo
				}
			}
			return ctx.Err()
		}),
	})
}

// States of findings.
const (
	stateOK      = "ok"
	stateNote    = "note"
	stateProblem = "problem"
)

// A finding is what doctor found out about one thing.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"`
	Text  string `json:"text"`
	// Remedy says what to do.
	Remedy string `json:"remedy,omitempty"`
}

func (inv *invocation) writeFindings(list []finding) error {
	if inv.Text("output") == "json" {
		return inv.WriteValue(list)
	}
	t := &engine.Table{Header: []string{"CHECK", "STATE", "WHAT"}}
	for _, f := range list {
		t.Rows = append(t.Rows, []string{f.Check, f.State, f.Text})
		if f.Remedy != "" {
			t.Rows = append(t.Rows, []string{"", "", "→ " + f.Remedy})
		}
	}
	return inv.WriteTable(t)
}
