package command

import (
	"strings"
	"unicode/utf8"
)

// columnGap is the number of blanks between two columns of a table.
const columnGap = 2

// minColumn is the least width that a column is narrowed to.
const minColumn = 8

// fit wraps the cells of rows so that a line has at most width characters. A row whose cells need
// several lines becomes several rows. Rows that fit, and columns that cannot be narrowed
// further, stay unchanged.
func fit(rows [][]string, width int) [][]string {
	widths := narrow(columnWidths(rows), width)
	if widths == nil {
		return rows
	}
	var fitted [][]string
	for _, row := range rows {
		lines := [][]string{make([]string, len(row))}
		for column, cell := range row {
			for n, text := range wrapCell(cell, widths[column]) {
				if n == len(lines) {
					lines = append(lines, make([]string, len(row)))
				}
				lines[n][column] = text
			}
		}
		fitted = append(fitted, lines...)
	}
	return fitted
}

// columnWidths returns the number of characters of the widest cell of each column.
func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for column, cell := range row {
			if column == len(widths) {
				widths = append(widths, 0)
			}
			widths[column] = max(widths[column], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

// narrow takes from the widest columns until the table has at most total characters a line. It
// returns nil when the table fits already.
func narrow(widths []int, total int) []int {
	sum := columnGap * max(len(widths)-1, 0)
	for _, w := range widths {
		sum += w
	}
	if sum <= total {
		return nil
	}
	for ; sum > total; sum-- {
		widest := 0
		for column, w := range widths {
			if w > widths[widest] { //nolint:gosec // widest is an index of widths
				widest = column
			}
		}
		if widths[widest] <= minColumn {
			break
		}
		widths[widest]--
	}
	return widths
}

// wrapCell breaks a cell into lines of at most width characters: between words, and within a
// word that is longer.
func wrapCell(cell string, width int) []string {
	if utf8.RuneCountInString(cell) <= width {
		return []string{cell}
	}
	var lines []string
	line := ""
	for _, word := range strings.Fields(cell) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width {
			line += " " + word
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		runes := []rune(word)
		for len(runes) > width {
			lines = append(lines, string(runes[:width]))
			runes = runes[width:]
		}
		line = string(runes)
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
