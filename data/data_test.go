package data

import "testing"

func TestScratch(t *testing.T) {
	rs, err := Reproduce()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		t.Log(r.ID, r.Role, r.Printed, r.Computed, r.Error*100, r.Low, r.High, r.Met)
	}
	ps, err := Points("clip/system-buffer")
	t.Log(ps, err)
}
