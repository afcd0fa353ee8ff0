package codesystem

import (
	"fmt"
	"slices"

	"github.com/roget-health/roget/resources/r4"
)

// Concept is one concept as a loader passes it to a Builder. The Builder copies what it needs: the
// caller may reuse the value and its slices.
type Concept struct {
	Code, Display, Definition string
	Designations              []r4.Designation
	// nil, or one for each designation
	Details    []DesignationDetail
	Properties []Property
	Extensions r4.Extensions
	// Parent is the index (see Builder.Add) of the concept this one is nested in, or -1.
	Parent int
	// Where is the place in the source, for errors: "file.json: line 12".
	Where string
}

// Property is one value of a property. Properties of a concept with the same Group belong together
// (the relationship groups of SNOMED CT); 0 is ungrouped, and the highest group is 65,535. The
// group of a property that states the hierarchy is ignored.
type Property struct {
	Code  string
	Value r4.Value
	Group int
}

// Builder collects concepts and builds an Index. It is not safe for concurrent use.
//
// Concepts may come in any order: a parent may be named before it is added. The Builder stores
// everything in arenas, which take a few bytes per concept besides its texts.
type Builder struct {
	header *r4.CodeSystem
	roles  roles

	codes        arena
	displays     arena
	definitions  arena
	places       arena
	designations designationBuilder
	extensions   extensionBuilder
	refsets      refsetBuilder
	props        *propertyBuilder

	table      codeTable
	nested     []int32 // parent by nesting plus 1, 0 for none; nil while nothing is nested
	flags      []byte
	statements []statement
	named      arena    // codes that statements name
	stating    []string // codes of the properties that state the hierarchy
	lateRoles  bool     // SetHeader changed the meaning of properties after concepts were added
	spent      bool

	// closureBudget is how many ancestors per concept, on average, may be stored; see closure.go.
	closureBudget int
}

// statement is a property of a concept that states the hierarchy. Text i of Builder.named is the
// code that statement i names.
type statement struct {
	concept  uint32
	property uint32 // index into Builder.stating
	role     role
}

// NewBuilder returns a Builder for the code system that header describes. The header is not copied
// and must not change until Build.
func NewBuilder(header *r4.CodeSystem) *Builder {
	if header == nil {
		header = &r4.CodeSystem{}
	}
	b := &Builder{
		codes:        newArena(),
		displays:     newArena(),
		definitions:  newArena(),
		places:       newArena(),
		named:        newArena(),
		designations: newDesignationBuilder(),
		extensions:   newExtensionBuilder(),
		refsets:      newRefsetBuilder(),

		closureBudget: closurePerConcept,
		header:        header,
		roles:         rolesOf(header),
		table:         codeTable{fold: !caseSensitive(header), seed: mixB},
	}
	b.props = newPropertyBuilder(func() *r4.CodeSystem { return b.header })
	return b
}

// SetHeader replaces the header, since the elements of a streamed CodeSystem may follow its
// concepts. Build interprets the concepts that were added before by the new header.
func (b *Builder) SetHeader(header *r4.CodeSystem) {
	if header == nil {
		return
	}
	changed := rolesOf(header)
	if b.Len() > 0 && !changed.equal(b.roles) {
		b.lateRoles = true
	}
	b.header, b.roles = header, changed
}

// Len returns the number of concepts added.
func (b *Builder) Len() int { return b.codes.len() }

// Add appends a concept and returns its number, for use as Parent of the concepts nested in it.
// Errors name the place: ErrEmptyCode, ErrDuplicateCode (by the case rule of the header),
// ErrBadProperty, ErrBadDetails, ErrTooLarge. After an error the builder is unchanged, but must
// not be built.
func (b *Builder) Add(c *Concept) (int, error) {
	number := b.Len()
	if err := b.check(c, number); err != nil {
		return 0, err
	}
	codes := b.codes.texts()
	if first, ok := b.table.find(c.Code, uint32(number), &codes); ok {
		return 0, b.duplicate(first, c.Code, c.Where)
	}
	b.codes.add(c.Code)
	b.displays.add(c.Display)
	b.definitions.add(c.Definition)
	b.places.add(c.Where)
	b.designations.add(c.Designations, c.Details)
	codes = b.codes.texts()
	b.table.insert(c.Code, uint32(number), &codes)
	if b.nested == nil && c.Parent >= 0 {
		b.nested = make([]int32, number, 2*number+16)
	}
	if b.nested != nil {
		b.nested = append(b.nested, int32(c.Parent+1))
	}
	b.flags = append(b.flags, flagsOfExtensions(c.Extensions))
	if !b.extensions.add(number, c) {
		return 0, fmt.Errorf("%s%w: extensions of concept %q", at(c.Where), ErrTooLarge, c.Code)
	}
	return number, b.addProperties(number, c)
}

// Nest states that one added concept is nested in another, by their numbers. It is for readers
// that reach the end of a nested concept before the end of the concept around it, and so cannot
// set Concept.Parent. Siblings keep the order in which they were added.
func (b *Builder) Nest(child, parent int) error {
	if n := b.Len(); child < 0 || child >= n || parent < 0 || parent >= n || child == parent {
		return fmt.Errorf("%w: cannot nest concept %d of %d in concept %d", ErrUnknownParent, child, n, parent)
	}
	if b.nested == nil {
		b.nested = make([]int32, b.Len(), 2*b.Len()+16)
	}
	b.nested[child] = int32(parent + 1)
	return nil
}

// check refuses a concept that cannot be stored, before any of it is.
func (b *Builder) check(c *Concept, number int) error {
	switch {
	case b.spent:
		return fmt.Errorf("%sa Builder takes nothing after Build", at(c.Where))
	case c.Code == "":
		return fmt.Errorf("%s%w", at(c.Where), ErrEmptyCode)
	case number >= maxConcepts:
		return fmt.Errorf("%s%w: %d concepts", at(c.Where), ErrTooLarge, number)
	case c.Parent >= number:
		return fmt.Errorf("%s%w: concept %q is nested in concept %d of %d", at(c.Where), ErrUnknownParent, c.Code, c.Parent, number)
	case c.Details != nil && len(c.Details) != len(c.Designations):
		return fmt.Errorf("%s%w: concept %q has %d designations, but details for %d", at(c.Where), ErrBadDetails, c.Code, len(c.Designations), len(c.Details))
	case !b.codes.fits(len(c.Code)), !b.displays.fits(len(c.Display)), !b.definitions.fits(len(c.Definition)),
		!b.places.fits(len(c.Where)), !b.designations.fits(c.Designations, c.Details):
		return fmt.Errorf("%s%w: concept %q", at(c.Where), ErrTooLarge, c.Code)
	}
	return nil
}

// addProperties stores the properties of a concept, except those that state the hierarchy, and
// sets its flags.
func (b *Builder) addProperties(number int, c *Concept) error {
	hierarchical := 0
	for i := range c.Properties {
		p := &c.Properties[i]
		r := b.roles.of(p.Code)
		b.flags[number] |= flagsOf(r, p.Value)
		if !r.hierarchical() {
			continue
		}
		code, ok := b.roles.codeNamed(p.Value)
		switch {
		case ok && code == "":
			return fmt.Errorf("%sconcept %q: property %q: %w: no code", at(c.Where), c.Code, p.Code, ErrBadProperty)
		case ok:
			if !b.named.fits(len(code)) {
				return fmt.Errorf("%s%w: concept %q", at(c.Where), ErrTooLarge, c.Code)
			}
			b.state(uint32(number), r, p.Code, code)
			hierarchical++
		case b.roles.declared(p.Code):
			return fmt.Errorf("%sconcept %q: property %q: %w: %s", at(c.Where), c.Code, p.Code, ErrBadProperty, p.Value.Type)
		}
	}
	props := c.Properties
	if hierarchical > 0 {
		if hierarchical == len(props) {
			return nil
		}
		props = make([]Property, 0, len(c.Properties)-hierarchical)
		for i := range c.Properties {
			if r := b.roles.of(c.Properties[i].Code); r.hierarchical() {
				if _, ok := b.roles.codeNamed(c.Properties[i].Value); ok {
					continue
				}
			}
			props = append(props, c.Properties[i])
		}
	}
	if len(props) == 0 {
		return nil
	}
	if err := b.props.add(number, props); err != nil {
		return fmt.Errorf("%sconcept %q: %w", at(c.Where), c.Code, err)
	}
	return nil
}

// state records that a property of a concept names code as its parent or child.
func (b *Builder) state(concept uint32, r role, property, code string) {
	at := slices.Index(b.stating, property)
	if at < 0 {
		at = len(b.stating)
		b.stating = append(b.stating, property)
	}
	b.statements = append(b.statements, statement{concept: concept, property: uint32(at), role: r})
	b.named.add(code)
}

func (b *Builder) duplicate(first uint32, code, where string) error {
	msg := fmt.Errorf("%s%w: %q", at(where), ErrDuplicateCode, code)
	if had := b.codes.at(first); had != code {
		msg = fmt.Errorf("%w is %q without regard to case", msg, had)
	}
	if place := b.places.at(first); place != "" {
		msg = fmt.Errorf("%w, first at %s", msg, place)
	}
	return msg
}

// at returns a place as the prefix of a message.
func at(where string) string {
	if where == "" {
		return ""
	}
	return where + ": "
}
