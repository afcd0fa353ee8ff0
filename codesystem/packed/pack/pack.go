// Package pack writes what package packed reads. Only generators use it.
package pack

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"os/exec"
	"regexp"

	"github.com/roget-health/roget/codesystem/packed"
)

// named is a name of JSON with its value, a string.
var named = regexp.MustCompile(`"(\w+)":"((?:[^"\\]|\\.)*)"`)

// Lines packs lines of JSON as a file that packed.Lines reads. It returns an error for lines that come
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
	file, err := Text(apart)
	if err != nil {
		return nil, err
	}
	if back, err := packed.Lines(string(file)); err != nil || !bytes.Equal(back, lines) {
		return nil, fmt.Errorf("the lines cannot be taken apart: %w", cmp.Or(err, errors.New("they come back as others")))
	}
	return file, nil
}

// Text returns a text as a file that packed.Text reads. It calls the command xz (Debian's package
// xz-utils), whose format .lzma is a tenth smaller than that of zstd for our texts.
func Text(text []byte) ([]byte, error) {
	xz := exec.Command("xz", "--format=lzma", "--lzma1=preset=9e,lc=3,lp=0,pb=0,nice=273", "-c")
	xz.Stdin = bytes.NewReader(text)
	file, err := xz.Output()
	if err != nil {
		return nil, fmt.Errorf("xz: %w", err)
	}
	binary.LittleEndian.PutUint64(file[5:], uint64(len(text))) // xz leaves the size unknown
	return file, nil
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
	var joined []byte
	for i := range columns {
		if i > 0 {
			joined = append(joined, 0)
		}
		joined = append(joined, columns[i].Bytes()...)
	}
	return Text(joined)
}
