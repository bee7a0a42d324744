package collective

import (
	"strings"
	"testing"
)

// Defaults as the libraries' sources have them, and that every line names algorithms of ours.
func TestLibraryChoice(t *testing.T) {
	for _, test := range []struct {
		version, collective string
		ranks               int
		size                uint64
		want                string
	}{
		{"Open MPI v4.1.4, package: Debian OpenMPI", "allreduce", 2, 1024, "recursive-doubling"},
		{"Open MPI v4.1.4, package: Debian OpenMPI", "allreduce", 2, 16384, "ring"},
		{"Open MPI v5.0.1", "bcast", 2, 8, "pipeline"},
		{"Open MPI v5.0.1", "bcast", 5000, 1 << 20, "scatter-doubling"},
		{"Open MPI v5.0.1", "barrier", 7, 8, "linear"},
		{"MPICH Version:	4.0.2", "allreduce", 2, 8, "recursive-doubling"},
		{"MPICH Version:	4.0.2", "allreduce", 2, 1024, "rabenseifner-mpich"},
		{"MPICH Version:	4.0.2", "bcast", 64, 8, ""},
		{"Open MPI v4.0.3", "bcast", 2, 8, ""},
		{"some MPI", "bcast", 2, 8, ""},
	} {
		l, _ := LibraryOf(test.version)
		e, known := l.Choice(Of(test.collective), test.ranks, test.size)
		if known != (test.want != "") || known && e.Name != test.want {
			t.Errorf("%s, %s of %d ranks, %d B: %s, want %s", test.version, test.collective,
				test.ranks, test.size, e.Name, test.want)
		}
	}
	for line := range strings.Lines(choices) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		for _, choice := range fields[3:] {
			name, _, _ := strings.Cut(choice, "<")
			part := fields[0] + " " + fields[1] + " 0 " + name
			old := choices
			choices = part
			l, err := FindLibrary(fields[0])
			if l == (Library{}) && fields[0] == nameless.Name {
				l, err = nameless, nil
			}
			if err != nil {
				t.Fatal(err)
			}
			of := Of(strings.TrimSuffix(fields[1], "v"))
			if _, known := l.choice(fields[1], of, 2, 8); !known {
				t.Errorf("no algorithm for %q", part)
			}
			choices = old
		}
	}
}
