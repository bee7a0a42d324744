// Package page puts the explorer together: one HTML file with its style, its scripts and the
// models as WebAssembly, which asks for nothing from anywhere.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"regexp"
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
<script type="text/plain" id="halfpeak-wasm" data-bytes="%d">%s</script>`, begin, len(p.WASM), encode85(p.WASM))
	for _, of := range []struct {
		place string
		text  []byte
	}{
		{"/*halfpeak:style*/", style}, {"/*halfpeak:exec*/", p.Exec}, {"/*halfpeak:script*/", script},
	} {
		if page, err = put(page, of.place, of.text); err != nil {
			return nil, err
		}
	}
	if page, err = put(page, "<!--halfpeak:title-->", []byte(html.EscapeString(start.Title))); err != nil {
		return nil, err
	}
	page = secure(page)
	return put(page, "<!--halfpeak:data-->", data) // last: it is long, and no place is to be found in it
}

// encode85 writes four bytes, the last ones filled up with zeros, as five letters, the highest
// first: a fifteenth shorter than base64. Letters are the codes from 40 to 126 without 60 (<) and
// 92 (a backslash), so that no text ends the script. program.js reads it.
func encode85(data []byte) []byte {
	text := make([]byte, 0, (len(data)+3)/4*5)
	for len(data) > 0 {
		var group [4]byte
		data = data[copy(group[:], data):]
		v := binary.BigEndian.Uint32(group[:])
		var letters [5]byte
		for i := 4; i >= 0; i-- {
			c := byte(40 + v%85)
			if c >= 60 {
				c++
			}
			if c >= 92 {
				c++
			}
			letters[i] = c
			v /= 85
		}
		text = append(text, letters[:]...)
	}
	return text
}

// put puts a text into its place, of which there is one.
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
	return all, nil
}

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
