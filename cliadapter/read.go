package cliadapter

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

func (c *CLI) readCommand() *command {
	return &command{
		name: "read", group: groupResources, access: accessRead, summary: "Show a stored resource",
		doc:  "Prints a resource as it is stored, or a former version of it. The exit code is 1 when there is none, or it was deleted.",
		args: []argument{{name: "TYPE/ID", required: true, usage: "As in the address of the service: Patient/123, or Patient/123/_history/2."}},
		options: append(storeOptions("Data folder with the resource store."),
			&option{names: []string{"pretty"}, usage: "Indent JSON."}, quietOption()),
		examples: []string{"roget read Patient/123 --pretty", "roget read Patient/123/_history/2"},
		run: func(ctx context.Context, inv *invocation) error {
			typ, id, version, err := address(inv.args()[0])
			if err != nil {
				return err
			}
			obs := inv.observer()
			return inv.resources(ctx, StoreOptions{}, obs, func(svc *resources.Service) error {
				obs.finish()
				v, err := readVersion(ctx, svc, typ, id, version)
				if err != nil {
					return err
				}
				return inv.writeJSON(v.Body)
			})
		},
	}
}

// readVersion reads a version of a stored resource, 0 for the current one. That there is
// none is a clean no.
func readVersion(ctx context.Context, svc *resources.Service, typ, id string, version int64) (v resources.Version, err error) {
	if version > 0 {
		v, err = svc.ReadVersion(ctx, typ, id, version)
	} else {
		v, err = svc.Read(ctx, typ, id)
	}
	if errors.Is(err, resources.ErrNotFound) || errors.Is(err, resources.ErrGone) {
		err = &operation.Problem{Class: issue.ClassNotFound, Exit: operation.ExitNo, Code: "not-found", Err: err}
	}
	return v, err
}

// address reads Type/id and Type/id/_history/n; version is 0 for the current one.
func address(text string) (typ, id string, version int64, err error) {
	parts := strings.Split(strings.Trim(text, "/"), "/")
	switch {
	case len(parts) == 2:
		return parts[0], parts[1], 0, nil
	case len(parts) == 4 && parts[2] == "_history":
		if n, err := strconv.ParseInt(parts[3], 10, 64); err == nil && n > 0 {
			return parts[0], parts[1], n, nil
		}
	}
	return "", "", 0, usagef("%q is not of the form Type/id or Type/id/_history/version", text)
}
