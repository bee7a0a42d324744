// Package message answers what messages cost on platforms. Each question has a method Ask, which
// answers it:
//
//	[CostQuestion]      times, gaps and bandwidths, as predict prints them
//	[CompareQuestion]   these beside the figures of merit of each layer
//	[CutQuestion]       the best packets, and switches between a few
//	[CurveQuestion]     a quantity over message sizes, as a picture
//	[TimelineQuestion]  a message in a pipeline, packet by packet, as a picture
//
// Two sources of a time meet here. The model's lines explain a layer. A layer that was fitted also
// has its measured curve, and then the time is the next measurement predicted from that curve, with
// a 95 % interval; the time by the lines stands beside it. A changed layer has no measurements, so
// its interval is gone.
package message
