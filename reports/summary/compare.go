package summary

import (
	"context"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A CompareQuestion asks what messages cost on platforms, side by side, and where one overtakes
// another.
type CompareQuestion struct {
	message.CompareQuestion
	Crossovers bool // the table has the sizes at which one overtakes another, and no costs
	// InWords adds these sizes to the costs of two platforms, as sentences. More pairs would be
	// more notes than rows.
	InWords  bool
	Sampling *whatif.Sampling // for the intervals of these sizes; nil: without intervals
}

// A Comparison is the answer of a [CompareQuestion]. Its picture is that of the costs.
type Comparison struct {
	*message.Comparison
	crossings  *whatif.Crossover // nil: not asked for
	crossovers bool
}

// Ask answers the question. The layers must have times of messages or of streams.
func (q CompareQuestion) Ask(ctx context.Context) (a Comparison, err error) {
	a.crossovers = q.Crossovers
	if a.Comparison, err = q.CompareQuestion.Ask(ctx); err != nil {
		return a, err
	}
	stream := func(d platforms.Design) bool { return d.Layer.Timed.Of == platforms.Stream }
	inWords := q.InWords && len(q.On) == 2 && !slices.ContainsFunc(q.On, stream)
	if !q.Crossovers && !inWords {
		return a, nil
	}
	a.crossings, err = whatif.CrossoverQuestion{Designs: q.On, Sampling: q.Sampling}.Ask(ctx)
	return a, err
}

// Rows returns the table that was asked for.
func (a Comparison) Rows() table.Rows {
	if a.crossovers {
		return a.crossings.Rows()
	}
	rows := a.Comparison.Rows()
	if a.crossings != nil {
		sentences := a.crossings.Sentences()
		rows.Verdict = table.Say("%s; %v", strings.TrimSuffix(sentences[0], "."), rows.Verdict)
		for _, s := range sentences[1:] {
			rows.Add(remark.Described(s))
		}
		if len(a.crossings.Overtakings) > 0 {
			rows.Add(a.crossings.Notes...)
		} else {
			rows.Add(a.crossings.Notes[1:]...) // the first is the sentence
		}
	}
	return rows
}
