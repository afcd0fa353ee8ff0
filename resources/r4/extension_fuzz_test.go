package r4

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecodeExtensions decodes any text as extensions, which must fail, or yield extensions that
// are unchanged by encoding and decoding.
func FuzzDecodeExtensions(f *testing.F) {
	for _, seed := range []string{
		`[]`, `[{"url":"http://e","valueString":"x"}]`,
		`[{"url":"u","extension":[{"url":"v","valueCoding":{"system":"s","code":"c"}},{"valueBoolean":true}]}]`,
		`[{"url":"u","valueCode":"a","valueCode2":"b","_valueCode":{"id":"x"}}]`, `[{"valueQuantity":{"value":1.50}}]`, `[null]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := DecodeExtensions(text)
		if err != nil {
			return
		}
		written := []byte("[")
		for i := range list {
			if i > 0 {
				written = append(written, ',')
			}
			written = AppendExtension(written, &list[i])
		}
		again, err := DecodeExtensions(append(written, ']'))
		if err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if d := cmp.Diff(list, again); d != "" {
			t.Errorf("%s: %s", written, d)
		}
	})
}
