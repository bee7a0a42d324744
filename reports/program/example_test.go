package program_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/program"
)

// One rank sends 1 KiB to another one, which computes for 2 µs before it receives.
func ExampleQuestion_Ask() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "send.goal")
	text := "num_ranks 2\nrank 0 {\nsend 1024b to 1\n}\nrank 1 {\nc: calc 2000\nr: recv 1024b " +
		"from 0\nr requires c\n}\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	d, err := platforms.Open("clip")
	if err != nil {
		log.Fatal(err)
	}
	a, err := program.Question{Files: []string{name},
		On: []platforms.Design{d}}.Ask(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	finish, rank := a.Simulations[0].Runs[0].Result.Finish()
	fmt.Println("rank", rank, "is last, after", finish)
	// Output:
	// rank 1 is last, after 44.5 µs
}
