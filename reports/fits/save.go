package fits

import "github.com/halfpeak/halfpeak/platforms"

// Platform returns the platform of the result, as the file that TOML returns describes it.
func (a *Answer) Platform(name string) (platforms.Platform, error) {
	p, _, err := a.Made()
	if err != nil {
		return p, err
	}
	p.Name = name
	return p.Complete()
}

// Curves returns the curves by size of the result: those of the tables before, if it is a
// comparison, or those beside collectives.
func (a *Answer) Curves() []Curve {
	switch r := a.Result.(type) {
	case *Lines:
		return r.Curves
	case *Pipeline:
		return r.Curves
	case *Collectives:
		return r.Beside
	case *Comparison:
		return r.Before.Curves
	}
	return nil
}

// TOML returns the text of a platform file of the result. Its first line names the command that
// wrote it, so that a user who finds the file knows how to make it again. Curves that cannot be a
// layer, such as overheads, become remarks behind it. It is an error if nothing remains.
func (a *Answer) TOML() (string, error) {
	p, remarks, err := a.Made()
	if _, measured := a.Result.(*Machine); measured && err == nil {
		// A measurement that breaks a rule of platforms must fail here, and not in the command
		// that uses the file a week later.
		p.Name = "the fitted machine"
		_, err = p.Complete()
	}
	if err != nil {
		return "", err
	}
	return string(p.Encode(platforms.WrittenBy + "fit." + remarks)), nil
}
