package txtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// fixture is a file of the cases. It is shared and must not be modified.
type fixture struct {
	expected any // the content of the file

	// inR4 and inR5 return the content for a request. They are called only for files that are sent.
	inR4, inR5 func() (sent, error)
}

// sent is a resource, as a tree and as a tx-resource parameter.
type sent struct {
	resource   object
	txResource json.RawMessage
}

// fixture returns a file of the folder, which it reads once.
func (c *Cases) fixture(name string) (*fixture, error) {
	read, _ := c.files.LoadOrStore(name, sync.OnceValues(func() (*fixture, error) {
		data, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		tree, err := parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f := &fixture{expected: tree}
		sending := func(by converters) func() (sent, error) {
			return sync.OnceValues(func() (sent, error) {
				s, err := toSend(tree, by)
				if err != nil {
					err = fmt.Errorf("%s: %w", name, err)
				}
				return s, err
			})
		}
		f.inR4, f.inR5 = sending(toR4), sending(nil)
		return f, nil
	}))
	return read.(func() (*fixture, error))()
}

// sent returns a file of the folder in the version of a request.
func (c *Cases) sent(name, version string) (sent, error) {
	f, err := c.fixture(name)
	if err != nil {
		return sent{}, err
	}
	if version == R5 {
		return f.inR5()
	}
	return f.inR4()
}

func toSend(tree any, by converters) (sent, error) {
	resource, ok := tidy(tree, "").(object)
	if !ok {
		return sent{}, fmt.Errorf("not a resource")
	}
	if err := convert(resource, by); err != nil {
		return sent{}, err
	}
	raw, err := json.Marshal(object{"name": "tx-resource", "resource": resource})
	return sent{resource, raw}, err
}

// booleans are the members that some files write as strings.
var booleans = []string{"valueBoolean", "experimental", "caseSensitive", "inactive", "compositional"}

// tidy copies a tree. It omits members with a colon in their name, which are notes of the authors,
// and turns booleans written as strings into booleans.
func tidy(tree any, key string) any {
	switch v := tree.(type) {
	case object:
		kept := make(object, len(v))
		for key, value := range v {
			if !strings.Contains(key, ":") {
				kept[key] = tidy(value, key)
			}
		}
		return kept
	case list:
		kept := make(list, len(v))
		for i, value := range v {
			kept[i] = tidy(value, "")
		}
		return kept
	case string:
		if slices.Contains(booleans, key) {
			return v == "true"
		}
	}
	return tree
}
