package collective

// What the tests of package collective_test need of entries.

func (e Entry) IsSymmetric() bool { return e.symmetry != asymmetric }

func (e Entry) HasShares() bool { return e.partition == shares }

var OptimalTime = optimalTime

// LateRank returns an algorithm in which one member computes for 1 ms, and nothing else happens.
func LateRank(late int) Algorithm {
	return func(p *member) {
		if p.Place == late {
			p.addCalc(1_000_000)
		}
	}
}
