// Package quantity has the units that halfpeak computes in, and the one place
// where they are read and printed.
//
// Inside there is one unit per dimension: times are microseconds, sizes are bytes. Hence bytes/µs
// is exactly MB/s (10⁶ bytes/s), and no formula needs a conversion factor. The four types [Bytes],
// [Micros], [MBps] and [MicrosPerByte] keep the compiler on guard against mixed units; steps
// between dimensions are methods ([MicrosPerByte.Times], [Bytes.Over], …).
//
// # Units read
//
// Sizes are powers of two, which is the field's habit, whatever the letters say: 64KiB, 64KB, 64kB,
// 64K and 64k are 65,536 bytes. Rates are decimal: MB/s is 10⁶ bytes/s, Mbit/s and Mbps are 10⁶
// bits/s; MiB/s is 2²⁰ bytes/s. Inverse bandwidths are a time over a size: us/KB and us/KiB are per
// 1,024 bytes. µs, μs, us, usec and μsec are one unit. [Vocabulary] lists them all. A lone K, M, G
// or T is a size only where it stands alone: 28us/g divides by g.
//
// # Formulas
//
// [Eval] computes a formula in which every number may carry a unit, and checks
// dimensions on the way:
//
//	28.1us/2 - o_s - o_r        a time, with o_s and o_r from the scope
//	1/(24MB/s)                  an inverse bandwidth
//	33MHz * 32bit               a rate: 132 MB/s
//	sqrt(64KiB * 1.3us / (27us/KB))
//
// The operators are + - * / and parentheses; sqrt, min, max and ceil are built in.
package quantity
