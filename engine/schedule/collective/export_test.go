package collective

// What the tests of package collective_test need of entries.

func (e Entry) IsSymmetric() bool { return e.symmetry != asymmetric }

func (e Entry) HasShares() bool { return e.partition == shares }
