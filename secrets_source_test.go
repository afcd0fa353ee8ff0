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

// lastName gives the last word of a type: Secret of *auth.Secret.
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

// revealing are the files that unwrap secrets, by what they do with them.
var revealing = map[string][]string{
	"headers":                              {"auth/provider.go", "auth/session.go", "auth/oauth2/provider.go"},
	"bodies for the token endpoint":        {"auth/oauth2/flow.go", "auth/oauth2/grant.go"},
	"files of profiles, stores of tokens":  {"auth/profile/profile.go", "auth/token.go", "auth/tokenstore/store.go", "auth/keyring/file.go", "auth/keyring/system.go"},
	"hashes, bodies for the web API":       {"adapters/platform/oauth2client.go", "adapters/platform/oauth2clients.go", "adapters/platform/routeauth.go"},
	"masks for what was sent":              {"adapters/platform/request.go"},
	"a look for control characters":        {"cliadapter/platform_admin.go"},
	"commands that print a secret, so say": {"cliadapter/platform_profile_env.go", "cliadapter/platform_profile_pat.go", "cliadapter/platform_profile_show.go"},
	"the type itself":                      {"auth/secret.go"},
}

// TestSecretsAreUnwrappedAtUse: the value of a secret is asked for where it is used, and
// nowhere else. Who needs one more place adds it to the table, having looked twice.
// Rows of docs/platform.md: 2.2.5.
func TestSecretsAreUnwrappedAtUse(t *testing.T) {
	var want, got []string
	for _, files := range revealing {
		want = append(want, files...)
	}
	sources(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, is := n.(*ast.SelectorExpr); is && (s.Sel.Name == "Reveal" || s.Sel.Name == "RevealToken") && !slices.Contains(got, path) {
				got = append(got, path)
			}
			return true
		})
	})
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("secrets are unwrapped in\n%v\nthey may be in\n%v", got, want)
	}
}

// sources gives the files, without tests, of all that is about credentials.
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
