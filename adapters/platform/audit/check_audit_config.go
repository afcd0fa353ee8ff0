package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/roget-health/roget/adapters/platform/audit/serverconfig"
)

func (s *Scanner) auditConfig(context.Context) (Result, error) {
	if s.options.ServerConfig == "" {
		return reduceAuditConfig(nil), nil
	}
	config, err := serverconfig.Load(s.options.ServerConfig)
	if err != nil {
		return Result{}, &readError{"the server configuration file", err}
	}
	return reduceAuditConfig(config), nil
}

func reduceAuditConfig(c *serverconfig.Config) Result {
	const system, sinks, scope = "audit-config-system-disabled", "audit-config-both-sinks-off", "audit-config-narrow-scope"
	r := newRecorder(CheckAuditConfig)
	if c == nil {
		r.result.Status = StatusSkipped
		r.note("No server configuration file was given.")
		r.skip("no file given", system, sinks, scope)
		r.remark(Finding{
			Severity: Info, Title: "The audit configuration is not readable through the web API",
			Detail: "Whether the platform keeps an audit log is unknown. Give a copy of the server configuration file with --server-conf to judge it.",
		})
		return r.done()
	}
	if len(c.Unreadable) > 0 {
		keys := make([]string, len(c.Unreadable))
		for i, key := range c.Unreadable {
			keys[i] = string(key)
		}
		r.note("These keys are neither on nor off, so their defaults were taken: %s.", strings.Join(keys, ", "))
	}
	var set []string
	for _, flag := range c.Confidential {
		if flag.Set {
			set = append(set, string(flag.Key))
		}
	}
	r.note("Confidential keys that are set: %s.", orNone(set))
	r.evaluated(system)
	if !c.Enabled {
		r.flag(Finding{
			Control: system, Severity: Medium, Title: "Auditing is off", Detail: "The platform records nothing of what users do.",
			Evidence: map[string]string{"system.audit.enabled": "off"},
		})
		r.skip("auditing is off", sinks, scope)
		return r.done()
	}
	r.evaluated(sinks, scope)
	if !c.Logger && !c.Database {
		r.flag(Finding{
			Control: sinks, Severity: Medium, Title: "The audit log goes nowhere", Detail: "Neither the file nor the database receives it.",
			Evidence: map[string]string{"audit.logger": "off", "audit.database": "off"},
		})
	}
	for _, s := range c.Scopes {
		missing := s.Missing()
		if !s.Explicit || len(missing) == 0 {
			continue
		}
		words := make([]string, len(missing))
		for i, o := range missing {
			words[i] = string(o)
		}
		r.flag(Finding{
			Control: scope, Severity: Medium, Title: "Operations are left out of the audit log", Subject: string(s.Key),
			Detail: fmt.Sprintf("The scope does not record %s.", strings.Join(words, ", ")), Evidence: map[string]string{"missing": strings.Join(words, ", ")},
		})
	}
	return r.done()
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
