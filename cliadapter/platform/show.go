package platform

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine"
)

// did prints a line that reports a change and its object; with --json, an object with action and
// members.
func (inv *invocation) did(action, what string, members map[string]string) error {
	members["action"] = action
	return inv.Show(members, &engine.Table{Rows: [][]string{{action + " " + what}}})
}

// showNames prints one name a line, or an array.
func (inv *invocation) showNames(names []string) error {
	t := &engine.Table{}
	for _, name := range names {
		t.Rows = append(t.Rows, []string{name})
	}
	return inv.Show(append([]string{}, names...), t)
}

// writeText writes a text as it is, and a newline after it. On a terminal its control
// characters become spaces.
func (inv *invocation) writeText(text string) error {
	if inv.OutTerminal {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = command.Printable(line)
		}
		text = strings.Join(lines, "\n")
	}
	return command.Write(inv.Out, []byte(text+"\n"))
}

// writeIndented writes a JSON document to Out, indented by two spaces.
func (inv *invocation) writeIndented(doc []byte) error {
	var out bytes.Buffer
	if err := json.Indent(&out, doc, "", "  "); err != nil {
		return err
	}
	return command.Write(inv.Out, command.Escaped(append(out.Bytes(), '\n')))
}

// labels adds rows with a label and a value to a table, with "-" for missing values.
func labels(t *engine.Table) func(label, value string) {
	return func(label, value string) {
		t.Rows = append(t.Rows, []string{label, dash(value)})
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// references writes references as name (uid), separated by commas.
func references(list []platform.Reference) string {
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = r.Label()
	}
	return strings.Join(names, ", ")
}

// dash returns "-" for an empty text.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
