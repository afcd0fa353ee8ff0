package platform

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/roget-health/roget/adapters/platform"
	"github.com/roget-health/roget/engine"
)

// maxConflicts is the number of conflicts of a response that are shown.
const maxConflicts = 25

// writeConflicts writes the conflicts in an error of the platform to standard error. Platform
// toolkit, section 2.5.
func (inv *invocation) writeConflicts(err error) error {
	refused, ok := errors.AsType[*platform.APIError](err)
	if !ok {
		return nil
	}
	message := refused.WebMessage()
	if message == nil || len(message.Conflicts) == 0 {
		return nil
	}
	table := &engine.Table{Header: []string{"RESOURCE", "UID", "PROPERTY", "VALUE", "CODE", "MESSAGE", "ROWS"}}
	for _, c := range message.Conflicts[:min(maxConflicts, len(message.Conflicts))] {
		var rows []string
		for _, index := range c.Indexes {
			rows = append(rows, strconv.Itoa(index))
		}
		table.Rows = append(table.Rows, []string{c.Resource, c.UID, c.Property, c.Value, c.ErrorCode, c.Message, strings.Join(rows, " ")})
	}
	if more := len(message.Conflicts) - maxConflicts; more > 0 {
		table.Footer = fmt.Sprintf("+%d more", more)
	}
	return inv.WriteTableTo(inv.Err, inv.ErrTerminal, table)
}
