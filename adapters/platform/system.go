package platform

import (
	"context"
	"encoding/json"
)

const (
	systemInfoPath = "/api/system/info"
	cacheInfo      = "info"
)

// System reads and changes system information, settings and the current user.
type System struct{ client *Client }

// System returns the accessor of system information, settings and the current user.
func (c *Client) System() System { return System{c} }

// SystemInfo is the record at /api/system/info. Platform toolkit, section 2.8.
type SystemInfo struct {
	Version                   string `json:"version,omitempty"`
	Revision                  string `json:"revision,omitempty"`
	ServerDate                string `json:"serverDate,omitempty"`
	BuildTime                 string `json:"buildTime,omitempty"`
	SystemID                  string `json:"systemId,omitempty"`
	SystemName                string `json:"systemName,omitempty"`
	ContextPath               string `json:"contextPath,omitempty"`
	InstanceBaseURL           string `json:"instanceBaseUrl,omitempty"`
	Calendar                  string `json:"calendar,omitempty"`
	DateFormat                string `json:"dateFormat,omitempty"`
	LastAnalyticsTableSuccess string `json:"lastAnalyticsTableSuccess,omitempty"`
	JavaVersion               string `json:"javaVersion,omitempty"`
	CPUCores                  int    `json:"cpuCores,omitempty"`
	Extra                     Extra  `json:"-"`
}

// UnmarshalJSON puts unknown members into Extra.
func (s *SystemInfo) UnmarshalJSON(data []byte) error { return decodeRecord(data, s) }

// MarshalJSON includes the members of Extra.
func (s SystemInfo) MarshalJSON() ([]byte, error) { return encodeRecord(s) }

// Info returns /api/system/info, which is cached. Platform toolkit, sections 2.6 and 2.8.
func (s System) Info(ctx context.Context) (*SystemInfo, error) {
	raw, err := s.client.cached(ctx, cacheInfo, func(ctx context.Context) (json.RawMessage, error) {
		var raw json.RawMessage
		err := s.client.get(ctx, systemInfoPath, nil, &raw)
		return raw, err
	})
	if err != nil {
		return nil, err
	}
	info := new(SystemInfo)
	return info, unmarshal(raw, info)
}
