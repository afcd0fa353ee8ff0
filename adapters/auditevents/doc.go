// Package auditevents stores what requests did as AuditEvents, before they are answered. The events of
// requests at work at the same time are stored together.
package auditevents
