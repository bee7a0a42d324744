// Package schedule holds the operations of a parallel program (send, receive, calc) and the
// dependencies between the operations of each rank. It implements GOAL in memory and as files. GOAL
// is the group operation assembly language of LogGOPSim (Hoefler, Siebert, Lumsdaine, Group
// operation assembly language, a flexible way to express collective communication, ICPP 2009).
//
// A message has a size in bytes, a tag, and a rank that it goes to or comes from. A calc takes some
// nanoseconds. Each operation occupies one of its rank's CPUs and, if it is a message, one of its
// network interfaces; both are numbers from 0 to 65535. Operation b "requires" a if b starts only
// after a is done, and "irequires" a if b starts only after a has started. The program that runs a
// schedule decides the rest: the cost of a message, when a send is done, and which of several ready
// operations starts first.
//
// A [Schedule] consists of flat arrays, so that programs of millions of operations fit in memory: a
// dissemination among 65,536 ranks takes about 30 bytes an operation. A [Builder] makes a schedule,
// rank after rank; [Read] reads one; [Schedule.WriteText] and [Schedule.WriteBinary] write one.
//
// # Text form
//
//	file    := "num_ranks" INT { rank }
//	rank    := "rank" INT "{" { stmt } "}"
//	stmt    := [ label ":" ] "send" INT "b" "to" INT [ tag ] [ cpu ] [ nic ] NL
//	         | [ label ":" ] "recv" INT "b" "from" ( INT | "-1" ) [ tag ] [ cpu ] [ nic ] NL
//	         | [ label ":" ] "calc" INT [ cpu ] NL
//	         | label "requires"  label NL
//	         | label "irequires" label NL
//	tag     := "tag" ( INT | "-1" )
//	cpu     := "cpu" INT
//	nic     := "nic" INT
//	label   := [A-Za-z][A-Za-z0-9_]*     but not send, recv, calc, rank, num_ranks
//	comment := "//" ... NL | "/*" ... "*/"
//
// Comments and empty lines are allowed wherever a statement or a rank can begin. Ranks are in
// order, from 0. A calc is in nanoseconds; -1 is [Any]; omitted numbers are 0. Labels are local to
// a rank, each defined once and before its use.
//
// For example, rank 0 sends 8 bytes to rank 1, which computes for 2 µs when they have come:
//
//	num_ranks 2
//
//	rank 0 {
//	l1: send 8b to 1 tag 7
//	}
//
//	rank 1 {
//	l1: recv 8b from 0 tag 7
//	l2: calc 2000
//	l2 requires l1
//	}
//
// This is what LogGOPSim's converter txt2bin accepts, apart from damage: txt2bin wraps numbers that
// are too large and ignores the second definition of a label, both of which are errors here.
//
// # Invariants
//
// Operations have one number through all ranks, in the order of their addition. Both ends of a
// dependency belong to one rank. A finished Schedule never changes, so simulations share it. What
// is read is checked: a count in a file allocates nothing before its elements have been read.
//
// # Reading the package
//
// Read schedule.go (the data), builder.go (how it is made), labels.go (names of operations), then
// the two forms: statement.go and text.go, write.go, binary.go. read.go chooses between them. The
// packages below this one make schedules of collective operations (collective) and of traces of
// real programs (mpitrace).
package schedule
