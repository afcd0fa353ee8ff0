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
	data := dataFlag(defaultData, "Data folder to verify.")
	return c.Add(&cli.Command{
		Name: "verify", Category: groupData, Usage: "Check a data folder for corruption",
		Description: "Reads every pack of a data folder in full, compares its checksums, and checks the structure of every code " +
			"system. If packs are corrupt, roget names them and exits with code 3; load their sources again to replace them.\n\n" +
			"Queries and roget serve verify a pack only when they first open it and when its file has changed since. This command " +
			"also detects corruption that does not change the size and time of a file, such as from a failing disk. A running server " +
			"does the same check once a day.",
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
			return command.Write(inv.Out, fmt.Appendf(nil, "%s, %s: no corruption found\n", command.Counted(done.Packs, "pack"), bytesText(done.Bytes)))
		}),
	})
}
