package operation

import "github.com/roget-health/roget/resources/r4"

// Rename replaces what names a resource by what find returns for its type and the canonical, which
// may have a version: the values of parameters with Names, and the systems of codings. An error of
// find ends it.
func (in *Input) Rename(find func(p *Param, typ, canonical string) (string, error)) error {
	for i := range in.args {
		a := &in.args[i]
		var err error
		switch {
		case a.more == nil && a.param.Names != "":
			a.text, err = find(a.param, a.param.Names, a.text)
		case a.more != nil && a.more.coding != nil:
			err = rename(a.param, a.more.coding, find)
		case a.more != nil && a.more.concept != nil:
			for j := range a.more.concept.Coding {
				if err == nil {
					err = rename(a.param, &a.more.concept.Coding[j], find)
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rename replaces the system of a coding, if it has one.
func rename(p *Param, c *r4.Coding, find func(*Param, string, string) (string, error)) (err error) {
	if c.System != "" {
		c.System, err = find(p, "CodeSystem", c.System)
	}
	return err
}
