package simulate

// What [Text.Read] is made of, for its tests.
var (
	ParseRules   = parseRules
	ParseLogGOPS = parseLogGOPS
	ParseNoise   = parseNoise
	ReadDetours  = readDetours
)
