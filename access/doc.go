// Package access has the vocabulary of permissions: who makes a request (Principal), what a
// permission covers (Scope), and everything one request may do (Grant).
//
// A scope has the form that SMART App Launch 2 defines, such as patient/Observation.rs?category=vital-signs.
//
// Source: https://hl7.org/fhir/smart-app-launch/STU2/scopes-and-launch-context.html.
package access
