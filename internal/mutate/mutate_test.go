package mutate

import "testing"

func TestDump(t *testing.T) {
	r, err := Package("../../model", []string{"OneWay", "Gap", "Overheads", "FanIn", "Requests"}, "PacketSize")
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range r.Mutants {
		t.Log(i, m)
	}
}
