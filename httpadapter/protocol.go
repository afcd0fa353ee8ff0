package httpadapter

import (
	"bytes"
	"net"
	"strconv"

	"github.com/roget-health/roget/engine/operation"
)

// A protocolListener makes OperationOutcomes of what net/http answers itself, before
// there is a request to hand to a handler: a malformed request line or header, a header
// that is too large, a path with a bad percent-escape.
type protocolListener struct{ net.Listener }

// Accept implements net.Listener. Connections that are not TCP, such as TLS, which
// net/http must see as they are, are left alone.
func (l protocolListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok {
		return protocolConn{newTimedConn(tcp)}, err
	}
	return conn, err
}

type protocolConn struct{ *timedConn }

// plainError is how net/http ends the header of an answer it gives itself, in one write
// with the whole answer. What a handler answers has a Date as well.
const plainError = "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n"

// Write implements net.Conn.
func (c protocolConn) Write(p []byte) (int, error) {
	if answer := protocolError(p); answer != nil {
		if _, err := c.timedConn.Write(answer); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	return c.timedConn.Write(p)
}

// protocolError returns the answer that replaces one of net/http, nil when p is another.
func protocolError(p []byte) []byte {
	const status = len("HTTP/1.1 ")
	if !bytes.HasPrefix(p, []byte("HTTP/1.1 4")) && !bytes.HasPrefix(p, []byte("HTTP/1.1 5")) {
		return nil
	}
	end := bytes.IndexByte(p, '\r')
	if end < status+3 || !bytes.HasPrefix(p[end:], []byte(plainError)) {
		return nil
	}
	code, err := strconv.Atoi(string(p[status : status+3]))
	if err != nil {
		return nil
	}
	problem := operation.Problem{Code: "structure"}
	switch text := string(p[end+len(plainError):]); code {
	case 400:
		problem.Text = "malformed HTTP request (" + text + "): check the request line, percent-escapes of the path (%25 for a percent sign) and the headers"
	case 431:
		problem.Code, problem.Text = "too-long", "the URL and headers are larger than this server takes; send long parameters in the body of a POST"
	default:
		problem.Code, problem.Text = "not-supported", text
	}
	_, outcome := operation.Outcome(&problem)
	body := outcome.AppendJSON(nil)
	answer := append([]byte(nil), p[:end]...)
	answer = append(answer, "\r\nContent-Type: "+mediaFHIR+"; charset=utf-8\r\nContent-Length: "...)
	answer = strconv.AppendInt(answer, int64(len(body)), 10)
	answer = append(answer, "\r\nConnection: close\r\n\r\n"...)
	return append(answer, body...)
}
