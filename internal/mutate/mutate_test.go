package mutate

import "testing"

func TestDump(t *testing.T) {
	r, err := Package("../../model", "OneWay", "Gap", "Overheads")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range r.Mutants {
		t.Log(i, m)
	}
}
