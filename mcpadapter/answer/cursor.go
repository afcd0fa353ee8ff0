package answer

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"strconv"
	"strings"
)

// ErrCursor is returned for a cursor that does not continue the list that is asked for.
var ErrCursor = errors.New("the cursor does not belong to these arguments: repeat the arguments of the call that returned it, or leave the cursor out to begin anew")

// maxOffset bounds what a cursor may skip.
const maxOffset = math.MaxInt32

// Cursor returns the text that continues a list at offset. Arguments are what the list was
// asked for, without the cursor and the size of the page.
func Cursor(offset int, arguments any) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset) + "." + mark(arguments)))
}

// Offset returns the place that a cursor continues at: 0 for no cursor. The error is
// ErrCursor.
func Offset(cursor string, arguments any) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	if len(cursor) > 100 {
		return 0, ErrCursor
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return 0, ErrCursor
	}
	number, hash, _ := strings.Cut(string(text), ".")
	offset, err := strconv.Atoi(number)
	if err != nil || offset < 0 || offset > maxOffset || hash != mark(arguments) {
		return 0, ErrCursor
	}
	return offset, nil
}

// mark is a short name of arguments.
func mark(arguments any) string {
	doc, err := json.Marshal(arguments)
	if err != nil {
		doc = fmt.Append(nil, arguments)
	}
	hash := fnv.New64a()
	hash.Write(doc)
	return strconv.FormatUint(hash.Sum64(), 36)
}
