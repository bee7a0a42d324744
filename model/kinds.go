package model

import "slices"

// Kinds lists the kinds of model. A kind's row defines a layer's keys in a platform file, its
// parameters that can be changed, and their descriptions.
var Kinds = []*Kind{
	linearKind, logPKind, logGPKind, pipelineKind, switchKind, envelopeKind, fragmentedKind, seriesKind, tableKind, sharedKind,
}

// FindKind returns the kind with this name in a platform file, or with this name in an older
// version.
func FindKind(name string) (kind *Kind, found bool) {
	for _, k := range Kinds {
		if k.Name == name || slices.Contains(k.Formerly, name) {
			return k, true
		}
	}
	return nil, false
}
