package model

// Kinds lists the kinds of model. A kind's row defines a layer's keys in a platform file, its
// parameters that can be changed, and their descriptions.
var Kinds = []*Kind{
	linearKind, logPKind, logGPKind, pipelineKind, switchKind, envelopeKind, fragmentedKind,
	seriesKind, tableKind, sharedKind,
}

// KindOf returns the layer's row in the list.
func KindOf(l Layer) *Kind { return l.kind() }
