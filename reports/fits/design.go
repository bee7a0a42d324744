package fits

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/platforms"
)

// MachineDesign returns the machine that calibrate.c measured, as TOML of a fit saves it, but
// without the errors of collectives. found is false if the file is not an output of calibrate.c.
func MachineDesign(path string) (d platforms.Design, found bool, err error) {
	text, done := openCalibration([]string{path})
	if text == nil {
		return d, false, nil
	}
	defer done()
	if head, _ := text.Peek(recognized); !calibrate.IsCalibration(head) {
		return d, false, nil // the stages of pipelines are no machine
	}
	c, _, err := readCalibration(text, path)
	if err != nil {
		return d, true, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	f := &Fitted{calibrated: c}
	p, err := platforms.Parse(name, []byte(Encoded(f.machineFile(), "fit.")))
	if err != nil {
		return d, true, fmt.Errorf("%s: %w", path, err)
	}
	d.Platform, d.Whole = p, true
	d.Layer, err = p.Layer(p.Default)
	return d, true, err
}
