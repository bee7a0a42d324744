// Package schedule holds what the ranks of a parallel program do, and in which
// order: operations (send, receive, calc) and dependencies between operations
// of a rank.
package schedule
