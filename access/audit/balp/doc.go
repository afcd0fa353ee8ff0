// Package balp makes AuditEvents of R4 from audit records: one for each resource that was read or
// changed, and one for each patient in the result of a search, as the profiles of IHE's Basic Audit Log
// Patterns require (https://profiles.ihe.net/ITI/BALP, version 1.1.4).
package balp
