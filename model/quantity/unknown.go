package quantity

import (
	"math"
)

// Unknown is a time that is not known.
var Unknown = Micros(math.NaN())
