package arch

import (
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// roomless are packages of reports/ that are no question: what questions show, and what stands above
// several of them.
var roomless = []string{"reports/table", "reports/draw", "reports/summary", "reports/page"}

// Rows and figures of a question take nothing but its answer: they import table, the units, the
// notes and the standard library. No question imports another, nor draw; what lies below one is a part of it.
func TestRooms(t *testing.T) {
	for _, f := range sources(t, token.NewFileSet()) {
		if !strings.HasPrefix(f.dir, "reports/") || slices.Contains(roomless, f.dir) {
			continue
		}
		base := path.Base(f.path)
		shows := strings.HasPrefix(base, "rows") || strings.HasPrefix(base, "figure")
		for _, spec := range f.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			name, ours := strings.CutPrefix(name, module+"/")
			switch {
			case !ours || name == "reports/table":
			case shows && name != "model/quantity" && name != "internal/remark":
				t.Errorf("%s imports %s; rows and figures take all from the answer", f.path, name)
			case strings.HasPrefix(name, f.dir+"/"): // a part of the question
			case strings.HasPrefix(name, "reports/"):
				t.Errorf("%s imports %s; what two questions need lies below both", f.path, name)
			}
		}
	}
}
