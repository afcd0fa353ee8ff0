package cliadapter

import (
	"context"
	"fmt"
)

// Verified tells what Backend.Verify has read.
type Verified struct {
	Packs int   `json:"packs"`
	Bytes int64 `json:"bytes"`
}

func (c *CLI) verifyCommand() *command {
	data := dataOption("The data folder to verify.")
	data.preset = defaultData
	return &command{
		name: "verify", group: groupData, access: accessRead, summary: "Read all of a data folder and compare it with its checksums",
		doc: "Reads every byte of every pack of a data folder, compares checksums and looks at the structure of every " +
			"code system. Packs that are not as they were written are named, and the exit code is 3; load their sources " +
			"again to replace them.\n\n" +
			"Queries and serve verify a pack when it is first opened, and again when its file has changed since. This " +
			"command also finds what no change of the file tells of: a medium that does not give back what was written. " +
			"A running service looks for it too, once a day.",
		options:  append(options{data}, outputOptions()...),
		examples: []string{"roget verify", "roget verify --data /var/lib/roget"},
		run: func(ctx context.Context, inv *invocation) error {
			done, err := c.config.Backend.Verify(ctx, inv.text("data"))
			if err != nil {
				return err
			}
			if inv.text("output") == "json" {
				return inv.writeValue(done)
			}
			return write(inv.streams.Out, fmt.Appendf(nil, "%s, %s: as they were written\n", counted(done.Packs, "pack"), bytesText(done.Bytes)))
		},
	}
}
