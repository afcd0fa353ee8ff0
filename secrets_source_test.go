package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// credentialName is how fields are called that hold a credential.
var credentialName = regexp.MustCompile(`(?i)(password|secret|token|cookie|xsrf)$`)

// TestCredentialFieldsAreSecrets: no exported type holds a credential as plain text.
// Rows of docs/platform.md: 2.2.5.
func TestCredentialFieldsAreSecrets(t *testing.T) {
	found := map[string]int{}
	sources(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is || !spec.Name.IsExported() {
				return true
			}
			fields, is := spec.Type.(*ast.StructType)
			if !is {
				return true
			}
			for _, field := range fields.Fields.List {
				if _, asks := field.Type.(*ast.FuncType); asks {
					continue
				}
				for _, name := range field.Names {
					if !credentialName.MatchString(name.Name) {
						continue
					}
					kind := lastName(field.Type)
					found[kind]++
					if kind != "Secret" && kind != "OAuth2Token" {
						t.Errorf("%s: %s.%s is not a Secret", path, spec.Name.Name, name.Name)
					}
				}
			}
			return true
		})
	})
	if found["Secret"] < 15 {
		t.Errorf("found %v only", found)
	}
}

// lastName returns the last word of a type: Secret of *auth.Secret.
func lastName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return lastName(e.X)
	}
	return ""
}

// revealing are the functions that unwrap secrets, by what they do with them.
var revealing = map[string]string{
	"headers":                             "auth.Basic.Headers auth.PAT.Headers auth.SessionCookie.Headers oauth2.Provider.Headers",
	"bodies for the token endpoint":       "oauth2.Provider.retrieve oauth2.Provider.refresh",
	"files of profiles, stores of tokens": "profile.member.get auth.RevealToken tokenstore.Store.Set keyring.File.Set keyring.File.derive keyring.fit",
	"hashes, bodies for the web API":      "platform.hashed platform.revealed platform.codec42.EncodeOAuth2Client platform.codec42.RouteAuth",
	"masks for what was sent":             "platform.Client.attempt",
	"a look for control characters":       "auth.NewSessionCookie platform.invocation.adminProvider",
	"commands that print a secret":        "platform.commands.profileEnvCommand platform.commands.profileShowCommand platform.createPAT",
	"comparison":                          "auth.Secret.Equal",
	"the key of the audit log":            "backend.Service.openAudit backend.Backend.VerifyAudit",
	"a token for files to import":         "cliadapter.Remote.Open",
}

// TestSecretsAreUnwrappedAtUse: the value of a secret is asked for where it is used, and
// nowhere else. Who needs one more place adds it to the table, having looked twice.
// Rows of docs/platform.md: 2.2.5.
func TestSecretsAreUnwrappedAtUse(t *testing.T) {
	var want, got []string
	for _, functions := range revealing {
		want = append(want, strings.Fields(functions)...)
	}
	sources(t, func(_ string, file *ast.File) {
		for _, d := range file.Decls {
			function, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			name := file.Name.Name + "." + function.Name.Name
			if function.Recv != nil {
				name = file.Name.Name + "." + lastName(function.Recv.List[0].Type) + "." + function.Name.Name
			}
			ast.Inspect(function, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is && (s.Sel.Name == "Reveal" || s.Sel.Name == "RevealToken") && !slices.Contains(got, name) {
					got = append(got, name)
				}
				return true
			})
		}
	})
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("secrets are unwrapped in\n%v\nthey may be in\n%v", got, want)
	}
}

// sources returns the files, without tests, of all that is about credentials.
func sources(t *testing.T, each func(path string, file *ast.File)) {
	t.Helper()
	for _, top := range []string{"auth", "adapters/platform", "cliadapter"} {
		err := filepath.WalkDir(filepath.FromSlash(top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && slices.Contains([]string{"authtest", "storetest", "platformtest", "testdata"}, d.Name()) {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err == nil {
				each(filepath.ToSlash(path), file)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
