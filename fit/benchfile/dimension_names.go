package benchfile

import "github.com/halfpeak/halfpeak/internal/lex"

// Names of columns only confirm what their values do.
var (
	sizeName = lex.NewPattern(`(?i)^#?\s*(msg|message|msg_|buffer|block|data|transfer|blk)?` +
		`[\s_]*(size|bytes|length|len|nbytes)\b|msgsize|#bytes|\bsize\b|_bytes$|^bytes|^n$`)
	timeName = lex.NewPattern(`(?i)(^|[^u])time|cpu.+time|lat|usec|\bt\b|\bt_|tavg|tmin|tmax|` +
		`rtt|delay|overhead|p50|p99|comm|microsec|median|^min\b|^max\b|^avg\b|one.?way|` +
		`round.?trip|duration|average|mean`)
	rateName    = lex.NewPattern(`(?i)bw|band|tput|throughput|bytes/s|b/s|speed|bit`)
	messageName = lex.NewPattern(`(?i)msg.?rate|messages/s|message rate|xfers/s|mpps|mr$|trans`)
	elementName = lex.NewPattern(`(?i)^elem|elements|^count`)
	// Columns that are neither sizes nor what was measured.
	otherName = lex.NewPattern(`(?i)(^|[^/])iter|rep|#sent|#ack|sample|rank|proc|node|root|wrong|` +
		`error|count|nchan|batch|thread|pid|total|overlap|util|compute|stdev|sigma|retr|n_ctx|` +
		`gpus|\bport\b|\bline\b|start|\bdate\b|elapsed|qps|std|\bcv|` +
		`step|epoch|loss|seq|\bttl\b|token`)
	noSizeName = lex.NewPattern(`(?i)rate|bw|band|/s|window|batch|lat|time`)
)

func (d dimension) isNamed(name string) bool {
	switch d {
	case sizes:
		return sizeName().MatchString(name) && !noSizeName().MatchString(name)
	case times:
		return timeName().MatchString(name) && !rateName().MatchString(name) &&
			!messageName().MatchString(name)
	case rates:
		return rateName().MatchString(name)
	}
	return messageName().MatchString(name)
}
