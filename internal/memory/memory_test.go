package memory_test

import (
	"testing"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// Slices of all sizes are cleared, and prefetches of any address do nothing that is seen.
func TestMemory(t *testing.T) {
	for _, n := range []int{0, 1, 4 << 20, 5<<20 + 1} {
		for range 2 {
			s := memory.Make[uint32](n)
			if len(s) != n {
				t.Fatalf("%d elements, wanted %d", len(s), n)
			}
			for i := range s {
				if s[i] != 0 {
					t.Fatalf("element %d of %d is %d", i, n, s[i])
				}
				s[i] = 1
			}
		}
	}
	memory.Make[struct{}](1)
	x := 1
	if memory.Prefetch(nil, unsafe.Pointer(&x)); x != 1 {
		t.Error("changed")
	}
}
