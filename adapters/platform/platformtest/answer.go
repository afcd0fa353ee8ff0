package platformtest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// answer is a response: a status and a body, which is bytes or a value for JSON.
type answer struct {
	status int
	body   any
	header http.Header
	later  func() answer // called without the lock, replaces the other fields
}

func found(body any) answer { return answer{status: http.StatusOK, body: body} }

// encoded returns the answer with its body as bytes, which later writes do not change.
func (a answer) encoded() answer {
	if _, raw := a.body.([]byte); raw || a.body == nil {
		return a
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(a.body)
	a.body = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return a
}

func (a answer) write(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if w.Header().Get("Content-Type") == "" && a.body != nil {
		w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	}
	w.WriteHeader(a.status)
	content, _ := a.encoded().body.([]byte)
	_, _ = w.Write(content)
}

// envelope returns a WebMessage.
func envelope(status int, text string) Object {
	kind := "OK"
	if status >= 400 {
		kind = "ERROR"
	}
	message := Object{"httpStatus": http.StatusText(status), "httpStatusCode": status, "status": kind}
	if text != "" {
		message["message"] = text
	}
	return message
}

// refuse returns an error in an envelope.
func refuse(status int, text string) answer {
	return answer{status: status, body: envelope(status, text)}
}

func missing(what, name string) answer {
	return refuse(http.StatusNotFound, what+" with id "+name+" could not be found.")
}

// written returns the envelope for an object that was created, changed or removed.
func written(status int, plural, uid string) answer {
	message := envelope(status, "")
	message["response"] = Object{"responseType": "ObjectReport", "uid": uid, "klass": klass(plural), "errorReports": []any{}}
	return answer{status: status, body: message}
}

// reported returns the refusal of an object with error reports.
func reported(plural, uid string, reports ...any) answer {
	message := envelope(http.StatusConflict, "One or more errors occurred, please see full details in import report.")
	message["response"] = Object{"responseType": "ObjectReport", "uid": uid, "klass": klass(plural), "errorReports": reports}
	return answer{status: http.StatusConflict, body: message}
}

// decode reads a body as a JSON object.
func decode(body []byte) (Object, bool) {
	var o Object
	err := json.Unmarshal(body, &o)
	return o, err == nil && o != nil
}

func malformed() answer { return refuse(http.StatusBadRequest, "Invalid JSON input") }

// text returns a member that is a text, or else "".
func text(o Object, name string) string {
	s, _ := o[name].(string)
	return s
}

// page returns an HTML response like those of the platform's servlet container.
func page(status int, text string) answer {
	return answer{
		status: status, body: []byte("<!doctype html><html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>"),
		header: http.Header{"Content-Type": {"text/html;charset=utf-8"}},
	}
}
