package lists

import "bytes"

// AppendCells appends the cells of a record of a table to dst. They share memory with text, except
// those in which a quote is written twice.
func AppendCells(dst [][]byte, text []byte, delimiter byte) [][]byte {
	for {
		var cell []byte
		var more bool
		if len(text) > 0 && text[0] == '"' {
			cell, text, more = quotedCell(text[1:], delimiter)
		} else {
			cell, text, more = bytes.Cut(text, []byte{delimiter})
		}
		dst = append(dst, cell)
		if !more {
			return dst
		}
	}
}

// quotedCell returns the cell whose opening quote stood before text, what is behind its
// delimiter, and whether there was one.
func quotedCell(text []byte, delimiter byte) (cell, rest []byte, more bool) {
	double := false
	for at := 0; at < len(text); at++ {
		n := bytes.IndexByte(text[at:], '"')
		if n < 0 {
			break
		}
		at += n
		if at+1 < len(text) && text[at+1] == '"' {
			double = true
			at++
			continue
		}
		cell = text[:at]
		if double {
			cell = bytes.ReplaceAll(cell, []byte(`""`), []byte(`"`))
		}
		_, rest, more = bytes.Cut(text[at+1:], []byte{delimiter})
		return cell, rest, more
	}
	return text, nil, false // a record that the Reader has called broken
}

// AppendCell appends a cell as a table has it: in quotes if it could not be read otherwise.
func AppendCell(dst []byte, text string, delimiter byte) []byte {
	plain := true
	for i := range len(text) {
		if c := text[i]; c == delimiter || c == '"' || c == '\n' || c == '\r' {
			plain = false
			break
		}
	}
	if plain {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for i := range len(text) {
		if text[i] == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}
