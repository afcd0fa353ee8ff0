package cliadapter

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/engine/issue"
	"github.com/roget-health/roget/engine/operation"
	"github.com/roget-health/roget/resources"
)

func (c builder) readCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "read", Category: groupResources, Usage: "Show a stored resource",
		Description: "Prints a stored resource, or an earlier version of it. The exit code is 1 if there is no such resource or version, or if it was deleted.",
		Flags: append(storeOptions("Data folder with the resource store."),
			formatOption("Format of the resource. By default json."),
			&cli.BoolFlag{Name: "pretty", Usage: "Indent the resource."}, quietOption()),
	}, command.Details{
		Access:   command.Reads,
		Args:     []command.Argument{{Name: "TYPE/ID", Required: true, Usage: "Address of the resource, as in the URLs of the HTTP service: Patient/123 or Patient/123/_history/2."}},
		Examples: []string{"roget read Patient/123 --pretty", "roget read Patient/123/_history/2", "roget read Patient/123 -o xml"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			typ, id, version, err := address(inv.Args()[0])
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
				if inv.Text("output") == "xml" {
					return inv.writeXML(ctx, v.Body)
				}
				return inv.WriteJSON(v.Body)
			})
		}),
	})
}

// readVersion reads a version of a stored resource, 0 for the current one. That there is
// none is exit code 1.
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
	return "", "", 0, command.Usagef("%q is not of the form Type/id or Type/id/_history/version", text)
}
