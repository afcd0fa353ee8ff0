package claml

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
)

// Load reads the file at path, which may be compressed with gzip, and hands one code system to the
// sink. Its url is the Identifier, if that is a URI or an OID; its version, title and date are
// those of Title. Errors name file and line and wrap loader.ErrFormat, loader.ErrTooLarge,
// loader.ErrNothing or the errors of codesystem.Builder. KeepGoing has no effect: a faulty file
// makes no code system.
func Load(ctx context.Context, path string, opts loader.Options, sink loader.Sink) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	in, err := loader.Open(r, path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	b, err := load(r, in, opts.Identity)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Origin(), err)
	}
	return r.Deliver(b, in.Origin(), sink)
}

// Detect reports whether the file at path is ClaML.
func Detect(path string) bool {
	head := bytes.TrimLeft(loader.Peek(path, 4096), " \t\r\n")
	return bytes.HasPrefix(head, []byte("<")) && (bytes.Contains(head, []byte("<ClaML ")) || bytes.Contains(head, []byte("<ClaML>")))
}

// urlOf converts an identifier to a url: a URI is unchanged, an OID gets its prefix, and any other
// identifier becomes "".
func urlOf(uid string) string {
	switch {
	case strings.HasPrefix(uid, "http://"), strings.HasPrefix(uid, "https://"), strings.HasPrefix(uid, "urn:"):
		return uid
	case strings.Contains(uid, ".") && strings.Trim(uid, "0123456789.") == "":
		return "urn:oid:" + uid
	}
	return ""
}
