package cliadapter

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

func (c builder) completionInstallCommand() *cli.Command {
	return c.Add(&cli.Command{
		Name: "install", Usage: "Put the script where the shell finds it",
		Description: "Writes the script to the folder in which the shell looks for those of a user, and says what is left to do. Run it again " +
			"after an update of roget. It replaces a script of roget, and no other file.\n\n" +
			"  bash   ~/.local/share/bash-completion/completions; needs the package bash-completion\n" +
			"  zsh    ~/.local/share/zsh/site-functions; the folder must be in fpath\n" +
			"  fish   ~/.config/fish/completions",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", TakesFile: true, Usage: "`DIR` Another folder."},
		},
	}, command.Details{
		Access:   command.Writes,
		Args:     []command.Argument{{Name: "SHELL", Choices: shells[:], Usage: "bash, zsh or fish. By default that of the variable SHELL."}},
		Examples: []string{"roget completion install", "roget completion install fish"},
		Run: c.run(func(_ context.Context, inv *invocation) error {
			shell, err := inv.shell()
			if err != nil {
				return err
			}
			path, err := scriptPath(shell, inv.Text("dir"), inv.Getenv)
			if err != nil {
				return err
			}
			if err := installScript(shell, path); err != nil {
				return fmt.Errorf("install the completion: %w", err)
			}
			return command.Write(inv.Out, fmt.Appendf(nil, "%s\n%s\n", path, afterInstall(shell, path)))
		}),
	})
}

// shell returns the shell that the command line or the environment names.
func (inv *invocation) shell() (string, error) {
	name := strings.Join(inv.Args(), "")
	if name == "" {
		name = filepath.Base(inv.Getenv("SHELL"))
	}
	if !slices.Contains(shells[:], name) {
		return "", command.Usagef("no completion for %q: name one of %s", name, strings.Join(shells[:], ", "))
	}
	return name, nil
}

// scriptPath returns where a shell finds the script of a user. folder replaces the folder, if it is
// not "".
func scriptPath(shell, folder string, getenv func(string) string) (string, error) {
	file := map[string]string{"bash": "roget", "zsh": "_roget", "fish": "roget.fish"}[shell]
	if folder != "" {
		return filepath.Join(folder, file), nil
	}
	home := getenv("HOME")
	if home == "" {
		return "", command.Usagef("the variable HOME is not set: name the folder of the script with --dir")
	}
	data := cmp.Or(getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share"))
	switch shell {
	case "bash":
		own := filepath.Join(cmp.Or(getenv("BASH_COMPLETION_USER_DIR"), filepath.Join(data, "bash-completion")), "completions")
		return filepath.Join(own, file), nil
	case "zsh":
		return filepath.Join(data, "zsh", "site-functions", file), nil
	}
	return filepath.Join(cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "fish", "completions", file), nil
}

// afterInstall says what makes a shell read a script.
func afterInstall(shell, path string) string {
	switch shell {
	case "bash":
		return "New shells complete roget if the package bash-completion is installed. Without it, add to ~/.bashrc: source " + quoted(path)
	case "zsh":
		return "Add to ~/.zshrc, before compinit: fpath=(" + quoted(filepath.Dir(path)) + " $fpath)"
	}
	return "New shells complete roget."
}

// quoted writes a path as a word of a shell.
func quoted(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"\\$`*?[]{}()<>|&;~#!", r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// errForeign is the error about a file that is in the way.
var errForeign = errors.New("it is no completion of roget: remove it, or name another folder with --dir")

// installScript writes the script of a shell.
func installScript(shell, path string) error {
	script, err := completionScript(shell)
	if err != nil {
		return err
	}
	old, err := os.ReadFile(path)
	switch {
	case err == nil && !isScript(old):
		return fmt.Errorf("%s: %w", path, errForeign)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as other programs make it
		return err
	}
	return os.WriteFile(path, script, 0o644) //nolint:gosec // scripts are for everyone
}

// isScript reports whether a file is a script of any version of roget.
func isScript(doc []byte) bool {
	return bytes.Contains(doc, []byte("completion for roget\n")) && bytes.Contains(doc, []byte("__complete"))
}
