package closure

import (
	"encoding/json"
	"fmt"
)

// A change is what a record of a journal says.
type change struct {
	// Systems are the code systems that no earlier change has, in the order of their numbers.
	Systems []systemChange `json:"systems,omitempty"`
	// Codes are the codes that are added, by the number of their code system.
	Codes map[int][]string `json:"codes,omitempty"`
	// Init is true for the first change of a table.
	Init bool `json:"init,omitempty"`
}

// A systemChange is a code system of a table, as it was when its first code was added.
type systemChange struct {
	URL     string `json:"url"`
	Version string `json:"version,omitempty"`
	// Pinned is true if the client named the version.
	Pinned bool `json:"pinned,omitempty"`
	// Content identifies the codes and their hierarchy.
	Content string `json:"content,omitempty"`
}

// encode returns the body of a record.
func (c *change) encode() ([]byte, error) { return json.Marshal(c) }

// decodeChange reads the body of a record. systems is the number of code systems that the table has.
func decodeChange(body []byte, systems int) (*change, error) {
	var c change
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, err
	}
	if c.Init {
		systems = 0
	}
	systems += len(c.Systems)
	for n := range c.Codes {
		if n < 0 || n >= systems {
			return nil, fmt.Errorf("code system %d of %d", n, systems)
		}
	}
	return &c, nil
}
