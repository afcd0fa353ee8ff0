package httpadapter

import (
	"net/http"

	"github.com/rs/cors"
)

// newCORS makes the policy for browsers; nil when no origin may use the server. There
// are no cookies, so credentials are never allowed.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		return nil
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		},
		AllowedHeaders: []string{
			"Accept", "Accept-Language", "Authorization", "Content-Type", "If-Match", "If-Modified-Since",
			"If-None-Match", "Prefer", "X-Requested-With", headerRequestID,
		},
		ExposedHeaders: []string{"Content-Location", "ETag", "Last-Modified", "Location", headerRequestID},
		MaxAge:         600,
	})
}
