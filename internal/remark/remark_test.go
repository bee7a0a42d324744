package remark_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/internal/remark"
)

// Notes are said once and in the order of their use; an empty one is not said.
func TestTexts(t *testing.T) {
	var all []remark.Note
	all = remark.Add(all, remark.Described("r"), remark.Advised("a"), remark.Warned("d"),
		remark.Note{Kind: remark.Doubt}, remark.Warned("d"), remark.Warned("d").About("file"))
	want := []string{"d", "file: d", "r", "a"}
	if diff := cmp.Diff(want, remark.Texts(all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := remark.NotRepeated().String(); got !=
		"No call was repeated, so another day was not measured; on a shared machine, measure on several." {
		t.Error(got)
	}
}
