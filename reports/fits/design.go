package fits

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/platforms"
)

// IsBenchmark reports whether the path that was given as a platform is the output of a benchmark.
func IsBenchmark(path string) bool {
	// The error of a platform's file names the line; and a pipe can be read only once.
	if info, err := os.Stat(path); filepath.Ext(path) == ".toml" || err != nil ||
		!info.Mode().IsRegular() {
		return false
	}
	calibrated := false
	other := func(text *bufio.Reader, _ string) bool {
		head, _ := text.Peek(recognized)
		calibrated = calibrate.IsCalibration(head) || calibrate.IsPipeline(head)
		return calibrated
	}
	file, err := benchfile.Open(path, benchfile.Options{Other: other})
	return err == nil && (calibrated || len(file.Tables) > 0)
}

// MachineDesign returns the machine that calibrate.c measured, as TOML of a fit saves it, but
// without the errors of collectives. found is false if the file is not an output of calibrate.c.
func MachineDesign(path string) (d platforms.Design, found bool, err error) {
	// A pipe can be read only once, and not by this function if it has a platform.
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return d, false, nil
	}
	var c *Calibrated
	other := func(text *bufio.Reader, name string) bool {
		// The stages of pipelines are no machine.
		if head, _ := text.Peek(recognized); calibrate.IsCalibration(head) {
			found = true
			c, _, err = readCalibration(text, name)
		}
		return true // read no further
	}
	// A file that cannot be opened is another reader's, whose error names the file and the line.
	if _, failed := benchfile.Open(path, benchfile.Options{Other: other}); failed != nil || !found {
		return d, false, nil
	}
	if err != nil {
		return d, true, err
	}
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	p, err := (&Fitted{Calibrated: c}).Platform(name)
	if err != nil {
		return d, true, fmt.Errorf("%s: %w", path, err)
	}
	d, err = p.Design("")
	return d, true, err
}
