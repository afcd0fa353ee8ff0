package platform

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A WebMessage is the envelope of the responses to writes and of most failures. It does not contain the
// value of a created token. Platform toolkit, section 2.5.
type WebMessage struct {
	HTTPStatus     string // Conflict
	HTTPStatusCode int
	Status         string // OK, WARNING or ERROR
	Message        string
	DevMessage     string
	ErrorCode      string // E1103

	UID       string        // uid of the created object: response.uid
	Counts    *ImportCounts // may be nil
	Conflicts []Conflict    // from both shapes on the wire, sorted by resource and code
	Job       *Job          // the job that was started; may be nil
}

// ImportCounts are the results of an import.
type ImportCounts struct {
	Imported int `json:"imported"`
	Updated  int `json:"updated"`
	Ignored  int `json:"ignored"`
	Deleted  int `json:"deleted"`
}

// A Conflict is an object that an import refused.
type Conflict struct {
	Resource  string `json:"resource,omitempty"` // type, without its package: DataElement
	UID       string `json:"uid,omitempty"`
	Property  string `json:"property,omitempty"`
	Value     string `json:"value,omitempty"` // the problem, in data and tracker imports
	ErrorCode string `json:"error_code,omitempty"`
	Message   string `json:"message,omitempty"`
	Indexes   []int  `json:"indexes,omitempty"` // rows of the request, counted from 0
}

// A Job is a job that a request started.
type Job struct {
	Type string `json:"jobType"`
	ID   string `json:"id"`
}

// maxConflicts limits the conflicts of a response.
const maxConflicts = 10_000

// WebMessage returns the envelope in the body, or nil.
func (e *APIError) WebMessage() *WebMessage {
	message, err := ParseWebMessage(e.Body)
	if err != nil {
		return nil
	}
	return message
}

// text reads a member that is usually a text. Of other values it has the JSON.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	} else if string(data) != "null" {
		*t = text(data)
	}
	return nil
}

// wireReport is an error report of a metadata import.
type wireReport struct {
	ErrorCode       text   `json:"errorCode"`
	ErrorProperty   text   `json:"errorProperty"`
	ErrorProperties []text `json:"errorProperties"`
	MainID          text   `json:"mainId"`
	Message         text   `json:"message"`
	Value           text   `json:"value"`
}

// wireObject has error reports. It is an object report, or a response with the members of one.
type wireObject struct {
	Klass        text         `json:"klass"`
	UID          text         `json:"uid"`
	ErrorReports []wireReport `json:"errorReports"`
}

// wireResponse is the response of an envelope.
type wireResponse struct {
	wireObject
	JobType     text          `json:"jobType"`
	ID          text          `json:"id"`
	ImportCount *ImportCounts `json:"importCount"`
	Imported    *int          `json:"imported"`
	Updated     *int          `json:"updated"`
	Ignored     *int          `json:"ignored"`
	Deleted     *int          `json:"deleted"`
	Conflicts   []struct {
		Object    text  `json:"object"`
		Property  text  `json:"property"`
		Value     text  `json:"value"`
		ErrorCode text  `json:"errorCode"`
		Indexes   []int `json:"indexes"`
	} `json:"conflicts"`
	TypeReports []struct {
		Klass         text         `json:"klass"`
		ObjectReports []wireObject `json:"objectReports"`
	} `json:"typeReports"`
}

var errNoEnvelope = errors.New("the body is not a web message of the platform")

// ParseWebMessage reads an envelope: a JSON object with a status or a message. Members of a wrong type are
// ignored.
func ParseWebMessage(body []byte) (*WebMessage, error) {
	var wire struct {
		HTTPStatus     text            `json:"httpStatus"`
		HTTPStatusCode int             `json:"httpStatusCode"`
		Status         text            `json:"status"`
		Message        text            `json:"message"`
		DevMessage     text            `json:"devMessage"`
		ErrorCode      text            `json:"errorCode"`
		Response       json.RawMessage `json:"response"`
	}
	if !json.Valid(body) {
		return nil, errNoEnvelope
	}
	_ = json.Unmarshal(body, &wire) // members of a wrong type are skipped
	if wire.HTTPStatus == "" && wire.Status == "" && wire.Message == "" {
		return nil, errNoEnvelope
	}
	m := &WebMessage{
		HTTPStatus: string(wire.HTTPStatus), HTTPStatusCode: wire.HTTPStatusCode, Status: string(wire.Status),
		Message: string(wire.Message), DevMessage: string(wire.DevMessage), ErrorCode: string(wire.ErrorCode),
	}
	raw := json.RawMessage(body) // an import summary without an envelope
	if len(wire.Response) > 0 && string(wire.Response) != "null" {
		raw = wire.Response
	}
	var response wireResponse
	_ = json.Unmarshal(raw, &response)
	m.read(&response)
	return m, nil
}

// read normalizes the response.
func (m *WebMessage) read(r *wireResponse) {
	m.UID, m.Counts = string(r.UID), r.ImportCount
	if m.Counts == nil && (r.Imported != nil || r.Updated != nil || r.Ignored != nil || r.Deleted != nil) {
		m.Counts = &ImportCounts{count(r.Imported), count(r.Updated), count(r.Ignored), count(r.Deleted)}
	}
	if r.JobType != "" {
		m.Job = &Job{string(r.JobType), string(r.ID)}
	}
	for _, c := range r.Conflicts {
		row := Conflict{Resource: string(c.Object), Property: string(c.Property), Value: string(c.Value), ErrorCode: string(c.ErrorCode), Indexes: c.Indexes}
		if IsUID(row.Resource) {
			row.Resource, row.UID = "", row.Resource
		}
		m.add(row)
	}
	m.reports(r.wireObject, "")
	for _, t := range r.TypeReports {
		for _, object := range t.ObjectReports {
			m.reports(object, t.Klass)
		}
	}
	slices.SortStableFunc(m.Conflicts, func(a, b Conflict) int {
		return cmp.Or(strings.Compare(a.Resource, b.Resource), strings.Compare(a.ErrorCode, b.ErrorCode))
	})
}

// reports adds the error reports of an object.
func (m *WebMessage) reports(object wireObject, klass text) {
	name := string(cmp.Or(object.Klass, klass))
	name = name[strings.LastIndexByte(name, '.')+1:]
	for _, r := range object.ErrorReports {
		value := r.Value
		if value == "" && len(r.ErrorProperties) > 0 {
			value = r.ErrorProperties[0]
		}
		m.add(Conflict{
			Resource: name, UID: string(cmp.Or(object.UID, r.MainID)), Property: string(r.ErrorProperty),
			Value: string(value), ErrorCode: string(r.ErrorCode), Message: string(r.Message),
		})
	}
}

func (m *WebMessage) add(c Conflict) {
	if len(m.Conflicts) < maxConflicts {
		m.Conflicts = append(m.Conflicts, c)
	}
}

func count(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}
