package cliadapter

import (
	"errors"
	"strings"
	"testing"

	"github.com/roget-health/roget/engine/operation"
)

func TestVerifyCommand(t *testing.T) {
	for _, row := range []struct {
		line, out, errs string
		err             error
		code            int
	}{
		{line: "verify", out: "2 packs, 3.0 MiB; 7 versions of resources, 1.0 KiB: no corruption found\n"},
		{line: "verify --output json", out: `{"packs":2,"bytes":3145728,"versions":7,"storeBytes":1024}` + "\n"},
		{line: "verify", err: errors.New("p.pack: damaged"), code: operation.ExitFailure, errs: "roget: verify: p.pack: damaged\n"},
	} {
		code, out, errs := run(t, &absent{err: row.err}, nil, strings.Fields(row.line)...)
		if code != row.code || out != row.out || errs != row.errs {
			t.Errorf("%s: exit code %d, output %q, errors %q", row.line, code, out, errs)
		}
	}
}
