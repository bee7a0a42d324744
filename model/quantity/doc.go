// Package quantity defines the units of halfpeak's computations, and reads and prints them.
//
// Internally there is one unit per dimension: times are microseconds, sizes are bytes. Hence
// bytes/µs is exactly MB/s (10⁶ bytes/s), and no formula needs a conversion factor. The four
// types [Bytes], [Micros], [MBps] and [MicrosPerByte] let the compiler find mixed units;
// conversions between dimensions are methods ([MicrosPerByte.Times], [Bytes.Over], …).
//
// # Units read
//
// Prefixes of sizes are powers of two, as usual in the field: 64KiB, 64KB, 64kB, 64K and 64k are
// 65,536 bytes. Rates are decimal: MB/s is 10⁶ bytes/s, Mbit/s and Mbps are 10⁶ bits/s; MiB/s
// is 2²⁰ bytes/s. Inverse bandwidths are a time over a size: us/KB and us/KiB are per 1,024
// bytes. µs, μs, us, usec and μsec are one unit. [Vocabulary] lists all units. A single K, M, G
// or T is a size only by itself: 28us/g divides by g.
package quantity
