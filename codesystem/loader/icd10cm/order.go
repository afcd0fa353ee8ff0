package icd10cm

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/roget-health/roget/codesystem/loader"
)

// row is a line of the order file, with fixed columns: a number of five digits, the code without
// its point, whether it may be reported, the short title and the long title.
type row struct {
	code, short, long string
	billable          bool
}

const (
	codeAt, billableAt, shortAt, longAt = 6, 14, 16, 77
	maxRow                              = 64 << 10
)

func readRow(line string) (row, bool) {
	line = strings.TrimRight(line, " \r\n")
	if len(line) <= shortAt || strings.Trim(line[:5], "0123456789") != "" || line[billableAt] != '0' && line[billableAt] != '1' || !utf8.ValidString(line) {
		return row{}, false
	}
	r := row{code: strings.TrimSpace(line[codeAt:billableAt]), billable: line[billableAt] == '1'}
	r.short = strings.TrimSpace(line[shortAt:min(len(line), longAt)])
	if r.long = r.short; len(line) > longAt {
		r.long = strings.TrimSpace(line[longAt:])
	}
	return r, len(r.code) >= 3 && isRaw(r.code)
}

// isRaw reports whether s may be a code without point.
func isRaw(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// readOrder reads the order file.
func (l *list) readOrder(in *loader.Stream) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRow)
	n := 0
	for lines.Scan() {
		n++
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		r, ok := readRow(lines.Text())
		if !ok {
			return fmt.Errorf("line %d: %w: %.40q is not number, code, 0 or 1, and titles in the columns of an order file", n, loader.ErrFormat, lines.Text())
		}
		e := l.byCode[dotted(r.code)]
		if e == nil {
			e = &entry{code: dotted(r.code), kind: code}
			l.byCode[e.code] = e
			l.codes = append(l.codes, e)
		} else if e.listed {
			return fmt.Errorf("line %d: %w: the code %s is listed twice", n, loader.ErrFormat, e.code)
		}
		e.listed, e.billable, e.display, e.short, e.line = true, r.billable, r.long, r.short, n
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// dotted returns a code with its point.
func dotted(raw string) string {
	if len(raw) <= 3 {
		return raw
	}
	return raw[:3] + "." + raw[3:]
}
