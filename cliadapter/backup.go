package cliadapter

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// BackupRequest is the request of Backend.Backup.
type BackupRequest struct {
	Data    string
	Store   string // address of the resource store; "" for SQLite in the data folder
	Target  string // folder of backups
	Verify  bool   // try a restore
	Keep    int    // complete backups to keep; 0 for all
	Program string // version for the manifest
}

// RestoreRequest is the request of Backend.Restore.
type RestoreRequest struct {
	Backup  string // folder of one backup
	Data    string
	Replace bool // move what is in the data folder aside
}

// BackedUp is the result of Backend.Backup and Backend.Restore.
type BackedUp struct {
	Folder  string   `json:"folder"`
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
	Removed []string `json:"removed,omitempty"` // old backups
	Aside   string   `json:"aside,omitempty"`   // where the former content of the data folder is
}

func (c builder) backupCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "backup", Category: groupData, Usage: "Copy a data folder while a server uses it",
		Description: "Copies the packs and the resource store of a data folder to TARGET/roget-YYYYMMDDTHHMMSSZ, with a manifest of SHA-256 " +
			"checksums. Servers may read and write meanwhile. The copy has every change that was acknowledged before the command " +
			"began, and no transaction in part. All checksums in the copy are compared: if the store or a pack is damaged, the copy is " +
			"discarded, older backups are kept, and the exit code is 3. The folder gets its name when the copy is complete, sound and synced.\n\n" +
			"--verify also restores the backup into a temporary folder and verifies that like roget verify. With --every, the command runs until it is interrupted, and reports a backup that fails without " +
			"ending. --keep removes the oldest complete backups in TARGET after a successful one.\n\n" +
			"A resource store in PostgreSQL is backed up with PostgreSQL's own programs: pg_dump, or pg_basebackup with WAL archiving.",
		Flags: append(append(storeOptions("Data folder to copy."),
			&cli.BoolFlag{Name: "verify", Usage: "Try a restore into a temporary folder below TARGET, and verify the result."},
			&cli.StringFlag{Name: "every", Value: "0", Usage: "`DURATION` Make a backup at once and then after each interval, such as 24h."},
			&cli.StringFlag{Name: "keep", Value: "0", Usage: "`N` Number of complete backups to keep in TARGET; 0 for all."}),
			outputOptions()...),
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{{Name: "TARGET", Required: true, Usage: "Folder for backups. Created if it does not exist."}},
		Examples: []string{
			"roget backup /backup --data /var/lib/roget --verify",
			"roget backup /backup --data /var/lib/roget --every 24h --keep 14",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error { return inv.backup(ctx) }),
	})
}

func (inv *invocation) backup(ctx context.Context) error {
	keep, err := inv.Integer("keep", 0)
	if err != nil {
		return err
	}
	every, err := inv.Duration("every")
	if err != nil {
		return err
	}
	req := BackupRequest{
		Data: inv.Text("data"), Store: inv.Text("store"), Target: inv.Args()[0], Verify: inv.Is("verify"), Keep: keep,
		Program: inv.cli.config.Version.Version,
	}
	if inside(req.Data, req.Target) {
		return command.Usagef("TARGET %s is inside of the data folder %s; name a folder elsewhere, best on another disk", req.Target, req.Data)
	}
	for {
		done, err := inv.cli.config.Backend.Backup(ctx, req)
		switch {
		case err == nil:
			err = inv.writeBackedUp(done, "backed up")
		case every > 0 && ctx.Err() == nil:
			fmt.Fprintln(inv.Err, "roget: backup: "+command.Printable(err.Error()))
			err = nil
		}
		if err != nil || every <= 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
	}
}

// inside reports whether a path is a folder or in it.
func inside(folder, path string) bool {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return false
	}
	if path, err = filepath.Abs(path); err != nil {
		return false
	}
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

func (c builder) restoreCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "restore", Category: groupData, Usage: "Make a data folder from a backup",
		Description: "Copies a backup that roget backup made into a data folder. It compares all checksums before it changes " +
			"anything. If the data folder is not empty, the command refuses; with --replace it moves the former content to " +
			"a folder replaced-TIME in the data folder. Stop the server that uses the folder first; except on Windows, the command refuses a folder in use. Until a restore is complete, no command opens the folder.",
		Flags: append([]cli.Flag{
			dataFlag(defaultData, "Data folder to make."),
			&cli.BoolFlag{Name: "replace", Usage: "Move the present content of the data folder aside."},
		}, outputOptions()...),
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "BACKUP", Required: true, Usage: "Folder of one backup, such as /backup/roget-20261123T021500Z."}},
		Examples: []string{"roget restore /backup/roget-20261123T021500Z --data /var/lib/roget"},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			done, err := c.config.Backend.Restore(ctx, RestoreRequest{Backup: inv.Args()[0], Data: inv.Text("data"), Replace: inv.Is("replace")})
			if err != nil {
				return err
			}
			return inv.writeBackedUp(done, "restored")
		}),
	})
}

func (c builder) publishCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "publish", Category: groupData, Usage: "Publish the packs of a data folder for other servers",
		Description: "Copies the packs of a data folder into the folder TARGET, which any web server may offer, and writes a manifest with " +
			"their sizes and SHA-256 checksums last. A server that was started with --packs and the address of TARGET takes up what is new there. " +
			"Resources are not copied. A pack stays in TARGET until a later publish but one does not list it.",
		Flags: append([]cli.Flag{dataFlag(defaultData, "Data folder to publish.")}, outputOptions()...),
	}, command.Details{
		Access: command.Writes,
		Args:   []command.Argument{{Name: "TARGET", Required: true, Usage: "Folder for the packs. Created if it does not exist."}},
		Examples: []string{
			"roget publish /srv/packs --data /var/lib/roget",
		},
		Run: c.run(func(ctx context.Context, inv *invocation) error {
			req := BackupRequest{Data: inv.Text("data"), Target: inv.Args()[0], Program: c.config.Version.Version}
			if inside(req.Data, req.Target) {
				return command.Usagef("TARGET %s is inside of the data folder %s; name a folder elsewhere", req.Target, req.Data)
			}
			done, err := c.config.Backend.Publish(ctx, req)
			if err != nil {
				return err
			}
			return inv.writeBackedUp(done, "published")
		}),
	})
}

func (inv *invocation) writeBackedUp(done BackedUp, verb string) error {
	if inv.Text("output") == "json" {
		return inv.WriteValue(done)
	}
	text := fmt.Sprintf("%s: %s %s, %s\n", done.Folder, verb, command.Counted(done.Files, "file"), bytesText(done.Bytes))
	for _, name := range done.Removed {
		text += "removed " + name + "\n"
	}
	if done.Aside != "" {
		text += "the former content is in " + done.Aside + "\n"
	}
	return command.Write(inv.Out, []byte(text))
}
