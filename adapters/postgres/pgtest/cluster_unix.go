//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// startCluster creates a cluster in a temporary folder, reachable through a socket there.
func startCluster() (address string, stop func(), err error) {
	bin, err := programs()
	if err != nil {
		return "", nil, err
	}
	folder, err := os.MkdirTemp("", "roget-pg-")
	if err != nil {
		return "", nil, err
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(folder)
		}
	}()
	owner, err := unprivileged(folder)
	if err != nil {
		return "", nil, err
	}
	data := filepath.Join(folder, "data")
	initdb := exec.Command(filepath.Join(bin, "initdb"), "--pgdata", data, "--username", "roget",
		"--auth", "trust", "--encoding", "UTF8", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = owner, folder
	if out, err := initdb.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("initdb: %w: %s", err, out)
	}

	return launch(bin, folder, data, owner)
}

// standby creates a standby of the server at an address, and returns a function that promotes it.
func standby(primary string) (address string, promote func() error, stop func(), err error) {
	bin, err := programs()
	if err != nil {
		return "", nil, nil, err
	}
	folder, err := os.MkdirTemp("", "roget-standby-")
	if err != nil {
		return "", nil, nil, err
	}
	owner, err := unprivileged(folder)
	if err != nil {
		_ = os.RemoveAll(folder)
		return "", nil, nil, err
	}
	data := filepath.Join(folder, "data")
	run := func(program string, args ...string) error {
		command := exec.Command(filepath.Join(bin, program), args...)
		command.SysProcAttr, command.Dir = owner, folder
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", program, err, out)
		}
		return nil
	}
	err = run("pg_basebackup", "--dbname", primary, "--pgdata", data, "--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast", "--no-sync")
	if err != nil {
		_ = os.RemoveAll(folder)
		return "", nil, nil, err
	}
	address, stop, err = launch(bin, folder, data, owner)
	return address, func() error { return run("pg_ctl", "promote", "--wait", "--pgdata", data) }, stop, err
}

// launch starts a server on a folder of data, reachable through a socket in folder, which stop removes.
func launch(bin, folder, data string, owner *syscall.SysProcAttr) (address string, stop func(), err error) {
	// The shell stops the server when its input ends, and so also when this process is killed.
	server := exec.Command("/bin/sh", "-c", `"$@" & pid=$!; cat >/dev/null; kill -INT $pid; wait $pid`, "sh",
		filepath.Join(bin, "postgres"), "-D", data, "-k", folder, "-h", "", "-F", "-c", "max_connections=200")
	server.SysProcAttr, server.Dir = owner, folder
	input, err := server.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return "", nil, err
	}
	defer log.Close()
	server.Stdout, server.Stderr = log, log
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		input.Close()
		_ = server.Wait()
		_ = os.RemoveAll(folder)
	}
	address = "postgres:///postgres?user=roget&host=" + url.QueryEscape(folder)
	if err := await(address); err != nil {
		output, _ := os.Open(log.Name())
		text, _ := io.ReadAll(output)
		stop()
		return "", nil, fmt.Errorf("%w: %s", err, text)
	}
	return address, stop, nil
}

// programs returns the folder that contains initdb, postgres and pg_basebackup in the newest version.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	best, version := "", -1.0
	for _, path := range found {
		n, err := strconv.ParseFloat(filepath.Base(filepath.Dir(filepath.Dir(path))), 64)
		if err == nil && n > version {
			best, version = filepath.Dir(path), n
		}
	}
	if best == "" {
		return "", errors.New("initdb was not found")
	}
	return best, nil
}

// unprivileged hands the folder to the user postgres when this process is the
// superuser's, as whom PostgreSQL refuses to run.
func unprivileged(folder string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(folder, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// await waits until the server answers.
func await(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, address)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
