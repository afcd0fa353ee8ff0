package platformtest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// answer is a status with a body: bytes as they are, anything else as JSON.
type answer struct {
	status int
	body   any
	header http.Header
	later  func() answer // to be called without the lock, in place of the rest
}

func found(body any) answer { return answer{status: http.StatusOK, body: body} }

// encoded is the answer with its body as bytes, which change no more.
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

// envelope is a WebMessage.
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

// refuse is an error in an envelope.
func refuse(status int, text string) answer {
	return answer{status: status, body: envelope(status, text)}
}

func missing(what, name string) answer {
	return refuse(http.StatusNotFound, what+" with id "+name+" could not be found.")
}

// written is the envelope of an object that was created, changed or removed.
func written(status int, plural, uid string) answer {
	message := envelope(status, "")
	message["response"] = Object{"responseType": "ObjectReport", "uid": uid, "klass": klass(plural), "errorReports": []any{}}
	return answer{status: status, body: message}
}

// reported is a refusal of an object with reports of what is wrong with it.
func reported(plural, uid string, reports ...any) answer {
	message := envelope(http.StatusConflict, "One or more errors occurred, please see full details in import report.")
	message["response"] = Object{"responseType": "ObjectReport", "uid": uid, "klass": klass(plural), "errorReports": reports}
	return answer{status: http.StatusConflict, body: message}
}

// decode reads a body as one JSON object.
func decode(body []byte) (Object, bool) {
	var o Object
	err := json.Unmarshal(body, &o)
	return o, err == nil && o != nil
}

func malformed() answer { return refuse(http.StatusBadRequest, "Invalid JSON input") }

// text returns a member that is a text, "" where it is none.
func text(o Object, name string) string {
	s, _ := o[name].(string)
	return s
}

// page is an answer in HTML, as the container of the platform gives it.
func page(status int, text string) answer {
	return answer{
		status: status, body: []byte("<!doctype html><html><head><title>" + text + "</title></head><body><h1>" + text + "</h1></body></html>"),
		header: http.Header{"Content-Type": {"text/html;charset=utf-8"}},
	}
}
