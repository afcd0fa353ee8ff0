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

	// convert returns the content for a request. It is called only for files that are sent.
	convert func() (sent, error)
}

// sent is a resource in R4, as a tree and as a tx-resource parameter.
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
		f.convert = sync.OnceValues(func() (sent, error) {
			s, err := toSend(tree)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			return s, err
		})
		return f, nil
	}))
	return read.(func() (*fixture, error))()
}

// sent returns a file of the folder, converted for a request.
func (c *Cases) sent(name string) (sent, error) {
	f, err := c.fixture(name)
	if err != nil {
		return sent{}, err
	}
	return f.convert()
}

func toSend(tree any) (sent, error) {
	resource, ok := tidy(tree, "").(object)
	if !ok {
		return sent{}, fmt.Errorf("not a resource")
	}
	if err := convert(resource, toR4); err != nil {
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
