// Package simulations shows how schedules and traces of parallel programs ran: the answers of
// package ask/programs as tables ([Rows], [PathRows]), and what each rank does as a picture
// ([Ranks]).
package simulations
