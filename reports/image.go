//go:build !js

package reports

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture can be drawn by [WriteImage]; Rows returns its values.
type Picture interface {
	// Rows returns the numbers behind the picture, a row for each point.
	Rows() Rows
	title() string
	// painter returns a function that draws the picture onto a canvas and, if a script shows its
	// values, returns the place of its axes.
	painter() (func(draw.Canvas) axes, error)
}

// Exts lists the kinds of image that WriteImage makes.
func Exts() []string { return []string{"png", "svg", "pdf"} }

// WriteImage draws the picture to w. Ext is png, svg or pdf, with or without a dot before it; width
// and height are pixels of 1/96 inch, from 320×240 to 10000×10000. The errors are those of w, an
// ext or a size that cannot be, and a picture without anything to draw.
func WriteImage(w io.Writer, p Picture, ext string, width, height int) error {
	_, err := writeImage(w, p, ext, width, height)
	return err
}

func writeImage(w io.Writer, p Picture, ext string, width, height int) (at axes, err error) {
	paint, err := p.painter()
	if err != nil {
		return at, err
	}
	if width < 320 || height < 240 || width > 10000 || height > 10000 {
		return at, fmt.Errorf("a picture of %d×%d pixels is not possible; choose from 320×240 to 10000×10000", width, height)
	}
	wd, ht := vg.Length(width)*pixel, vg.Length(height)*pixel
	var canvas vg.CanvasWriterTo
	switch strings.ToLower(strings.TrimPrefix(ext, ".")) {
	case "png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wd, ht), vgimg.UseDPI(96))}
	case "svg":
		canvas = vgsvg.New(wd, ht)
	case "pdf":
		canvas = newPDF(wd, ht)
	default:
		return at, fmt.Errorf("cannot draw a picture of kind %q; choose one of %s", ext, strings.Join(Exts(), ", "))
	}
	c := draw.New(canvas)
	c.SetColor(white)
	c.Fill(c.Path())
	at = paint(c)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return at, err
	}
	// If Liberation is not installed, fonts of the same widths serve.
	content := bytes.ReplaceAll(b.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	_, err = w.Write(marked(content, p.title()))
	return at, err
}

// marked adds [atomicfile.Imprint] to an image that has none: PNG's keyword for it is Software. SVG
// gets the title too.
func marked(image []byte, title string) []byte {
	const header = 8 + 25 // PNG's signature and its first chunk
	if bytes.HasPrefix(image, []byte("\x89PNG")) {
		text := []byte("tEXtSoftware\x00" + atomicfile.Imprint)
		chunk := binary.BigEndian.AppendUint32(nil, uint32(len(text)-len("tEXt")))
		chunk = append(chunk, text...)
		chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(text))
		return slices.Concat(image[:header], chunk, image[header:])
	}
	before, after, ok := bytes.Cut(image, []byte("<svg"))
	if !ok {
		return image
	}
	attributes, content, _ := bytes.Cut(after, []byte(">"))
	if title != "" {
		title = "\n<title>" + html.EscapeString(OneLine(title)) + "</title>"
	}
	return slices.Concat(before, []byte("<!-- "+atomicfile.Imprint+" -->\n<svg"), attributes, []byte(">"+title), content)
}
