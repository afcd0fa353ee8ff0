package platform

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/roget-health/roget/cliadapter/command"
)

// maxInput is how long a file may be that a command sends to the platform, in bytes.
const maxInput = 64 << 20

// input reads a file, or standard input for a dash.
func (inv *invocation) input(path string) ([]byte, error) {
	if path != "-" {
		return readFile(path, maxInput)
	}
	return readUpTo(inv.In, path, maxInput)
}

// readFile reads a file of at most some bytes.
func readFile(path string, most int64) ([]byte, error) {
	file, err := command.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readUpTo(file, path, most)
}

func readUpTo(from io.Reader, path string, most int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(content)) > most {
		err = fmt.Errorf("it is longer than %d bytes", most)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}

// inputJSON reads a JSON file, or standard input for a dash, into a value. Errors do not contain
// any of its content, which may be a credential.
func (inv *invocation) inputJSON(path string, into any) error {
	content, err := inv.input(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(content, into); err != nil {
		return command.Usagef("%s: the JSON does not have the expected form: %w", path, err)
	}
	return nil
}
