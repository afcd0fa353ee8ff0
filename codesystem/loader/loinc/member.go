package loinc

func (l *load) addMember(list, code string, values ...string) error { return nil }
