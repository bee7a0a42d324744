// Package halfpeak answers what communication costs on a machine, and how sure the answer is.
//
// [Open] opens a platform by its name or file, and [Fit] makes one from the output of benchmarks.
// [Design.Set] changes its parameters, and [Design.Ask] asks it about a [Message], a [Collective]
// or a [Program]. Each answer is an [Estimate]: a time with its interval, or the reason why there
// is none. The commands print the same numbers.
//
// Errors are lines for people. Programs find these types in them with errors.As and errors.Is:
// [benchfile.Error] and [benchfile.Damaged] of a benchmark's file, [fit.ErrNoData] of one with too
// few points, [simulate.Deadlock] of a program that cannot end, and [whatif.ErrExact] of a design
// without an interval.
package halfpeak

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/fits"
)

// A Design is a platform, or one of its layers, as it is or with parameters changed. It is a value:
// changing it leaves the original for comparison.
type Design struct {
	platforms.Design
	fits *collectives.Fits // of its measured collectives, which are fitted once
}

// Of returns the design of a platform that was read already.
func Of(d platforms.Design) Design { return Design{d, new(collectives.Fits)} }

// Open opens a platform by its name, as in "clip", a layer of it, as in "clip/pio", or a TOML file.
// The output of calibrate.c is a machine too. The times of a layer may be those of a stream or of
// another operation, which are then all that it can be asked about; see [platforms.Open].
func Open(ref string) (Design, error) {
	if d, found, err := calibrate.Open(ref); found {
		return Of(d), err
	}
	d, err := platforms.Open(ref)
	return Of(d), err
}

// OpenAll opens several platforms. Those of files of one name have as much of their paths in their
// names as tells them apart, as in "old/my" and "new/my".
func OpenAll(refs ...string) ([]Design, error) {
	var all []Design
	for _, ref := range refs {
		d, err := Open(ref)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	named := inner(all)
	platforms.TellApart(refs, named)
	for i := range all {
		all[i].Design = named[i]
	}
	return all, nil
}

// Fit fits benchmark files, as the command fit does, and opens the result. A file that broke off
// gives what is before the break, beside an error that is a [benchfile.Damaged].
func Fit(files []string, o fit.Options) (Design, error) {
	if len(files) == 0 {
		return Design{}, errors.New("no files to fit")
	}
	found, err := fits.Question{Files: files, Options: o}.Ask(context.Background())
	return opened(files[0], found, err)
}

// FitReader is Fit of a benchmark's output that it reads from r. The name is the one that a file
// would have, "latency.txt": errors and the platform have it.
func FitReader(r io.Reader, name string, o fit.Options) (Design, error) {
	q := fits.Question{Text: r, Name: name, Options: o}
	found, err := q.Ask(context.Background())
	return opened(name, found, err)
}

// opened returns the design of what was fitted to a file.
func opened(file string, found *fits.Answer, err error) (Design, error) {
	if err != nil {
		return Design{}, err
	}
	p, err := found.Platform(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	if err != nil {
		return Design{}, errors.Join(found.Broken, err)
	}
	d, err := p.Design("")
	return Of(d), errors.Join(err, found.Broken)
}

// Set returns the design with parameters changed, as in "host-dma.tau*=0.5"; see
// [platforms.Design.Set]. They include those of all levels of a machine, and of the local work of
// ranks, which messages do not depend on.
func (d Design) Set(assignments ...string) (Design, error) {
	d.Ranks = true
	changed, err := d.Design.Set(assignments...)
	changed.Ranks = d.Whole
	return Of(changed), err
}

// inner returns the designs as packages below have them.
func inner(designs []Design) []platforms.Design {
	return list.Map(designs, func(d Design) platforms.Design { return d.Design })
}

// Measured reports whether the design has measurements of the collective of that name, which then
// answer in place of simulations.
func (d Design) Measured(name string) bool {
	of := collective.Of(name)
	return len(of) > 0 && len(d.Collectives(of[0].Collective)) > 0
}

// Recut returns the design with its messages cut otherwise; see [platforms.Design.Recut].
func (d Design) Recut(packet string) (Design, error) {
	if err := d.Messages(); d.Layer.Model == nil {
		return d, err
	}
	cut, err := d.Design.Recut(packet)
	return Of(cut), err
}

// A Call is what can be asked of a design: a [Message], a [Collective], [Collectives] or a
// [Program].
type Call interface {
	ask(context.Context, Design) (Estimate, error)
	// prepare returns it ready to be timed with other costs, and the design that has them; a
	// message, whose costs are formulas, returns none.
	prepare(context.Context, Design) (platforms.Design, []study.Call, error)
}

// Ask answers a call. It is an error if the design has no such cost: a collective that no algorithm
// of that name can run, a machine of levels that is asked about a message without a level.
func (d Design) Ask(ctx context.Context, c Call) (Estimate, error) {
	if c == nil {
		return Estimate{}, errNoCall
	}
	return c.ask(ctx, d)
}

var errNoCall = errors.New("no call: ask about a message, collectives or a program")
