package icd10cm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/roget-health/roget/codesystem/loader"
	"github.com/roget-health/roget/resources/r4"
)

// Load reads the XML or the order file at path together with the other one beside it, and hands
// one code system to the sink: http://hl7.org/fhir/sid/icd-10-cm in the version stated in the XML,
// or else in the name of the order file. Files may be compressed with gzip. Errors name file and
// line and wrap loader.ErrFormat, loader.ErrTooLarge, loader.ErrNothing or the errors of
// codesystem.Builder. KeepGoing has no effect: a faulty file makes no code system.
func Load(ctx context.Context, path string, opts loader.Options, sink loader.Sink) error {
	r := loader.Begin(ctx, opts)
	defer func() { _ = r.Close() }()
	tabular, order, err := pair(path)
	if err != nil {
		return err
	}
	l := newList()
	inferred := 0
	var origin loader.Origin
	if tabular != "" {
		if origin, err = open(r, tabular, l.readTabular); err != nil {
			return err
		}
	}
	if order != "" {
		from, err := open(r, order, l.readOrder)
		if err != nil {
			return err
		}
		if tabular == "" {
			origin = from
			l.version = yearOf(order)
		}
		l.arrange()
	} else {
		inferred = l.extend()
	}
	if len(l.codes) == 0 {
		return fmt.Errorf("%s: %w: no codes", origin, loader.ErrNothing)
	}
	header := header()
	header.Version = l.version
	opts.Identity.Apply(header)
	b, err := l.build(r, header)
	if err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	if inferred > 0 {
		r.Warn(origin, "%d of %d codes were inferred from the rules for the seventh character, as no order file lies beside it; "+
			"for the official codes alone, put icd10cm_order_%s.txt into the same folder", inferred, len(l.codes), cmp.Or(l.version, "YYYY"))
	}
	return r.Deliver(b, origin, sink)
}

func open(r *loader.Reading, path string, read func(*loader.Stream) error) (loader.Origin, error) {
	in, err := loader.Open(r, path)
	if err != nil {
		return loader.Origin{}, err
	}
	defer func() { _ = in.Close() }()
	if err := read(in); err != nil {
		return in.Origin(), fmt.Errorf("%s: %w", in.Origin(), err)
	}
	return in.Origin(), nil
}

func header() *r4.CodeSystem {
	h := loader.Header()
	h.ID, h.URL, h.Name, h.Language = "icd-10-cm", "http://hl7.org/fhir/sid/icd-10-cm", "ICD10CM", "en"
	h.Title = "International Classification of Diseases, 10th Revision, Clinical Modification"
	h.Publisher = "National Center for Health Statistics; Centers for Medicare & Medicaid Services"
	h.Property = []r4.CodeSystemProperty{
		{Code: "kind", Type: "code", Description: "chapter, block, category, subcategory or code"},
		{Code: "billable", Type: "boolean", Description: "May be reported: nothing is below it"},
		{Code: "notSelectable", URI: "http://hl7.org/fhir/concept-properties#notSelectable", Type: "boolean", Description: "A chapter or block"},
	}
	for _, n := range notes {
		h.Property = append(h.Property, r4.CodeSystemProperty{Code: n.property, Type: "string", Description: n.description})
	}
	return h
}

const peeked = 4096

// Detect reports whether the file at path is the tabular list in XML, or an order file.
func Detect(path string) bool {
	head := loader.Peek(path, peeked)
	return isTabular(head) || isOrderName(filepath.Base(path)) && isOrder(head)
}

func isTabular(head []byte) bool { return bytes.Contains(head, []byte("<ICD10CM.tabular")) }

var (
	orderName = regexp.MustCompile(`(?i)^icd-?10-?cm[-_]order[-_].*\.txt(\.gz)?$`)
	year      = regexp.MustCompile(`20[0-9][0-9]`)
)

func isOrderName(name string) bool { return orderName.MatchString(name) }

// isOrder reports whether the first row is that of an order file.
func isOrder(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	_, ok := readRow(string(line))
	return ok
}

func yearOf(path string) string { return year.FindString(filepath.Base(path)) }

// Beside returns the file that is read together with the one at path, if there is one.
func Beside(path string) []string {
	tabular, order, err := pair(path)
	switch {
	case err != nil || tabular == "" || order == "":
		return nil
	case tabular == path:
		return []string{order}
	}
	return []string{tabular}
}

// pair finds the file that belongs to the one at path.
func pair(path string) (tabular, order string, err error) {
	if _, err := os.Stat(path); err != nil {
		return "", "", err
	}
	head := loader.Peek(path, peeked)
	given := isTabular(head)
	if !given && !isOrder(head) {
		return "", "", fmt.Errorf("%s: %w: it is neither the tabular list of ICD-10-CM in XML nor an order file", path, loader.ErrFormat)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return "", "", err
	}
	var found []string
	for _, e := range entries {
		name := filepath.Join(filepath.Dir(path), e.Name())
		lower := strings.ToLower(e.Name())
		switch {
		case e.IsDir():
		case given && isOrderName(lower) && isOrder(loader.Peek(name, peeked)):
			found = append(found, name)
		case !given && strings.Contains(lower, "tabular") && strings.HasSuffix(strings.TrimSuffix(lower, ".gz"), ".xml") && isTabular(loader.Peek(name, peeked)):
			found = append(found, name)
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(name string) bool { return yearOf(name) != yearOf(path) })
		if len(found) != 1 {
			return "", "", fmt.Errorf("%s: %w: several files in its folder may belong to it; keep one", path, loader.ErrFormat)
		}
	}
	other := strings.Join(found, "")
	if given {
		return path, other, nil
	}
	return other, path, nil
}
