//go:build !js

package page

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

//go:embed index.html *.css *.js
var files embed.FS

// A Program is the program that runs in the page. Both parts must be of one Go
// release: wasm_exec.js is the other half of its system calls.
type Program struct {
	WASM []byte // of cmd/explorer, packed by gzip
	Exec []byte // wasm_exec.js of the Go that built it
}

// A Start is the initial state of the page. Platforms are the user's files, since the
// page cannot read the disk.
type Start struct {
	Version   string        `json:"version"`
	Title     string        `json:"title"`
	Platforms []NewPlatform `json:"platforms"` // files, to be added
	Show      []string      `json:"show"`      // designs: "clip", "my.toml/eager"
}

// Write writes the page. Nothing in start can end a script or begin an element. The
// page's Content-Security-Policy names the hash of each of its scripts and styles, so
// that a browser runs no other. Write returns errors of w.
func Write(w io.Writer, p Program, start Start) error {
	_, err := w.Write(assemble(p, start))
	return err
}

// dataScripts hold the state at the start and the program, which the page's scripts
// read. Their types are no JavaScript, so that a browser does not run them and they
// need no hash: the hashes are the same for every page.
const dataScripts = `<script type="application/json" id="halfpeak-data">%s</script>
<script type="text/plain" id="halfpeak-wasm" data-bytes="%d">%s</script>`

// assemble fills index.html in two steps. The first inserts the style and the
// scripts, whose hashes can then be taken. The second inserts the hashes and the
// user's data. These come last, so that no placeholder is looked for in them.
func assemble(p Program, start Start) []byte {
	// The scripts iterate over both, and null is no list.
	if start.Platforms == nil {
		start.Platforms = []NewPlatform{}
	}
	if start.Show == nil {
		start.Show = []string{}
	}
	begin, _ := json.Marshal(start) // texts: cannot fail; < > & are \u003c \u003e \u0026
	page := strings.NewReplacer(
		// only the program is more than ASCII
		`<meta charset="utf-8">`, `<meta charset="windows-1252">`,
		"/*halfpeak:style*/", ascii(joined("*.css"), inStyle),
		"/*halfpeak:exec*/", ascii(lean(string(p.Exec)), inScript),
		"/*halfpeak:script*/", ascii(joined("*.js"), inScript),
	).Replace(ascii(asset("index.html"), inHTML))
	return []byte(strings.NewReplacer(
		"SCRIPT-HASHES", hashes(page, "script"), "STYLE-HASHES", hashes(page, "style"),
		"<!--halfpeak:title-->", ascii(html.EscapeString(start.Title), inHTML),
		"<!--halfpeak:data-->", fmt.Sprintf(dataScripts,
			ascii(string(begin), inScript), len(p.WASM), raw(p.WASM)),
	).Replace(page))
}

// raw writes bytes as they are: in windows-1252 each byte is one letter, so that the
// program is a quarter smaller than in base64. Bytes that HTML would not keep ('\r'
// becomes '\n', 0 a replacement character, '<' may begin an end tag) and '=', the
// escape itself, become '=' and the byte plus 64. program.js reads it.
func raw(data []byte) []byte {
	// Of packed data, 4 of 256 bytes are escaped: 1/32 is twice that.
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

// ascii returns the text with all letters beyond ASCII escaped: the page is
// windows-1252 for the sake of the program, and a UTF-8 µ would be two letters in it.
func ascii(text string, escape func(r rune) string) string {
	var all strings.Builder
	for _, r := range text {
		if r < utf8.RuneSelf {
			all.WriteByte(byte(r))
		} else {
			all.WriteString(escape(r))
		}
	}
	return all.String()
}

// The escapes of a letter in HTML, in a style, and in a script or JSON.
func inHTML(r rune) string  { return fmt.Sprintf("&#%d;", r) }
func inStyle(r rune) string { return fmt.Sprintf(`\%06x`, r) }
func inScript(r rune) string {
	var all string
	// JavaScript's \u takes one half of a surrogate pair.
	for _, half := range utf16.Encode([]rune{r}) {
		all += fmt.Sprintf(`\u%04x`, half)
	}
	return all
}

func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// joined returns the contents of the files that match, in the order of their names. A
// page starts when all of them are read (main.js), so that a script may use a later
// one.
func joined(pattern string) string {
	names, _ := fs.Glob(files, pattern) // a pattern of this package
	all := ""
	for _, name := range names {
		all += asset(name) + "\n"
	}
	return lean(all)
}

var idle = regexp.MustCompile(`(?m)^\s*//.*\n|^\s+`)

// lean removes indentation, empty lines and comments of a script or style, which a
// browser does not need. It knows whole lines only: what looks like a comment behind
// code may be in a string.
func lean(text string) string { return idle.ReplaceAllString(text, "") }

// blocks match the contents of scripts and styles without attributes, which are those
// that a browser runs.
var blocks = map[string]*regexp.Regexp{
	"script": regexp.MustCompile(`(?s)<script>(.*?)</script>`),
	"style":  regexp.MustCompile(`(?s)<style>(.*?)</style>`),
}

// hashes returns the hashes of the page's scripts or styles, as a Content-Security-Policy names
// them.
func hashes(page, block string) string {
	var all []string
	for _, m := range blocks[block].FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(m[1]))
		all = append(all, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	return strings.Join(all, " ")
}
