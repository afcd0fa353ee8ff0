package httpadapter

import (
	"bytes"
	"net"
	"strconv"

	"github.com/roget-health/roget/engine/operation"
)

// A protocolListener replaces the plain-text errors of net/http with OperationOutcomes. net/http
// sends them without calling a handler: for a malformed request line or header, a header that is
// too large, or a path with a bad percent-escape.
type protocolListener struct{ net.Listener }

// Accept implements net.Listener. It returns connections other than TCP unchanged, because net/http
// must recognise TLS connections.
func (l protocolListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	switch conn.(type) {
	case *net.TCPConn, limitedTCP:
		return protocolConn{newTimedConn(conn.(tcpConn))}, err
	}
	return conn, err
}

// plainToTLS is what net/http sends when a client speaks HTTP on a port for HTTPS.
const plainToTLS = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"

type protocolConn struct{ *timedConn }

// plainError ends the header of an error that net/http sends itself. It sends the whole response in
// one write. The response of a handler would have a Date too.
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

// protocolError returns the response that replaces p if p is an error of net/http, else nil.
func protocolError(p []byte) []byte {
	if bytes.Equal(p, []byte(plainToTLS)) {
		return errorResponse([]byte("HTTP/1.1 400 Bad Request"), operation.Problem{
			Code: "structure", Text: "this port speaks HTTPS; use an address that begins with https://",
		})
	}
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
		problem.Text = "malformed HTTP request (" + text + "); check the request line, the percent-escapes of the path (%25 for a percent sign) and the headers"
	case 431:
		problem.Code, problem.Text = "too-long", "the URL and the headers exceed the limit of this server; send long parameters in the body of a POST"
	default:
		problem.Code, problem.Text = "not-supported", text
	}
	return errorResponse(p[:end], problem)
}

// errorResponse returns a whole response with a status line and an OperationOutcome.
func errorResponse(line []byte, problem operation.Problem) []byte {
	_, outcome := operation.Outcome(&problem)
	body := outcome.AppendJSON(nil)
	answer := append([]byte(nil), line...)
	answer = append(answer, "\r\nContent-Type: "+mediaFHIR+"; charset=utf-8\r\nContent-Length: "...)
	answer = strconv.AppendInt(answer, int64(len(body)), 10)
	answer = append(answer, "\r\nConnection: close\r\n\r\n"...)
	return append(answer, body...)
}
