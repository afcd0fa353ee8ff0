package audit

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// A Record is what one request, or one entry of a batch or transaction, did. A long answer has several
// Records with the same Request. Its JSON members are the columns of the log, and the table in the
// guide describes them; members without a value are left out.
type Record struct {
	Time    time.Time `json:"time"`             // when the line was made, in UTC
	Event   string    `json:"event"`            // interaction or operation, or one of the events of the log itself
	Request string    `json:"request"`          // id of the request, as in the header X-Request-Id
	Entry   int       `json:"entry,omitempty"`  // number of the entry in a batch or transaction, from 1
	Part    int       `json:"part,omitempty"`   // number of the line, from 2, in an answer that has several
	Status  int       `json:"status,omitempty"` // of HTTP

	Address string `json:"address,omitempty"` // of the client
	Subject string `json:"subject,omitempty"` // who: access.Principal
	Issuer  string `json:"issuer,omitempty"`
	Client  string `json:"client,omitempty"`
	Auth    string `json:"auth,omitempty"` // how the principal was authenticated
	Purpose string `json:"purpose,omitempty"`

	Method string `json:"method,omitempty"` // of HTTP
	Type   string `json:"type,omitempty"`   // of the resources
	Path   string `json:"path,omitempty"`
	Query  string `json:"query,omitempty"`

	Read     []string `json:"read,omitempty"` // Type/id/_history/version, or Type/id if there is no version
	Created  []string `json:"created,omitempty"`
	Updated  []string `json:"updated,omitempty"`
	Deleted  []string `json:"deleted,omitempty"`
	Patients []string `json:"patients,omitempty"` // Patient/id

	Damaged []string `json:"damaged,omitempty"` // Type/id/_history/version or packs/NAME, in an event damage
	Found   string   `json:"found,omitempty"`   // what found it

	Count int    `json:"count,omitempty"` // of refusals that have no line, in an event refusals
	Note  string `json:"note,omitempty"`  // of an event of the log itself

	// What follows is not part of a line. Owners are the ids of the Patients that each created,
	// updated or deleted resource belongs to, and User is the resource of the user.
	Owners map[string][]string `json:"-"`
	User   string              `json:"-"`
}

// AddPatient adds a Patient by its id, unless it is there.
func (r *Record) AddPatient(id string) {
	reference := "Patient/" + id
	if !slices.Contains(r.Patients, reference) {
		r.Patients = append(r.Patients, reference)
	}
}

// Events of the log itself. They have no Request.
const (
	// EventFile is the first line of a file.
	EventFile = "log-file"
	// EventStart is written when the log is opened, EventStop when it is closed.
	EventStart, EventStop = "log-start", "log-stop"
	// EventRepair reports what was left of a line that a crash interrupted.
	EventRepair = "log-repair"
	// EventRemoved names a file that was removed because of its age.
	EventRemoved = "log-removed"
	// EventRefusals counts the refused requests of one client that have no line, because there were
	// too many.
	EventRefusals = "refusals"
	// EventDamage reports that stored data is not what was written.
	EventDamage = "damage"
)

// timeLayout has a fixed width, so that texts compare like times.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// Append appends the members of the record as JSON, without braces.
func (r *Record) Append(dst []byte) []byte {
	dst = append(dst, `"time":"`...)
	dst = r.Time.UTC().AppendFormat(dst, timeLayout)
	dst = append(dst, `","event":`...)
	dst = appendString(dst, r.Event)
	dst = appendText(dst, `,"request":`, r.Request)
	dst = appendNumber(dst, `,"entry":`, r.Entry)
	dst = appendNumber(dst, `,"part":`, r.Part)
	dst = appendNumber(dst, `,"status":`, r.Status)
	dst = appendText(dst, `,"address":`, r.Address)
	dst = appendText(dst, `,"subject":`, r.Subject)
	dst = appendText(dst, `,"issuer":`, r.Issuer)
	dst = appendText(dst, `,"client":`, r.Client)
	dst = appendText(dst, `,"auth":`, r.Auth)
	dst = appendText(dst, `,"purpose":`, r.Purpose)
	dst = appendText(dst, `,"method":`, r.Method)
	dst = appendText(dst, `,"type":`, r.Type)
	dst = appendText(dst, `,"path":`, r.Path)
	if r.Part == 0 { // the first line of an answer
		dst = appendText(dst, `,"query":`, r.Query)
	}
	dst = appendList(dst, `,"read":`, r.Read)
	dst = appendList(dst, `,"created":`, r.Created)
	dst = appendList(dst, `,"updated":`, r.Updated)
	dst = appendList(dst, `,"deleted":`, r.Deleted)
	dst = appendList(dst, `,"patients":`, r.Patients)
	dst = appendList(dst, `,"damaged":`, r.Damaged)
	dst = appendText(dst, `,"found":`, r.Found)
	dst = appendNumber(dst, `,"count":`, r.Count)
	return appendText(dst, `,"note":`, r.Note)
}

func appendNumber(dst []byte, name string, n int) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, name...), int64(n), 10)
}

func appendText(dst []byte, name, text string) []byte {
	if text == "" {
		return dst
	}
	return appendString(append(dst, name...), text)
}

func appendList(dst []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return dst
	}
	dst = append(append(dst, name...), '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, text)
	}
	return append(dst, ']')
}

const hexDigits = "0123456789abcdef"

// appendString appends a JSON string. Control characters and the separators of lines that some readers
// know besides the line feed are escaped, so that a line of the log is one line for every reader.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c < ' ' || c == 0x7f:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			default:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, "\ufffd"...)
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			dst = append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return append(dst, '"')
}
