package balp

import "strings"

// The elements of AuditEvent that this package writes.
type (
	auditEvent struct {
		ResourceType string   `json:"resourceType"`
		Meta         *meta    `json:"meta,omitempty"`
		Type         coding   `json:"type"`
		Subtype      []coding `json:"subtype,omitempty"`
		Action       string   `json:"action,omitempty"`
		Recorded     string   `json:"recorded"`
		Outcome      string   `json:"outcome"`
		OutcomeDesc  string   `json:"outcomeDesc,omitempty"`
		Agent        []agent  `json:"agent"`
		Source       source   `json:"source"`
		Entity       []entity `json:"entity,omitempty"`
	}
	meta struct {
		Profile []string `json:"profile"`
	}
	coding struct {
		System  string `json:"system"`
		Code    string `json:"code"`
		Display string `json:"display,omitempty"`
	}
	codeableConcept struct {
		Coding []coding `json:"coding,omitempty"`
		Text   string   `json:"text,omitempty"`
	}
	reference struct {
		Reference  string      `json:"reference,omitempty"`
		Identifier *identifier `json:"identifier,omitempty"`
		Display    string      `json:"display,omitempty"`
	}
	identifier struct {
		System   string     `json:"system,omitempty"`
		Value    string     `json:"value"`
		Assigner *reference `json:"assigner,omitempty"`
	}
	agent struct {
		Type         codeableConcept   `json:"type"`
		Who          reference         `json:"who"`
		Name         string            `json:"name,omitempty"`
		Requestor    bool              `json:"requestor"`
		Network      *network          `json:"network,omitempty"`
		PurposeOfUse []codeableConcept `json:"purposeOfUse,omitempty"`
	}
	network struct {
		Address string `json:"address"`
		Type    string `json:"type"`
	}
	source struct {
		Site     string    `json:"site,omitempty"`
		Observer reference `json:"observer"`
		Type     []coding  `json:"type"`
	}
	entity struct {
		What  *reference `json:"what,omitempty"`
		Type  coding     `json:"type"`
		Role  *coding    `json:"role,omitempty"`
		Query []byte     `json:"query,omitempty"` // base64 in JSON
	}
)

// Values of AuditEvent.outcome.
const (
	outcomeSuccess = "0"
	outcomeMinor   = "4" // the client is at fault
	outcomeSerious = "8" // the server is at fault
)

// Values of AuditEvent.agent.network.type.
const (
	networkName    = "1"
	networkAddress = "2"
	networkURI     = "5"
)

func dataEntity(ref string) entity {
	return entity{What: &reference{Reference: ref}, Type: coding{systemEntity, "2", "System Object"}, Role: &coding{systemRole, "4", "Domain Resource"}}
}

// damagedEntity is about a version of a resource, or a pack, which is no resource.
func damagedEntity(what string) entity {
	e := dataEntity(what)
	if !strings.Contains(what, "/_history/") {
		e.What, e.Role = &reference{Display: what}, nil
	}
	return e
}

func patientEntity(ref string) entity {
	return entity{What: &reference{Reference: ref}, Type: coding{systemEntity, "1", "Person"}, Role: &coding{systemRole, "1", "Patient"}}
}

func queryEntity(text string) entity {
	return entity{Type: coding{systemEntity, "2", "System Object"}, Role: &coding{systemRole, "24", "Query"}, Query: []byte(text)}
}

func transactionEntity(id string) entity {
	return entity{What: &reference{Identifier: &identifier{Value: id}}, Type: coding{systemTransaction, "XrequestId", ""}}
}
