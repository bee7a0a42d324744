// Package schedule holds what the ranks of a parallel program do, and in which order: operations
// (send, receive, calc) and dependencies between the operations of a rank. It is GOAL, the group
// operation assembly language of LogGOPSim (Hoefler, Siebert, Lumsdaine, Group operation assembly
// language, a flexible way to express collective communication, ICPP 2009), in memory and as files.
//
// A message is of some bytes, with a tag, to or from a rank. A calc takes some nanoseconds. Each
// operation occupies one of its rank's CPUs and, if it is a message, one of its network interfaces;
// both are numbers from 0 to 65535. Operation b "requires" a if it begins only after a is done, and
// "irequires" a if it begins only after a has started. What else the program says is left to who
// runs it: what a message costs, when a send is done, which of several operations that may begin
// goes first.
//
// A [Schedule] is flat arrays, made for programs of millions of operations: about 30 bytes an
// operation for 65,536 ranks that disseminate. A [Builder] makes one, rank after rank; [Read] reads
// one; [Schedule.WriteText] and [Schedule.WriteBinary] write one.
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
// Comments and empty lines stand where a statement or a rank may begin. Ranks
// come in order, from 0 on. A calc is in nanoseconds; -1 is [Any]; what is left
// out is 0. Labels are local to a rank, each defined once and before it is used.
//
// The packages below make schedules of collective operations (collective) and of
// traces of real programs (mpitrace).
package schedule
