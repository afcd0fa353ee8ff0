package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/roget-health/roget/cliadapter/backend/backendtest"
)

// scramRole makes a role that logs in with SCRAM-SHA-256 over the socket of the test's PostgreSQL, and
// returns the address of a store of that role without its password.
func scramRole(t *testing.T, password string) (role, address string) {
	t.Helper()
	super := postgresServer.Schema(t)
	conn, err := pgx.Connect(t.Context(), super)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	role = fmt.Sprintf("scram_%d", os.Getpid())
	u, err := url.Parse(super)
	if err != nil {
		t.Fatal(err)
	}
	var file, owner string
	if err := conn.QueryRow(t.Context(), "SELECT current_setting('hba_file'), current_user").Scan(&file, &owner); err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("%v: the rules of PostgreSQL are on another machine", err)
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec("SET password_encryption = 'scram-sha-256'")
	exec("CREATE ROLE " + role + " LOGIN PASSWORD '" + strings.ReplaceAll(password, "'", "''") + "'")
	exec("GRANT ALL ON SCHEMA " + u.Query().Get("search_path") + " TO " + role)
	set := func(text []byte) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Error(err)
		}
	}
	set(append([]byte("local all "+role+" scram-sha-256\n"), rules...))
	exec("SELECT pg_reload_conf()")
	t.Cleanup(func() {
		set(rules)
		again, err := pgx.Connect(t.Context(), super)
		if err != nil {
			return
		}
		_, _ = again.Exec(t.Context(), "SELECT pg_reload_conf()")
		_, _ = again.Exec(t.Context(), "REASSIGN OWNED BY "+role+" TO "+owner)
		_, _ = again.Exec(t.Context(), "DROP OWNED BY "+role)
		_, _ = again.Exec(t.Context(), "DROP ROLE "+role)
		_ = again.Close(t.Context())
	})
	query := u.Query()
	query.Del("user")
	u.RawQuery = query.Encode()
	u.User = url.User(role)
	address = u.String()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) { // until the rule holds
		open, err := pgx.Connect(t.Context(), address)
		if err != nil {
			return role, address
		}
		_ = open.Close(t.Context())
		if time.Now().After(end) {
			t.Fatal("PostgreSQL lets the role in without a password")
		}
	}
}

// TestStorePasswords logs in to PostgreSQL with SCRAM, with the password from --store-password-file and from
// a file in PGPASSFILE, and checks that a wrong or missing password ends the program without showing it.
func TestStorePasswords(t *testing.T) {
	const password = `p@ss:w/ö?r\d'%41`
	role, address := scramRole(t, password)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	serves := func(name string, args ...string) {
		t.Helper()
		server := backendtest.Serve(t, backendtest.Tested, append(args, "--data", t.TempDir(), "--no-samples", "--no-base", "--store", address)...)
		if status, body := server.Do(t, "PUT", "/Patient/a", `{"resourceType":"Patient","id":"a"}`); status != http.StatusCreated && status != http.StatusOK {
			t.Errorf("%s: %d %s", name, status, body)
		}
		if log := server.Log.String(); strings.Contains(log, "p@ss") || strings.Contains(log, "p%40ss") {
			t.Errorf("%s: the log has the password: %s", name, log)
		}
		server.Kill()
	}
	refuses := func(name string, args ...string) {
		t.Helper()
		cmd := backendtest.Tested(t, append([]string{"serve", "--addr", "127.0.0.1:0", "--data", t.TempDir(), "--no-samples", "--no-base", "--store", address}, args...)...)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 3 || strings.Contains(string(out), "wrong-secret") || strings.Contains(string(out), "p@ss") {
			t.Errorf("%s: exit code %d: %s", name, cmd.ProcessState.ExitCode(), out)
		}
	}
	t.Setenv("PGPASSFILE", file("none", ""))
	serves("--store-password-file", "--store-password-file", file("password", password+"\n"))
	refuses("wrong --store-password-file", "--store-password-file", file("wrong", "wrong-secret\n"))
	refuses("no password")
	escaped := strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(password)
	t.Setenv("PGPASSFILE", file("pgpass", "*:*:*:other:wrong-secret\n*:*:*:"+role+":"+escaped+"\n"))
	serves("PGPASSFILE")
	serves("--store-password-file before PGPASSFILE", "--store-password-file", file("password", password+"\n"))
	t.Setenv("PGPASSFILE", file("pgpass", "*:*:*:"+role+":wrong-secret\n"))
	refuses("wrong PGPASSFILE")
}
