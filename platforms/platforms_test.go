package platforms

import "testing"

func TestScratch(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Log(p.Name, p.Title, p.Clock, len(p.Layers), p.Default)
		for _, l := range p.Layers {
			t.Log("  ", l.Ref(), l.Kind, l.Model.OneWay(65536), l.Params)
		}
	}
	_, l, err := Find("hp-lam")
	t.Log(err)
	for _, f := range []string{"2*(enqueue+dequeue)", "rtt(16B)", "o_s+o_r", `one_way("clip/user-buffer",64KiB)`, `bandwidth("clip", 4KiB)`, `foo`, `rt(3B)`} {
		v, err := l.Eval(f, 0)
		t.Log(f, v, err)
	}
	for _, f := range []string{
		"", "\x00", "a=", "[layer.x]\nmodel=\"linear\"\nbeta=3\n", "[layer.x]\nmodel=\"linear\"\nbeta=\"3\"\ntau=\"1us/KB\"\nsource=\"x\"",
		"[layer.x]\nmodel=\"linear\"\nbeta=\"-3us\"\ntau=\"1us/KB\"\nsource=\"x\"",
		"[layer.x]\nmodel=\"linear\"\nbeta=\"3us\"\ntau=\"1us/KB\"\n",
		"[layer.x]\nmodel=\"linear\"\nbeta=\"3us\"\ntua=\"1us/KB\"\n",
		"[layer.x]\nmodel=\"linar\"\nbeta=\"3us\"\n",
		"[layer.x]\nmodel=\"linear\"\nbeta=\"3us\"\nG=\"3us\"\n",
		"[layer.x]\nmodel=\"linear\"\nbeta=\"3us\"\nsource=\"x\"\n",
		"[layer.x]\nmodel=\"linear\"\nbeta=\"3us\"\nbeta=\"4us\"\n",
		"[layer.x]\nmodel=\"switch\"\nsource=\"x\"\nbranches=[{layer=\"x\",up_to=\"3B\"},{layer=\"y\"}]\n",
		"[layer.a]\nmodel=\"linear\"\nbeta=\"3us\"\ntau=\"1us/KB\"\nsource=\"x\"\n[layer.x]\nmodel=\"switch\"\nsource=\"x\"\nbranches=[{layer=\"a\",up_to=\"3KiB\"},\n   {layer=\"a\",up_to=\"3KiB\"},{layer=\"a\"}]\n",
		"[stage.a]\nbeta=\"3us\"\ntau=\"1us/KB\"\n[layer.x]\nmodel=\"pipeline\"\nsource=\"x\"\n",
	} {
		_, err := Parse("my.toml", []byte(f))
		t.Log(err)
	}
}
