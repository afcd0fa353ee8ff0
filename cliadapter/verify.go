package cliadapter

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// Verified is the result of Backend.Verify.
type Verified struct {
	Packs int   `json:"packs"`
	Bytes int64 `json:"bytes"`
}

func (c builder) verifyCommand() *cli.Command {
	data := dataFlag(defaultData, "The data folder to verify.")
	return c.Add(&cli.Command{
		Name: "verify", Category: groupData, Usage: "Read all of a data folder and compare it with its checksums",
		Description: "Reads every byte of every pack of a data folder, compares checksums and looks at the structure of every " +
			"code system. Packs that are not as they were written are named, and the exit code is 3; load their sources " +
			"again to replace them.\n\n" +
			"Queries and serve verify a pack when it is first opened, and again when its file has changed since. This " +
			"command also finds what no change of the file tells of: a medium that does not give back what was written. " +
			"A running service looks for it too, once a day.",
		Flags: append([]cli.Flag{data}, outputOptions()...),
	}, command.Details{
		Access:   command.Reads,
		Examples: []string{"roget verify", "roget verify --data /var/lib/roget"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			done, err := c.config.Backend.Verify(ctx, inv.Text("data"))
			if err != nil {
				return err
			}
			if inv.Text("output") == "json" {
				return inv.WriteValue(done)
			}
			return command.Write(inv.Out, fmt.Appendf(nil, "%s, %s: as they were written\n", command.Counted(done.Packs, "pack"), bytesText(done.Bytes)))
		}),
	})
}
