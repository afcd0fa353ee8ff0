// Package pack writes what package packed reads. Only generators use it.
package pack

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"regexp"

	"github.com/roget-health/roget/codesystem/packed"
)

// named is a name of JSON with its value, a string.
var named = regexp.MustCompile(`"(\w+)":"((?:[^"\\]|\\.)*)"`)

// Lines packs lines of JSON as a frame that packed.Lines reads. It returns an error for lines that come
// back as others: of strings that stand elsewhere than after a name, or of names that are no words.
func Lines(lines []byte) ([]byte, error) {
	values := map[string][]byte{}
	var names []string
	apart := named.ReplaceAllFunc(lines, func(found []byte) []byte {
		part := named.FindSubmatch(found)
		name := string(part[1])
		if values[name] == nil {
			names = append(names, name)
		}
		values[name] = append(append(values[name], part[2]...), '\n')
		return fmt.Appendf(nil, `"%s":%c`, name, packed.Apart)
	})
	for _, name := range names {
		apart = append(fmt.Appendf(apart, "\x00%s\n", name), values[name]...)
	}
	frame, err := Frame(apart)
	if err != nil {
		return nil, err
	}
	if back, err := packed.Lines(string(frame)); err != nil || !bytes.Equal(back, lines) {
		return nil, fmt.Errorf("the lines cannot be taken apart: %w", cmp.Or(err, errors.New("they come back as others")))
	}
	return frame, nil
}

// Frame returns a text as a frame that states its size. It calls the command zstd (Debian's package
// zstd), which packs a tenth tighter than any encoder in Go.
func Frame(text []byte) ([]byte, error) {
	zstd := exec.Command("zstd", "--ultra", "-22", "--no-check", "--single-thread", fmt.Sprintf("--stream-size=%d", len(text)), "-c") //nolint:gosec // a number
	zstd.Stdin = bytes.NewReader(text)
	frame, err := zstd.Output()
	if err != nil {
		return nil, fmt.Errorf("zstd: %w", err)
	}
	return frame, nil
}

// Table packs the lines of a table by columns: the first n, and all that follow as one. Each line must
// have more than n fields.
func Table(lines []byte, n int) ([]byte, error) {
	columns := make([]bytes.Buffer, n+1)
	for line := range bytes.Lines(lines) {
		fields := bytes.SplitN(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\t'}, n+1)
		if len(fields) <= n {
			return nil, fmt.Errorf("%q has no more than %d fields", line, n)
		}
		for i, field := range fields {
			columns[i].Write(append(field[:len(field):len(field)], '\n'))
		}
	}
	var joined, apart []byte
	for i := range columns {
		column := columns[i].Bytes()
		if i < n {
			column = append(column, 0)
		}
		joined = append(joined, column...)
		frame, err := Frame(column)
		if err != nil {
			return nil, err
		}
		apart = append(apart, frame...)
	}
	together, err := Frame(joined)
	if err != nil || len(together) < len(apart) {
		return together, err
	}
	return apart, nil
}
