package simulate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Text is options as a person writes them, on the command line or in a form.
type Text struct {
	Rules, LogGOPS string // see [parseRules] and [parseLogGOPS]
	Noise          string // see [readNoise]
	Together       bool   // all ranks begin at one moment of the file of noise
}

// Read reads the text into the options. File reports that an error is in a file: then
// the file is wrong, and not the use of the command.
func (t Text) Read(o *Setup) (file bool, err error) {
	if o.Rules, err = parseRules(t.Rules); err != nil {
		return false, err
	}
	if o.LogGOPS, err = parseLogGOPS(t.LogGOPS, Defaults); err != nil {
		return false, usage.Fields(err, "loggops")
	}
	if o.Noise, file, err = readNoise(t.Noise, t.Together); err != nil {
		err = usage.Fields(err, "noise")
	}
	return file, err
}

// readNoise reads a file of detours (see [readDetours]), or random ones
// ([parseNoise]): a text with a "=" that is not the name of a file. An empty text means
// no noise. For errors, file reports whether the text was taken as a file's name.
func readNoise(text string, together bool) (n Noise, file bool, err error) {
	if text == "" {
		return n, false, nil
	}
	f, err := atomicfile.Open(text)
	switch {
	case err == nil:
		defer f.Close()
		n, err = readDetours(f, text, together)
		return n, true, err
	case !strings.Contains(text, "="):
		return n, true, fmt.Errorf("%w; give a file of detours, or their means "+
			"as in \"exponential mean=10us every=1ms\"", err)
	// Random detours have no moments that ranks could have in common.
	case together:
		return n, false, errors.New("only noise from a file can be synchronized")
	}
	n, err = parseNoise(text)
	return n, false, err
}
