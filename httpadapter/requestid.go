package httpadapter

import (
	"crypto/rand"
	"net/http"
	"strconv"
	"sync/atomic"
)

const headerRequestID = "X-Request-Id"

// requestIDs numbers requests: a random prefix for the process and a counter.
type requestIDs struct {
	prefix string
	last   atomic.Uint64
}

func (ids *requestIDs) seed() { ids.prefix = rand.Text()[:10] + "-" }

// set puts the id of a request into the header of its answer: the id the client sent,
// when it is one that can stand in a log, else a new one.
func (ids *requestIDs) set(answer, request http.Header) {
	if sent := request[headerRequestID]; sent != nil && saneID(sent[0]) {
		answer[headerRequestID] = sent[:1:1]
		return
	}
	var buf [32]byte
	id := append(buf[:0], ids.prefix...)
	id = strconv.AppendUint(id, ids.last.Add(1), 36)
	answer[headerRequestID] = []string{string(id)}
}

// requestID returns the id of the request that w answers.
func requestID(w http.ResponseWriter) string { return w.Header().Get(headerRequestID) }

// saneID reports that an id is 1 to 64 letters, digits, ".", "_" and "-".
func saneID(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}
