// Package page puts the explorer together: one HTML file with its style, its scripts and the
// models as WebAssembly, which asks for nothing from anywhere.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"regexp"
	"unicode/utf16"
	"unicode/utf8"
)

//go:embed index.html *.css *.js
var files embed.FS

// A Program is what runs in the page.
type Program struct {
	WASM []byte // of cmd/explorer, packed by gzip
	Exec []byte // wasm_exec.js of the Go that built it
}

// A Start is what the page shows first.
type Start struct {
	Version   string     `json:"version"`
	Title     string     `json:"title"`
	Platforms []Platform `json:"platforms"` // files, to be added
	Show      []string   `json:"show"`      // designs: "clip", "my.toml/eager"
}

// A Platform is a platform's file.
type Platform struct {
	Name string `json:"name"` // "my.toml"
	TOML string `json:"toml"`
}

// Write writes the page. Nothing in start can end a script or begin an element. The page's
// Content-Security-Policy names the hash of each script and style that is in it, so that a browser
// runs no other. The errors are those of w.
func Write(w io.Writer, p Program, start Start) error {
	text, err := assemble(p, start)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func assemble(p Program, start Start) ([]byte, error) {
	style, err := joined("*.css")
	if err != nil {
		return nil, err
	}
	script, err := joined("*.js")
	if err != nil {
		return nil, err
	}
	page, err := files.ReadFile("index.html")
	if err != nil {
		return nil, err
	}
	page = ascii(page, inHTML)
	if start.Platforms == nil {
		start.Platforms = []Platform{}
	}
	if start.Show == nil {
		start.Show = []string{}
	}
	begin, err := json.Marshal(start) // with < > & as \u003c \u003e \u0026
	if err != nil {
		return nil, err
	}
	data := fmt.Appendf(nil, `<script type="application/json" id="halfpeak-data">%s</script>
<script type="text/plain" id="halfpeak-wasm" data-bytes="%d">%s</script>`, ascii(begin, inScript), len(p.WASM), raw(p.WASM))
	for _, of := range []struct {
		place string
		text  []byte
	}{
		{`<meta charset="utf-8">`, []byte(`<meta charset="windows-1252">`)}, // only the program is more than ASCII
		{"/*halfpeak:style*/", ascii(style, inStyle)},
		{"/*halfpeak:exec*/", ascii(lean(p.Exec), inScript)},
		{"/*halfpeak:script*/", ascii(script, inScript)},
	} {
		if page, err = put(page, of.place, of.text); err != nil {
			return nil, err
		}
	}
	if page, err = put(page, "<!--halfpeak:title-->", ascii([]byte(html.EscapeString(start.Title)), inHTML)); err != nil {
		return nil, err
	}
	page = secure(page)
	return put(page, "<!--halfpeak:data-->", data) // last: it is long, and no place is to be found in it
}

// raw writes bytes as they are: in windows-1252 each byte is one letter, so that the program is a
// quarter smaller than in base64. What HTML would not keep, and '=', is '=' and the byte plus 64.
// program.js reads it.
func raw(data []byte) []byte {
	text := make([]byte, 0, len(data)+len(data)/32)
	for _, c := range data {
		switch c {
		case 0, '\r', '<', '=':
			text = append(text, '=', c+64)
		default:
			text = append(text, c)
		}
	}
	return text
}

// ascii is the text with every other letter escaped.
func ascii(text []byte, escape func(r rune) string) []byte {
	var all []byte
	for _, r := range string(text) {
		if r < utf8.RuneSelf {
			all = append(all, byte(r))
		} else {
			all = append(all, escape(r)...)
		}
	}
	return all
}

// The escapes of a letter in HTML, in a style, and in a script or JSON.
func inHTML(r rune) string  { return fmt.Sprintf("&#%d;", r) }
func inStyle(r rune) string { return fmt.Sprintf(`\%06x`, r) }
func inScript(r rune) string {
	var all string
	for _, half := range utf16.Encode([]rune{r}) {
		all += fmt.Sprintf(`\u%04x`, half)
	}
	return all
}

// put replaces place, which occurs once, by a text.
func put(page []byte, place string, text []byte) ([]byte, error) {
	before, after, found := bytes.Cut(page, []byte(place))
	if !found || bytes.Contains(after, []byte(place)) {
		return nil, fmt.Errorf("the page has not one place %s", place)
	}
	return bytes.Join([][]byte{before, text, after}, nil), nil
}

// joined are the files that match, in the order of their names.
func joined(pattern string) ([]byte, error) {
	names, err := fs.Glob(files, pattern)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(append(all, text...), '\n')
	}
	return lean(all), nil
}

var idle = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)

// lean leaves out what a browser does not need of a script or style: indentation, empty lines, and
// lines of remarks.
func lean(text []byte) []byte { return idle.ReplaceAll(text, nil) }

var (
	policy  = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	scripts = regexp.MustCompile(`(?s)script-src[^;"]*HASHES`)
	styles  = regexp.MustCompile(`(?s)style-src[^;"]*HASHES`)
	blocks  = map[string]*regexp.Regexp{
		"script": regexp.MustCompile(`(?s)<script>(.*?)</script>`),
		"style":  regexp.MustCompile(`(?s)<style>(.*?)</style>`),
	}
)

// secure puts the hashes of scripts and styles into the policy, where it says HASHES.
func secure(page []byte) []byte {
	hashes := func(block string) []byte {
		var all [][]byte
		for _, m := range blocks[block].FindAllSubmatch(page, -1) {
			sum := sha256.Sum256(m[1])
			all = append(all, fmt.Appendf(nil, "'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:])))
		}
		return bytes.Join(all, []byte(" "))
	}
	fill := func(part *regexp.Regexp, meta, hashes []byte) []byte {
		return part.ReplaceAllFunc(meta, func(s []byte) []byte { return bytes.Replace(s, []byte("HASHES"), hashes, 1) })
	}
	script, style := hashes("script"), hashes("style")
	return policy.ReplaceAllFunc(page, func(meta []byte) []byte { return fill(styles, fill(scripts, meta, script), style) })
}
