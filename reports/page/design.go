package page

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Bounds of requests. They are far above what the page asks for (8 designs, some
// hundred sizes), and bound the work of a request together.
const (
	maxDesigns  = 16
	maxChanges  = 256
	maxSizes    = 4096
	maxRemember = 256 // designs
)

// An Explorer answers questions. It holds the platforms that were added to it, and is
// for one goroutine at a time: in a browser, the page and its worker have one each.
type Explorer struct {
	added   map[string]*platforms.Platform // by their names, with .toml
	designs map[string]resolved            // the latest, for [Explorer.design]
}

// New returns an explorer that has only the platforms that come with halfpeak.
func New() *Explorer { return &Explorer{map[string]*platforms.Platform{}, map[string]resolved{}} }

// A resolved has the designs of a [design] before and after its changes. Sliders show
// both.
type resolved struct {
	base, now halfpeak.Design
}

// find returns the design of a reference: of a file that was added, or of a platform that comes
// with halfpeak.
func (x *Explorer) find(ref string) (d platforms.Design, err error) {
	if ref == "" {
		return d, errors.New(`no design: its ref is empty; the question "platforms" lists them`)
	}
	file, layer, _ := strings.Cut(ref, "/")
	if a := x.added[file]; a != nil {
		return a.Design(layer)
	}
	// Without this check, Open would open a file: a request must not read the disk of whoever runs
	// the program outside of a browser.
	if !platforms.IsEmbedded(ref) {
		all, err := platforms.All()
		names := list.Map(all, func(p platforms.Platform) string { return p.Name })
		names = append(names, slices.Sorted(maps.Keys(x.added))...)
		return d, cmp.Or(err, fmt.Errorf("no platform %.80q%s", file, usage.Hint(file, names)))
	}
	return platforms.Open(ref)
}

// design returns the design of a request. It caches the latest ones: a slider asks
// repeatedly for designs that do not change. The design without changes is cached
// too, since changes begin from it at each move of a slider.
func (x *Explorer) design(d design) (resolved, error) {
	if len(d.Set) > maxChanges {
		return resolved{}, fmt.Errorf("%d changes; a design has at most %d", len(d.Set), maxChanges)
	}
	key := d.Ref + "\x00" + strings.Join(d.Set, "\x00")
	if r, known := x.designs[key]; known {
		return r, nil
	}
	base, known := x.designs[d.Ref+"\x00"]
	if !known {
		found, err := x.find(d.Ref)
		if err != nil {
			return resolved{}, err
		}
		found.Ranks = found.Whole // the sliders of a machine are those of all its layers and levels
		base.base = halfpeak.Of(found)
		base.now = base.base
		x.remember(d.Ref+"\x00", base)
	}
	now, err := base.base.Design.Set(d.Set...)
	if err != nil {
		return resolved{}, err
	}
	r := base
	r.now = halfpeak.Of(now)
	x.remember(key, r)
	return r, nil
}

// remember adds to the cache. A full cache is emptied: it fills again with the few
// designs in use, and an order of use would cost more than it saves.
func (x *Explorer) remember(key string, r resolved) {
	if len(x.designs) >= maxRemember {
		clear(x.designs)
	}
	x.designs[key] = r
}

// message returns the changed design as single messages see it: of a machine, they are those of its
// default layer.
func (r resolved) message() platforms.Design {
	d := r.now.Design
	d.Whole, d.Ranks = false, false
	return d
}

// all returns the designs of a request, before and after their changes.
func (x *Explorer) all(ds []design) ([]resolved, error) {
	if len(ds) == 0 || len(ds) > maxDesigns {
		return nil, fmt.Errorf("%d designs; give 1 to %d", len(ds), maxDesigns)
	}
	all := make([]resolved, len(ds))
	for i, d := range ds {
		var err error
		if all[i], err = x.design(d); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// messages returns the design of single messages; an error if its times are not of messages.
func (x *Explorer) messages(d design) (platforms.Design, error) {
	r, err := x.design(d)
	if err == nil {
		err = r.now.Layer.Messages()
	}
	return r.message(), err
}

// ranks returns the design that the ranks of a collective run on.
func (x *Explorer) ranks(d design) (halfpeak.Design, error) {
	r, err := x.design(d)
	if err == nil {
		_, err = r.now.OfRanks()
	}
	return r.now, err
}

// sizes reads a list of sizes. The text is bounded before it is read, the list after:
// "1..1GiB/1000" is short.
func sizes(text string) ([]quantity.Bytes, error) {
	if len(text) > 1<<16 {
		return nil, fmt.Errorf("sizes must have at most %d bytes (got %d)", 1<<16, len(text))
	}
	all, err := quantity.ParseSizes(text)
	if err == nil && len(all) > maxSizes {
		err = fmt.Errorf("sizes %.40q are %d; at most %d are answered at once", text, len(all),
			maxSizes)
	}
	return all, err
}

// size reads one size, ≥ 1.
func size(text string) (quantity.Bytes, error) {
	all, err := sizes(text)
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("size %.40q: give one", text)
	}
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// A question reads its request and answers it.
type question func(*Explorer, []byte) (any, error)

// asks turns a function of a typed request into a question, so that all questions
// read and check their requests in the same way.
func asks[T, A any](answer func(*Explorer, T) (A, error)) question {
	return func(x *Explorer, request []byte) (any, error) {
		var r T
		if err := read(request, &r); err != nil {
			return nil, err
		}
		return answer(x, r)
	}
}

// read reads a request, which is one JSON value without unknown keys: a misspelt key
// would otherwise be ignored, and the answer would be to another question. Nothing at
// all is {}.
func read(request []byte, to any) error {
	if len(bytes.TrimSpace(request)) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(request))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("request: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("request: something follows the JSON value")
	}
	return nil
}

// tabled turns a function that returns rows into a question that answers with a
// table.
func tabled[T any](rows func(*Explorer, T) (table.Rows, error)) question {
	return asks(func(x *Explorer, r T) (shownTable, error) { return tableOf(rows(x, r)) })
}

// tableOf returns rows twice: for programs, as the command's JSON, and for people, as
// printed cells.
func tableOf(rows table.Rows, err error) (shownTable, error) {
	if err != nil {
		return shownTable{}, err
	}
	text, err := rows.JSON()
	if err != nil {
		return shownTable{}, err
	}
	s, err := rows.Printed()
	t := shownTable{Rows: text, Heads: s.Heads, Numeric: s.Numbers, Cells: s.Cells,
		Notes: rows.Remarks()}
	if t.Notes == nil {
		t.Notes = []string{}
	}
	return t, err
}
