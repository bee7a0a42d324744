package simulate

// What [Text.Read] is made of, for its tests.
var (
	ParseRules   = parseRules
	ParseLogGOPS = parseLogGOPS
	ParseNoise   = parseNoise
	ReadDetours  = readDetours
)

// SetCrowd sets the number of bundles above which a component is a crowd, and returns the one before.
func SetCrowd(n int) (before int) {
	before, crowd = crowd, n
	return before
}
