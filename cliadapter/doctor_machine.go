package cliadapter

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// checkProgram says which program this is, and whether it is the one that a shell starts.
func checkProgram(inv *invocation) finding {
	v := inv.cli.config.Version
	f := finding{Check: "program", State: stateOK, Text: fmt.Sprintf("roget %s (%s)", v.Version, v.Go)}
	own, err := os.Executable()
	if err != nil {
		return f
	}
	f.Text += " in " + own
	path, err := exec.LookPath(programName)
	if err != nil {
		f.State, f.Text, f.Remedy = stateNote, f.Text+", which is not on the PATH", "add "+quoted(filepath.Dir(own))+" to the PATH"
		return f
	}
	ownInfo, err := os.Stat(own)
	pathInfo, err2 := os.Stat(path)
	if err == nil && err2 == nil && !os.SameFile(ownInfo, pathInfo) {
		f.State, f.Text, f.Remedy = stateNote, f.Text+"; the shell starts "+path, "if it is older, replace it or change the order in the PATH"
	}
	return f
}

// sharedScripts are where packages put the script of a shell.
func sharedScripts(shell string) []string {
	switch shell {
	case "bash":
		return []string{"/usr/share/bash-completion/completions/roget", "/usr/local/share/bash-completion/completions/roget", "/etc/bash_completion.d/roget"}
	case "zsh":
		return []string{"/usr/share/zsh/vendor-completions/_roget", "/usr/share/zsh/site-functions/_roget", "/usr/local/share/zsh/site-functions/_roget"}
	}
	return []string{"/usr/share/fish/vendor_completions.d/roget.fish", "/usr/local/share/fish/vendor_completions.d/roget.fish"}
}

// startFile is the file of a user that a shell runs when it starts.
func startFile(shell string, getenv func(string) string) string {
	home := getenv("HOME")
	switch shell {
	case "bash":
		return filepath.Join(home, ".bashrc")
	case "zsh":
		if folder := getenv("ZDOTDIR"); folder != "" {
			home = folder
		}
		return filepath.Join(home, ".zshrc")
	}
	return filepath.Join(home, ".config", "fish", "config.fish")
}

// checkCompletion looks for the script of the shell that is in use, and compares it with that of this
// program.
func checkCompletion(getenv func(string) string) finding {
	f := finding{Check: "completion", State: stateOK}
	shell := filepath.Base(getenv("SHELL"))
	if !slices.Contains(shells[:], shell) {
		f.State, f.Text = stateNote, "the variable SHELL names none of "+strings.Join(shells[:], ", ")
		return f
	}
	if doc, err := os.ReadFile(startFile(shell, getenv)); err == nil && bytes.Contains(doc, []byte("roget completion "+shell)) {
		f.Text = startFile(shell, getenv) + " loads it"
		return f
	}
	var paths []string
	if own, err := scriptPath(shell, "", getenv); err == nil {
		paths = append(paths, own)
	}
	script, err := completionScript(shell)
	if err != nil {
		f.State, f.Text = stateProblem, err.Error()
		return f
	}
	for _, path := range append(paths, sharedScripts(shell)...) {
		doc, err := os.ReadFile(path)
		switch {
		case err != nil:
			continue
		case !bytes.Equal(doc, script):
			f.State, f.Text, f.Remedy = stateNote, path+" is of another version of roget", "roget completion install "+shell
		default:
			f.Text = path
		}
		return f
	}
	f.State, f.Text, f.Remedy = stateNote, shell+" does not complete roget", "roget completion install "+shell
	return f
}

// checkManual looks for the manual page.
func checkManual(getenv func(string) string) finding {
	f := finding{Check: "manual", State: stateNote, Text: "man finds no page of roget", Remedy: "roget manual ~/.local/share/man/man1"}
	folders := []string{filepath.Join(getenv("HOME"), ".local/share/man"), "/usr/share/man", "/usr/local/share/man", "/usr/local/man"}
	if path := getenv("MANPATH"); path != "" {
		folders = append(filepath.SplitList(path), folders...)
	}
	for _, folder := range folders {
		for _, name := range []string{"roget.1", "roget.1.gz"} {
			path := filepath.Join(folder, "man1", name)
			if _, err := os.Stat(path); folder != "" && err == nil {
				return finding{Check: f.Check, State: stateOK, Text: path}
			}
		}
	}
	return f
}
