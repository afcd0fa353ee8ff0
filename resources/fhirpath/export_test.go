package fhirpath

// Limit sets how many steps an evaluation may take.
func (s *Scope) Limit(steps int) { s.limit = steps }
