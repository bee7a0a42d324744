package platforms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
)

// Long chains of layers and of formulas are answered at once.
func TestLongFiles(t *testing.T) {
	nested := func(n int, layer func(name, below string) string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "default = \"l%d\"\n", n)
		b.WriteString(strings.Replace(oneLayer, ".x", ".l0", 1))
		for i := 1; i <= n; i++ {
			b.WriteString(layer(fmt.Sprintf("l%d", i), fmt.Sprintf("l%d", i-1)))
		}
		return b.String()
	}
	once := func(name, below string) string {
		return fmt.Sprintf("[layer.%s]\nmodel = \"series\"\nsource = \"s\"\nbelow = %q\nbeta = "+
			"\"1us\"\ntau = \"0us/B\"\n", name, below)
	}
	stages := func(n int) string {
		var b, names strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[stage.s%d]\nbeta = \"1us\"\ntau = \"1us/KiB\"\nsource = \"s\"\n", i)
			fmt.Fprintf(&names, "%q, ", fmt.Sprintf("s%d", i))
		}
		return b.String() +
			"[layer.p]\nmodel = \"pipeline\"\npackets = \"best\"\nsource = \"s\"\nstages = [" +
			names.String() + "]\n"
	}
	constants := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[constant.c%d]\nvalue = \"c%d\"\nsource = \"s\"\n", i, i+1)
		}
		return b.String() + fmt.Sprintf("[constant.c%d]\nvalue = \"1us\"\nsource = \"s\"\n", n) +
			oneLayer
	}
	check := func(what, text, refused string) {
		t.Helper()
		p, err := Parse("my.toml", []byte(text))
		switch {
		case refused == "" && err != nil:
			t.Errorf("%s: %v", what, err)
		case refused != "" && (err == nil || !strings.Contains(err.Error(), refused)):
			t.Errorf("%s: %v, want %s", what, err, refused)
		case err == nil:
			l, err := p.Layer(p.Default)
			if err != nil {
				t.Fatal(err)
			}
			model.HalfPeak(l.Model)
			q, _ := model.FindQuantity("threshold")
			q.Of(l.Model, 1, 1)
			model.Boundaries(l.Model, 1, 1<<40)
		}
	}
	check("a chain of series", nested(150, once), "")
	check("a long chain of series", nested(300, once), "")
	check("stages", stages(1000), "a pipeline must have at most 32 stages (got 1000)")
	check("fewer stages", stages(32), "")
	check("branches", oneLayer+"[layer.s]\nmodel = \"switch\"\nsource = \"s\"\nbranches = ["+
		strings.Repeat("{ layer = \"x\", up_to = \"1B\" }, ", 4097)+"]\n",
		"a switch must have at most 4096 branches (got 4097)")
	// go-toml's Unmarshal alone takes 20 s for as many tables.
	check("constants", constants(40000), "")
	check("a long name", "[constant."+strings.Repeat("a", maxFile/2)+"]\n"+
		strings.Repeat("a=1\n", 1<<18), "longer than the path of any key")
	check("a deep key", "layer"+strings.Repeat(".a", maxFile/4)+" = 1\n",
		"longer than the path of any key")
	check("a deep list", "layer = "+strings.Repeat("[", maxFile/2), "nested more than the maximum")
	check("a deep table", "layer = "+strings.Repeat("{a=", maxFile/4),
		"nested more than the maximum")
}
