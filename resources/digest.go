package resources

import (
	"crypto/sha256"
	"hash"
)

// digest is the same for two documents that say the same: it leaves out id,
// meta.versionId, meta.lastUpdated, a meta with nothing else, and white space between
// tokens. The order of members and the lexical form of values count.
func digest(body []byte) (sum [sha256.Size]byte, err error) {
	d := digester{body: body, hash: sha256.New(), buf: make([]byte, 0, 4096)}
	_, _, err = eachMember(body, 0, func(key string, value span) error {
		switch key {
		case "id":
			return nil
		case "meta":
			return d.meta(value)
		}
		d.member(key, value)
		return nil
	})
	if err != nil {
		return sum, err
	}
	d.flush()
	d.hash.Sum(sum[:0])
	return sum, nil
}

// digester gathers what counts of a document, so that the hash is fed in large pieces.
type digester struct {
	body []byte
	hash hash.Hash
	buf  []byte
}

func (d *digester) meta(value span) error {
	_, _, err := eachMember(d.body, value.start, func(key string, value span) error {
		if key != "versionId" && key != "lastUpdated" {
			d.add('.') // a member of meta, not of the document
			d.member(key, value)
		}
		return nil
	})
	return err
}

// member adds a member: the name as it reads, in quotes so that nothing else can look
// like it, then the value without white space.
func (d *digester) member(key string, value span) {
	d.add('"')
	for i := range len(key) {
		if key[i] == '"' || key[i] == '\\' {
			d.add('\\')
		}
		d.add(key[i])
	}
	d.add('"')
	d.add(':')
	inString := false
	text := d.body[value.start:value.end]
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '"':
			inString = !inString
		case inString && c == '\\' && i+1 < len(text):
			d.add(c)
			i++
			c = text[i]
		case !inString && isSpace(c):
			continue
		}
		d.add(c)
	}
	d.add('\n')
}

func (d *digester) add(c byte) {
	if len(d.buf) == cap(d.buf) {
		d.flush()
	}
	d.buf = append(d.buf, c)
}

func (d *digester) flush() {
	d.hash.Write(d.buf)
	d.buf = d.buf[:0]
}
