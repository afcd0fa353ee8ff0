package cliadapter

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roget-health/roget/engine/operation"
)

// Verbs whose commands change nothing, and verbs whose commands do. Platform toolkit,
// section 6.3.
var (
	readVerbs = strings.Fields("list ls get show info whoami types members tree find search query status diff usage export verify " +
		"authority-list hub-list hub-versions keys namespaces")
	writeVerbs = strings.Fields("add set set-many delete delete-namespace remove rename create update patch register login logout " +
		"default apply import load serve generate bootstrap oidc-config hub-url invite reinvite reset-password add-member " +
		"remove-member add-user remove-user sharing-grant-user reload restore logo-front logo-banner style")
	fileOptions = strings.Fields("output o output-dir output-root out directory file to")
)

// leaves are the commands of the whole tree that do something.
func leaves(t *testing.T) []*command {
	t.Helper()
	all := slices.DeleteFunc(tree(New(Config{Operations: operation.Terminal()}).commands), func(cmd *command) bool { return len(cmd.commands) > 0 })
	if len(all) < 30 {
		t.Fatalf("only %d commands", len(all))
	}
	return all
}

// TestAccess: every command says whether it reads or writes, and so do the names.
func TestAccess(t *testing.T) {
	for _, cmd := range leaves(t) {
		names := append([]string{cmd.name}, cmd.aliases...)
		has := func(verbs []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(verbs, name) })
		}
		switch {
		case cmd.run == nil:
			t.Errorf("%s does nothing and has no commands", cmd.path)
		case cmd.access == accessUndeclared:
			t.Errorf("%s does not say whether it reads or writes", cmd.path)
		case has(readVerbs) && cmd.access != accessRead, has(writeVerbs) && cmd.access != accessWrite:
			t.Errorf("%s: access %d does not go with its name", cmd.path, cmd.access)
		}
		for _, opt := range cmd.options {
			file := opt.value && len(opt.choices) == 0 && slices.ContainsFunc(opt.names, func(name string) bool { return slices.Contains(fileOptions, name) })
			if file && cmd.access == accessRead && !opt.writes {
				t.Errorf("%s --%s: it names a file to write and is not marked", cmd.path, opt.names[0])
			}
			if opt.writes && !opt.files {
				t.Errorf("%s --%s writes what is no file", cmd.path, opt.names[0])
			}
		}
	}
}

// TestReadCommands: the commands that read are those of testdata/reads.txt. Who makes one
// more adds it there, having looked twice.
func TestReadCommands(t *testing.T) {
	golden, err := os.ReadFile("testdata/reads.txt")
	if err != nil {
		t.Fatal(err)
	}
	var reads []string
	for _, cmd := range leaves(t) {
		if cmd.access == accessRead {
			reads = append(reads, cmd.path)
		}
	}
	slices.Sort(reads)
	if diff := cmp.Diff(strings.Fields(strings.ReplaceAll(string(golden), " ", "_")), strings.Fields(strings.ReplaceAll(strings.Join(reads, "\n"), " ", "_"))); diff != "" {
		t.Errorf("-testdata/reads.txt +commands\n%s", diff)
	}
}

// TestAccessOfNames: names that mean one thing here and another there. Platform toolkit,
// section 6.3.
func TestAccessOfNames(t *testing.T) {
	root := New(Config{Operations: operation.Terminal()}).root()
	if cmd := root.find("security").find("settings"); cmd.access != accessRead || len(cmd.commands) > 0 {
		t.Error("security settings reads")
	}
	if cmd := root.find("system").find("settings"); len(cmd.commands) == 0 {
		t.Error("system settings is a group")
	}
	for _, cmd := range tree(root.commands) {
		alias := map[string]string{"list": "ls", "remove": "rm"}[cmd.name]
		if alias != "" && cmd.ofPlatform && !slices.Contains(cmd.aliases, alias) {
			t.Errorf("%s has no alias %s", cmd.path, alias)
		}
	}
}
