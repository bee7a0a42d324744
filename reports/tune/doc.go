// Package tune chooses which collectives to measure, so that a rules file for a library comes from
// a small part of the sweep over algorithms, ranks and sizes. Package tuner below it has the model
// of their times.
//
// A [Question] names collectives, ranks, sizes and a library. [NewMap] lists all its candidates:
// each algorithm that the library can be forced to take, in each call, with the parts of its
// schedule's time (parts.go). A round then reads what was measured ([Map.ReadFolder],
// [Map.ReadFiles]), writes a script with the next measurements ([Map.Next], [Map.WriteScript]), and
// writes the present choices as rules ([Map.Decisions], [Map.WriteRules]). Nothing is kept between
// rounds but the files of the script: their names say what was measured (choice.go), so a round
// can be repeated, and a job that ends early loses only the measurement that was running.
package tune
