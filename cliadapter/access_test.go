package cliadapter

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/roget-health/roget/cliadapter/command"
)

// Verbs whose commands change nothing, and verbs whose commands do. Platform toolkit,
// section 6.3.
var (
	readVerbs = strings.Fields("list ls get show info whoami types members tree find search query status diff usage export verify " +
		"authority-list hub-list hub-versions keys namespaces")
	writeVerbs = strings.Fields("add set set-many delete delete-namespace remove rename create update patch register login logout " +
		"default apply import load serve mcp generate bootstrap oidc-config hub-url invite reinvite reset-password add-member " +
		"remove-member add-user remove-user sharing-grant-user reload restore logo-front logo-banner style")
	fileOptions = strings.Fields("output o output-dir output-root out directory file to")
)

// leaves are the commands of the whole tree that do something, by path.
func leaves(t *testing.T) map[string]*cli.Command {
	t.Helper()
	tree, all := terminal(), map[string]*cli.Command{}
	for _, cmd := range tree.Commands() {
		if tree.Details(cmd).Run != nil {
			all[tree.Path(cmd)] = cmd
		} else if len(cmd.Subcommands) == 0 {
			t.Errorf("%s does nothing and has no commands", tree.Path(cmd))
		}
	}
	if len(all) < 30 {
		t.Fatalf("only %d commands", len(all))
	}
	return all
}

// TestAccess: every command says whether it reads or writes, and so do the names.
// Rows of docs/platform.md: 4.29, T6.3.
func TestAccess(t *testing.T) {
	tree := terminal()
	for _, cmd := range tree.Commands() {
		details, path := tree.Details(cmd), tree.Path(cmd)
		if details.Run == nil {
			continue
		}
		has := func(verbs []string) bool {
			return slices.ContainsFunc(cmd.Names(), func(name string) bool { return slices.Contains(verbs, name) })
		}
		switch {
		case details.Access == command.Undeclared:
			t.Errorf("%s does not say whether it reads or writes", path)
		case has(readVerbs) && details.Access != command.Reads, has(writeVerbs) && details.Access != command.Writes:
			t.Errorf("%s: access %d does not go with its name", path, details.Access)
		}
		for _, f := range cmd.Flags {
			own, _ := f.(*command.Flag)
			value := f.(cli.DocGenerationFlag).TakesValue()
			file := value && (own == nil || len(own.Choices) == 0) && slices.ContainsFunc(f.Names(), func(name string) bool { return slices.Contains(fileOptions, name) })
			writes := own != nil && own.Writes
			if file && details.Access == command.Reads && !writes {
				t.Errorf("%s --%s: it names a file to write and is not marked", path, f.Names()[0])
			}
			if writes && !own.TakesFile {
				t.Errorf("%s --%s writes what is no file", path, f.Names()[0])
			}
		}
	}
}

// TestReadCommands checks that the commands that read are those of testdata/reads.txt. A command
// that appears in its diff must change nothing, neither on disk nor on a server.
// Rows of docs/platform.md: 4.29, T6.3.
func TestReadCommands(t *testing.T) {
	var reads []string
	tree := terminal()
	for path := range leaves(t) {
		if tree.Details(find(tree, path)).Access == command.Reads {
			reads = append(reads, path)
		}
	}
	slices.Sort(reads)
	golden(t, "reads.txt", strings.Join(reads, "\n")+"\n")
}

// TestAccessOfNames: names that mean one thing here and another there. Platform toolkit,
// section 6.3.
// Rows of docs/platform.md: T6.3.
func TestAccessOfNames(t *testing.T) {
	tree := terminal()
	if cmd := find(tree, "security settings"); tree.Details(cmd).Access != command.Reads || len(cmd.Subcommands) > 0 {
		t.Error("security settings reads")
	}
	if cmd := find(tree, "system settings"); len(cmd.Subcommands) == 0 {
		t.Error("system settings is a group")
	}
	for _, cmd := range tree.Commands() {
		alias := map[string]string{"list": "ls", "remove": "rm"}[cmd.Name]
		if alias != "" && strings.Contains(tree.Path(cmd), " ") && !slices.Contains(cmd.Aliases, alias) {
			t.Errorf("%s has no alias %s", tree.Path(cmd), alias)
		}
	}
}
