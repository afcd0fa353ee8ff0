package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/urfave/cli/v2"
)

// maxSettings is the largest configuration file in bytes.
const maxSettings = 1 << 20

// readSettings reads a configuration file: TOML without tables, whose keys are names of flags.
func readSettings(path string, s *Settings, flags []cli.Flag) (map[string]given, error) {
	// Opening a pipe without a writer would wait for ever.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, Usagef("the configuration file %s is not a regular file; a reload reads it again, so it cannot be a folder, a pipe or a device", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, Usagef("the configuration file cannot be read: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxSettings+1))
	if err != nil {
		return nil, Usagef("the configuration file cannot be read: %w", err)
	}
	if len(data) > maxSettings {
		return nil, Usagef("the configuration file %s has more than %d bytes", path, maxSettings)
	}
	return parseSettings(path, data, s, flags)
}

// parseSettings parses the bytes of a configuration file. Its errors name the file, the line and
// the key.
func parseSettings(path string, data []byte, s *Settings, flags []cli.Flag) (map[string]given, error) {
	byKey := map[string]toml.Primitive{}
	meta, err := toml.NewDecoder(bytes.NewReader(data)).Decode(&byKey)
	if err != nil {
		if at, ok := errors.AsType[toml.ParseError](err); ok {
			return nil, Usagef("%s:%d: %s", path, at.Position.Line, at.Message)
		}
		return nil, Usagef("%s: %w", path, err)
	}
	found := map[string]given{}
	for _, key := range meta.Keys() {
		name := key[0]
		line := lineOf(&meta, byKey[name])
		if kind := meta.Type(name); len(key) > 1 || kind == "Hash" || kind == "ArrayHash" {
			return nil, Usagef("%s:%d: the table %s: a configuration file has no tables, only keys", path, max(line, 1), strconv.Quote(name))
		}
		g, err := parseSetting(&meta, name, byKey[name], s, flags)
		if err != nil {
			return nil, Usagef("%s:%d: %w", path, line, err)
		}
		g.source = Source{File: path, Line: line}
		found[name] = g
	}
	return found, nil
}

// parseSetting reads the value of a key as the type of its flag demands.
func parseSetting(meta *toml.MetaData, name string, value toml.Primitive, s *Settings, flags []cli.Flag) (g given, err error) {
	f := FindFlag(flags, name)
	d := description{}
	if f != nil {
		d = describe(f)
	}
	if d.Name != name || !s.takes(d) { // unknown, another name of a flag, or no setting
		var known []string
		for _, d := range s.listed(flags) {
			known = append(known, d.Name)
		}
		return g, fmt.Errorf("unknown key %s%s", strconv.Quote(name), DidYouMean(Nearest(name, known)))
	}
	v := settingValue{}
	if err := meta.PrimitiveDecode(value, &v); err != nil {
		return g, fmt.Errorf("key %s has a value that is no string, number, true, false or list of strings", name)
	}
	switch {
	case d.many && !v.list:
		return g, fmt.Errorf("key %s must be a list, such as %[1]s = [\"a\", \"b\"]", name)
	case d.placeholder == "" && !v.truth:
		return g, fmt.Errorf("key %s must be true or false, without quotes", name)
	case d.placeholder != "" && v.truth:
		return g, fmt.Errorf("key %s must be a string, not %s", name, v.values[0])
	case !d.many && v.list:
		return g, fmt.Errorf("key %s must be a string, not a list", name)
	case d.many && len(v.values) == 0 && len(d.list) > 0:
		return g, fmt.Errorf("key %s is an empty list; without the key it is %s", name, strings.Join(d.list, ", "))
	}
	return given{values: v.values}, nil
}

// A settingValue is a value of a configuration file.
type settingValue struct {
	values      []string
	list, truth bool
}

// UnmarshalTOML takes the value. Numbers become what a flag would take.
func (v *settingValue) UnmarshalTOML(decoded any) error {
	switch decoded := decoded.(type) {
	case string:
		v.values = []string{decoded}
	case int64:
		v.values = []string{strconv.FormatInt(decoded, 10)}
	case float64:
		v.values = []string{strconv.FormatFloat(decoded, 'f', -1, 64)}
	case bool:
		v.values, v.truth = []string{strconv.FormatBool(decoded)}, true
	case []any:
		v.list = true
		for _, one := range decoded {
			text, ok := one.(string)
			if !ok {
				return errNotText
			}
			v.values = append(v.values, text)
		}
	default:
		return errNotText
	}
	return nil
}

var errNotText = errors.New("not a string")

// lineOf returns the line of a value. The library states lines in errors only, so it is made to
// return one.
func lineOf(meta *toml.MetaData, value toml.Primitive) int {
	var at toml.ParseError
	if errors.As(meta.PrimitiveDecode(value, refusing{}), &at) {
		return at.Position.Line
	}
	return 0
}

// refusing accepts no value.
type refusing struct{}

func (refusing) UnmarshalTOML(any) error { return errNotText }
