package definitions

// Compartment tells which resources belong to one of a type (https://hl7.org/fhir/R4/compartmentdefinition.html).
type Compartment struct {
	// Name is its code, the resource type it is of: "Patient".
	Name string

	types  []string
	params map[string][]string
}

// Types returns the resource types that can be members, in ascending order.
func (c *Compartment) Types() []string { return c.types }

// Params returns the codes of the search parameters that make a resource of a type a
// member when one of them refers to the compartment's resource; nil when the type can be
// no member.
func (c *Compartment) Params(typ string) []string { return c.params[typ] }

// Compartment returns a compartment by name: "Patient", "Encounter", "Device",
// "Practitioner" or "RelatedPerson"; nil for another name.
func (t *Tables) Compartment(name string) *Compartment { return t.compartments[name] }
