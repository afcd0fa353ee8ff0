package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ulikunitz/xz/lzma"
)

// maxText limits the size of a text in bytes.
const maxText = 8 << 20

// Text returns the text of a file in the format .lzma. A file that does not state the size of its
// text, or has more than 8 MiB, is an error.
func Text(file string) ([]byte, error) {
	if len(file) < lzma.HeaderLen {
		return nil, errors.New("the file ends early")
	}
	size := binary.LittleEndian.Uint64([]byte(file[lzma.HeaderLen-8 : lzma.HeaderLen]))
	if size > maxText {
		return nil, fmt.Errorf("a text of %d bytes", size)
	}
	r, err := lzma.NewReader(strings.NewReader(file))
	if err != nil {
		return nil, err
	}
	text := make([]byte, size)
	_, err = io.ReadFull(r, text)
	return text, err
}
