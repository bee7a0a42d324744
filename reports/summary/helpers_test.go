package summary

import (
	"testing"

	"github.com/halfpeak/halfpeak/platforms"
)

func designOf(t *testing.T, ref string) platforms.Design {
	t.Helper()
	d, err := platforms.FindDesign(ref)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
