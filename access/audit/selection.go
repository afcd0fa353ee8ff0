package audit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Selection is which lines a reader asks for. The zero Selection is all of them.
type Selection struct {
	Since, Until time.Time // Since <= Time < Until; zero means no bound
	Patient      string    // id of a Patient: read, changed, or the owner of resources that were
	Resource     string    // Type/id, or Type/id/_history/version
	Who          string    // subject, client, issuer|subject or address
	Events       []string  // one of them; an operation with or without its dollar sign
	Status       string    // 200, or 4xx
}

// MayHave reports whether a line may be selected, without parsing it.
func (s *Selection) MayHave(line []byte) bool {
	if !s.Since.IsZero() || !s.Until.IsZero() {
		if at, found := timeOf(line); found {
			if !s.Since.IsZero() && string(at) < s.Since.UTC().Format(timeLayout) {
				return false
			}
			if !s.Until.IsZero() && string(at) >= s.Until.UTC().Format(timeLayout) {
				return false
			}
		}
	}
	return (s.Patient == "" || bytes.Contains(line, []byte(`"Patient/`+s.Patient))) &&
		(s.Resource == "" || bytes.Contains(line, []byte(`"`+s.Resource)))
}

// timeOf returns the time of a line, which follows its number.
func timeOf(line []byte) (at []byte, found bool) {
	const before = `,"time":"`
	i := bytes.IndexByte(line, ',')
	if i < 0 || !bytes.HasPrefix(line[i:], []byte(before)) || len(line) < i+len(before)+len(timeLayout) {
		return nil, false
	}
	at = line[i+len(before):][:len(timeLayout)]
	return at, at[len(at)-1] == 'Z'
}

// Has reports whether a record is selected.
func (s *Selection) Has(r *Record) bool {
	switch {
	case !s.Since.IsZero() && r.Time.Before(s.Since), !s.Until.IsZero() && !r.Time.Before(s.Until):
	case s.Patient != "" && !slices.Contains(r.Patients, "Patient/"+s.Patient) && !r.touches("Patient/"+s.Patient):
	case s.Resource != "" && !r.touches(s.Resource):
	case s.Who != "" && !r.isBy(s.Who):
	case len(s.Events) > 0 && !slices.Contains(s.Events, r.Event) && !slices.Contains(s.Events, strings.TrimPrefix(r.Event, "$")):
	case s.Status != "" && !hasStatus(s.Status, r.Status):
	default:
		return true
	}
	return false
}

// touches reports whether a resource was read, changed or found damaged, in any version if the
// reference has none.
func (r *Record) touches(reference string) bool {
	for _, list := range [...][]string{r.Read, r.Created, r.Updated, r.Deleted, r.Damaged} {
		for _, one := range list {
			rest, is := strings.CutPrefix(one, reference)
			if is && (rest == "" || strings.HasPrefix(rest, "/_history/")) {
				return true
			}
		}
	}
	return false
}

func (r *Record) isBy(who string) bool {
	return who == r.Subject || who == r.Client || who == r.Address || r.Subject != "" && who == r.Issuer+"|"+r.Subject
}

func hasStatus(asked string, status int) bool {
	text := strconv.Itoa(status)
	if class, is := strings.CutSuffix(asked, "xx"); is {
		return len(text) == 3 && text[:1] == class
	}
	return text == asked
}
