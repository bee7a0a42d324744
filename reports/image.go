package reports

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Exts lists the kinds of image that WriteImage makes.
func Exts() []string { return []string{"png", "svg", "pdf"} }

// pixel is the length of 1/96 inch.
const pixel = vg.Inch / 96

// writeImage hands paint a white canvas and writes what it has become to w.
func writeImage(w io.Writer, ext string, width, height int, paint func(draw.Canvas)) error {
	if width < 320 || height < 240 || width > 10000 || height > 10000 {
		return fmt.Errorf("a picture of %d×%d pixels is not possible; choose from 320×240 to 10000×10000", width, height)
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
		return fmt.Errorf("cannot draw a picture of kind %q; choose one of %s", ext, strings.Join(Exts(), ", "))
	}
	c := draw.New(canvas)
	c.SetColor(white)
	c.Fill(c.Path())
	paint(c)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	// Where Liberation is not installed, its likes of the same widths serve.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(),
		[]byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}
