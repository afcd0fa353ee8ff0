package backend

import (
	"testing"

	"github.com/roget-health/roget/cliadapter"
)

func TestAcceptedHosts(t *testing.T) {
	for _, tt := range []struct {
		addr, name string
		accepts    map[string]bool
	}{
		{"127.0.0.1:8080", "", map[string]bool{"localhost:8080": true, "127.0.0.1:8080": true, "[::1]:8080": true, "10.0.0.1:8080": false, "roget:8080": false, "tx.example": false}},
		{"localhost:8080", "tx.example", map[string]bool{"localhost": true, "tx.example": true, "a.example": false}},
		{"127.0.0.2:8080", "", map[string]bool{"127.0.0.2:8080": true, "127.0.0.3:8080": false}},
		{":8080", "", map[string]bool{"10.0.0.1:8080": true, "roget:8080": true, "tx.example": false}},
		{"0.0.0.0:8080", "", map[string]bool{"10.0.0.1:8080": true, "roget:8080": true, "tx.example": false}},
		{"192.0.2.1:8080", "tx.example", map[string]bool{"192.0.2.1": true, "localhost": true, "tx.example": true, "192.0.2.2": false, "roget": false}},
		{":8080", "*", map[string]bool{"tx.example": true, "10.0.0.1": true}},
	} {
		o := cliadapter.ServeOptions{Addr: tt.addr}
		if tt.name != "" {
			o.Edge.Hosts = []string{tt.name}
		}
		for host, want := range tt.accepts {
			if got := acceptedHosts(&o).Accept(host); got != want {
				t.Errorf("--addr %s --host %q: %s is accepted: %v", tt.addr, tt.name, host, got)
			}
		}
	}
}

func TestCheckEdge(t *testing.T) {
	for name, o := range map[string]cliadapter.ServeOptions{
		"addr":     {Addr: "8080"},
		"base-url": {Addr: ":0", Edge: cliadapter.EdgeOptions{BaseURL: "tx.example"}},
		"host":     {Addr: ":0", Edge: cliadapter.EdgeOptions{Hosts: []string{"tx.example:80"}}},
		"origin":   {Addr: ":0", CORSOrigins: []string{"foo"}},
	} {
		if err := checkEdge(&o); err == nil {
			t.Errorf("%s: %+v is accepted", name, o)
		}
	}
	o := cliadapter.ServeOptions{Addr: ":0", CORSOrigins: []string{"https://a.example"}, Edge: cliadapter.EdgeOptions{BaseURL: "https://tx.example/fhir", Hosts: []string{"*.example"}}}
	if err := checkEdge(&o); err != nil {
		t.Error(err)
	}
}
