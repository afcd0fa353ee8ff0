package valueset

// Memory costs of the pieces of a Set, in bytes, rounded up.
const (
	costSet        = 512
	costGroup      = 160
	costRun        = 80
	costLabel      = 96
	costLoose      = 224
	costString     = 16
	costDependency = 112
)

// cost includes the texts, which the Set keeps in memory: they come from the value set's
// document.
func (l *label) cost() int64 {
	n := int64(costLabel + len(l.display))
	for i := range l.designations {
		d := &l.designations[i]
		n += costLabel + int64(len(d.Language)+len(d.Value))
	}
	n += costLabel * int64(len(l.extensions))
	return n
}

func stringsCost(list []string) int64 {
	var n int64
	for _, v := range list {
		n += costString + int64(len(v))
	}
	return n
}
