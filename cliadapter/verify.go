package cliadapter

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
	"github.com/roget-health/roget/resources"
)

// VerifyRequest is the request of Backend.Verify.
type VerifyRequest struct {
	Data  string
	Store string // address of the resource store; "" for SQLite in the data folder
	// Index also compares the search index with the documents.
	Index    bool
	Progress func(resources.Verified)
}

// Verified is the result of Backend.Verify.
type Verified struct {
	Packs      int   `json:"packs"`
	Bytes      int64 `json:"bytes"`
	Versions   int   `json:"versions"`   // in the resource store
	StoreBytes int64 `json:"storeBytes"` // of their documents and search values
}

func (c builder) verifyCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "verify", Category: groupData, Usage: "Check a data folder and the resource store for corruption",
		Description: "Reads every pack of a data folder in full, compares its checksums, and checks the structure of every code " +
			"system. Then it reads the resource store: it checks the structure of an SQLite file, compares the checksums of every " +
			"version of every resource, and checks that the versions follow one another and that the index has their entries. " +
			"With --index it also indexes every current resource again and compares the result. If something is damaged, roget " +
			"names it and exits with code 3. It changes nothing. Load the sources of a corrupt pack again; roget restore replaces a " +
			"damaged store by a backup.\n\n" +
			"Queries and roget serve verify a pack only when they first open it and when its file has changed since. Checksums of " +
			"resources are compared whenever they are read. This command also detects corruption of what nobody reads, and such " +
			"that does not change the size and time of a file, as from a failing disk. A running server does the same once a day, " +
			"except for --index, and for whether the indexes of the SQLite file agree with its tables.",
		Flags: append(append(storeOptions("Data folder to verify."),
			&cli.BoolFlag{Name: "index", Usage: "Also index every current resource again, and compare."}), outputOptions()...),
	}, command.Details{
		Access:   command.Reads,
		Examples: []string{"roget verify", "roget verify --data /var/lib/roget --index", "roget verify --store postgres://roget@db/roget"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			status := inv.Status()
			done, err := c.config.Backend.Verify(ctx, VerifyRequest{
				Data: inv.Text("data"), Store: inv.Text("store"), Index: inv.Is("index"),
				Progress: func(v resources.Verified) {
					status.Tell(command.Counted(v.Versions, "version") + " of resources, " + bytesText(v.Bytes))
				},
			})
			status.Clear()
			if err != nil {
				return err
			}
			if inv.Text("output") == "json" {
				return inv.WriteValue(done)
			}
			text := fmt.Sprintf("%s, %s", command.Counted(done.Packs, "pack"), bytesText(done.Bytes))
			if done.Versions > 0 {
				text += fmt.Sprintf("; %s of resources, %s", command.Counted(done.Versions, "version"), bytesText(done.StoreBytes))
			}
			return command.Write(inv.Out, []byte(text+": no corruption found\n"))
		}),
	})
}
