package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var policy = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)

var tags = regexp.MustCompile(`(?i)<(/?[a-z]+)`)

// textFile from outside is text in the page: it begins no element, and ends no script.
func TestTextFromOutside(t *testing.T) {
	const evil = `</script><script>alert(1)</script><!--<script></title><img src=x onerror=alert(1)>'"&`
	plain := assemble(Program{}, Start{})
	start := Start{Version: evil, Title: evil, Platforms: []NewPlatform{{evil, evil}}, Show: []string{evil}}
	got := assemble(Program{}, start)
	elements := func(page []byte) (all []string) {
		for _, m := range tags.FindAllSubmatch(page, -1) {
			all = append(all, string(m[1]))
		}
		return all
	}
	if a, b := strings.Join(elements(plain), " "), strings.Join(elements(got), " "); a != b {
		t.Errorf("other elements than without:\n%s\n%s", a, b)
	}
	if !bytes.Contains(got, []byte("<title>"+html.EscapeString(evil)+"</title>")) {
		t.Error("the title is not there, escaped")
	}
	data := regexp.MustCompile(`(?s)<script type="application/json" id="halfpeak-data">(.*?)</script>`).FindSubmatch(got)
	if data == nil {
		t.Fatal("no data")
	}
	var read Start
	if err := json.Unmarshal(data[1], &read); err != nil || read.Title != evil || read.Platforms[0].TOML != evil || read.Show[0] != evil {
		t.Errorf("%v, %+v", err, read)
	}
}

// No place is left over, and places in text from outside are none.
func TestPlaces(t *testing.T) {
	place := "/*halfpeak:style*/<!--halfpeak:data-->SCRIPT-HASHES"
	got := assemble(Program{Exec: []byte("exec()")}, Start{Title: place})
	_, rest, _ := bytes.Cut(got, []byte("</title>"))
	rest, _, _ = bytes.Cut(rest, []byte(`id="halfpeak-data"`))
	if !bytes.Contains(got, []byte("<title>"+html.EscapeString(place)+"</title>")) {
		t.Error("the title has been changed")
	}
	if bytes.Contains(rest, []byte("halfpeak:style*/")) || bytes.Contains(rest, []byte("<!--halfpeak:")) {
		t.Error("a place is left over")
	}
	if !bytes.Contains(got, []byte("exec()")) {
		t.Error("the script is not there")
	}
}

// The policy lets the page's own scripts run and no others, and opens no connection.
func TestPolicy(t *testing.T) {
	got := assemble(Program{Exec: []byte("exec()")}, Start{})
	meta := string(policy.Find(got))
	if !strings.Contains(meta, "default-src 'none'") || strings.Contains(meta, "connect-src") || strings.Contains(meta, "http:") || strings.Contains(meta, "https:") {
		t.Errorf("the policy is %s", meta)
	}
	if strings.Contains(meta, "HASHES") {
		t.Errorf("the policy is %s", meta)
	}
	if strings.Contains(meta, "'unsafe-inline'") {
		t.Skip("the page does not ask for hashes")
	}
	for kind, block := range blocks {
		found := block.FindAllSubmatch(got, -1)
		if len(found) == 0 {
			t.Errorf("no %s", kind)
		}
		for _, m := range found {
			sum := sha256.Sum256(m[1])
			if !strings.Contains(meta, base64.StdEncoding.EncodeToString(sum[:])) {
				t.Errorf("the hash of a %s is not in the policy", kind)
			}
		}
	}
}

// A page is one file: it names no other.
func TestNamesNoOtherFile(t *testing.T) {
	got := assemble(Program{}, Start{})
	for _, m := range regexp.MustCompile(`(?i)<[^>]*\b(?:src|href)="([^"]*)"`).FindAllSubmatch(got, -1) {
		if to := string(m[1]); !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "data:") {
			t.Errorf("%s", m[0])
		}
	}
	if bytes.Contains(got, []byte("@import")) || bytes.Contains(got, []byte("url(http")) {
		t.Error("the style names another file")
	}
}

// What is no ASCII is the program alone, and the program is all there.
func TestRaw(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 16))
	program := make([]byte, 10_000)
	for i := range program {
		program[i] = byte(r.UintN(256))
	}
	got := assemble(Program{WASM: program, Exec: []byte("\"µ😀\"")}, Start{Title: "µ", Show: []string{"µ😀"}})
	before, rest, _ := bytes.Cut(got, []byte(`data-bytes="10000">`))
	text, after, found := bytes.Cut(rest, []byte("</script>"))
	if !found || bytes.ContainsFunc(slices.Concat(before, after), func(r rune) bool { return r > 127 }) {
		t.Error("there are letters beyond ASCII outside of the program")
	}
	for _, want := range []string{`"\u00b5\ud83d\ude00"`, "<title>&#181;</title>", `charset="windows-1252"`} {
		if !bytes.Contains(before, []byte(want)) && !bytes.Contains(after, []byte(want)) {
			t.Errorf("no %s", want)
		}
	}
	var back []byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == 0 || c == '\r' || c == '<' {
			t.Fatalf("a byte %#x, which HTML does not keep", c)
		}
		if c == '=' {
			i++
			c = text[i] - 64
		}
		back = append(back, c)
	}
	if !bytes.Equal(back, program) {
		t.Error("the program is another")
	}
}
