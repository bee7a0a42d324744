// Package fleetflags declares the flags of a question about a fleet, for halfpeak and for the
// pipeline on Beam.
package fleetflags

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Declare declares the flags that set q. After they are parsed, finish checks them, reads the file
// of --places, and sets the roots.
func Declare(f *pflag.FlagSet, q *fleet.Question) (finish func(roots []string) error) {
	least, rate, places, o := flags.Percent(1), flags.Percent(5), "", &q.Options
	f.StringVar(&o.Name, "name", "", "`pattern` of file names with {a} and {b} for the nodes")
	f.StringSliceVar(&o.Columns, "nodes", nil, "`columns` of a CSV or JSON that name the nodes")
	f.StringVar(&o.X, "x", "", "`column` of the sizes in a CSV, by name or number, as in \"size:KiB\"")
	f.StringVar(&o.Y, "y", "", "`column` of the times in a CSV, as in \"time:ms\"")
	f.StringSliceVar(&o.Group, "group", nil, "`columns` of a CSV or JSON whose values are curves of their own")
	f.StringSliceVar(&o.Pool, "pool", nil, "`columns` of a CSV or JSON whose values are pooled")
	f.StringVar(&places, "places", "", "groups of nodes, such as racks or switches: a CSV `file` with the columns node and group")
	f.StringVar(&q.Before, "baseline", "", "report changes since these measurements; a folder or `file`")
	f.BoolVar(&o.TwoSided, "two-sided", false, "also report nodes and pairs that are faster (two-sided test)")
	f.Var(&rate, "fdr", "false discovery rate: the expected share of false alarms among the findings")
	f.Var(&least, "min-effect", "minimum effect size to report")
	f.BoolVar(&o.All, "all", false, "in CSV and JSON, list all tested nodes and pairs")
	return func(roots []string) error {
		if rate <= 0 || rate >= 50 {
			return usage.Error{Err: fmt.Errorf("--fdr must be above 0 and below 50 %% (got %v)", float64(rate))}
		}
		if _, err := fleet.ParsePattern(o.Name); o.Name != "" && err != nil {
			return usage.Error{Err: fmt.Errorf("--name %q: %w", o.Name, err)}
		}
		q.Roots, o.MinEffect, o.FDR = roots, float64(least)/100, float64(rate)/100
		if places == "" {
			return nil
		}
		file, err := os.Open(places)
		if err != nil {
			return err
		}
		defer file.Close()
		if o.Places, err = fleet.ReadPlaces(file); err != nil {
			err = fmt.Errorf("%q: %w", places, err)
		}
		return err
	}
}
