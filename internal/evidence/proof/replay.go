package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// traces returns the ranks' traces, which the tracer wrote into a folder.
func traces(folder string, ranks int) []mpitrace.Source {
	var files []string
	for rank := range ranks {
		files = append(files, filepath.Join(folder, fmt.Sprintf("trace.%06d", rank)))
	}
	return mpitrace.Files(files...)
}

// cut returns the programs of a launch, count of them, from its ranks' traces, each between two
// calls of MPI_Pcontrol: reading whole traces for each program would take minutes.
func cut(folder string, ranks, count int) (programs [][]mpitrace.Source, err error) {
	programs = make([][]mpitrace.Source, count)
	for _, trace := range traces(folder, ranks) {
		text, err := os.ReadFile(trace.Name)
		if err != nil {
			return nil, err
		}
		var head, part []byte
		k := 0
		for line := range bytes.Lines(text) {
			mark := bytes.HasPrefix(line, []byte("Pcontrol "))
			switch {
			case mark && part == nil:
				part = slices.Concat(head, line)
			case mark && k < len(programs):
				whole := append(append(part, line...), "Finalize 0 0\n"...)
				programs[k] = append(programs[k], mpitrace.Source{Name: trace.Name,
					Open: func() (io.ReadCloser, error) {
						return io.NopCloser(bytes.NewReader(whole)), nil
					}})
				k, part = k+1, nil
			case part != nil:
				part = append(part, line...)
			}
			// What the rank and its communicators are is of the whole trace.
			if bytes.HasPrefix(line, []byte("halfpeak-trace ")) ||
				bytes.HasPrefix(line, []byte("comm ")) {
				head = append(head, line...)
			}
		}
	}
	return programs, nil
}

// replay predicts the time of a traced program on a machine: the finish of its ranks' traces.
func replay(ctx context.Context, all []mpitrace.Source, region mpitrace.Region,
	on simulate.Machine) (quantity.Micros, error) {
	translation := mpitrace.Defaults
	translation.Region = region
	s, _, err := mpitrace.Read(all, translation)
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	done, err := p.Run(ctx, simulate.Setup{Machine: on})
	if err != nil {
		return 0, err
	}
	finish, _ := done.Finish()
	return finish, nil
}
