package platforms

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
)

// The types below are the keys of a platform file. go-toml checks a file by their tags, and refuses
// all other keys and types; see [source.walk] for the values. Numbers are texts, since each may be
// a formula of other keys, with a unit and an interval.

// topKeys are the keys outside of tables. FORMAT.md has the meaning of all keys.
type topKeys struct {
	Title string `toml:"title"`
	Paper string `toml:"paper"`
	Note  string `toml:"note"`
	// Without it, times cannot be printed in cycles.
	Clock string `toml:"clock"`
	// The name of a layer; without it, the first one of the file.
	Default string `toml:"default"`
}

// tableKeys are the tables of a file by their kinds, except those of layers.
type tableKeys struct {
	Constant   map[string]constantKeys   `toml:"constant"`
	Roof       map[string]roofKeys       `toml:"roof"`
	Stage      map[string]stageKeys      `toml:"stage"`
	Protocol   map[string]protocolKeys   `toml:"protocol"`
	Measured   map[string]measuredKeys   `toml:"measured"`
	Level      map[string]levelKeys      `toml:"level"`
	Collective map[string]collectiveKeys `toml:"collective"`
}

// constantKeys describe a number of any dimension, since only formulas read it.
type constantKeys struct {
	Value  string `toml:"value"`
	Source string `toml:"source"`
}

// roofKeys describe a ceiling above 0: a layer's share of it is a quotient.
type roofKeys struct {
	Rate   string `toml:"rate"`
	Source string `toml:"source"`
}

// stageKeys describe a stage of pipelines. Beta and Tau are its costs; all other numbers are for
// the engine, and change no prediction.
type stageKeys struct {
	Beta string `toml:"beta"`
	Tau  string `toml:"tau"`
	// "sender" or "receiver": that processor is its resource, so the next three keys must be
	// absent.
	Host     string `toml:"host"`
	Resource string `toml:"resource"`
	At       string `toml:"at"`
	// A whole number of packets; without it there is always room, and Full must be absent.
	Queue  string `toml:"queue"`
	Full   string `toml:"full"`
	Source string `toml:"source"`
}

// protocolKeys describe how the engine runs a layer. No model reads them.
type protocolKeys struct {
	Credits string `toml:"credits"`
	Inbox   string `toml:"inbox"`
	Full    string `toml:"full"`
	// Without it, a lost packet is never sent again, and Rounds have nothing to ask for.
	Retry          string `toml:"retry"`
	Rounds         bool   `toml:"rounds"`
	EagerThreshold string `toml:"eager_threshold"`
	// At most one of these two: a processor that is interrupted does not poll.
	Poll      string `toml:"poll"`
	Interrupt string `toml:"interrupt"`
	Source    string `toml:"source"`
}

// measuredKeys describe the points that a layer was fitted to.
type measuredKeys struct {
	// At least two, ascending, and a time above 0 for each.
	Sizes []string `toml:"sizes"`
	Times []string `toml:"times"`
	// Runs above 1 and Deviations go together, with a deviation for each size.
	Runs       string   `toml:"runs"`
	Deviations []string `toml:"deviations"`
	Resolution string   `toml:"resolution"`
	Operation  bool     `toml:"operation"`
	Source     string   `toml:"source"`
}

// levelKeys describe a level of a machine, inside the level that follows it in the file.
type levelKeys struct {
	Arity          string `toml:"arity"`
	Layer          string `toml:"layer"`
	Gap            string `toml:"gap"`
	Send           string `toml:"send"`
	Receive        string `toml:"receive"`
	EagerThreshold string `toml:"eager_threshold"`
	Packet         string `toml:"packet"`
	// At most one of Lanes and Shared, and one of Ports and Port: each pair says the same as a
	// number and as a layer. The outermost level has no port, since nothing leaves the machine.
	Lanes   string `toml:"lanes"`
	Shared  string `toml:"shared"`
	Ports   string `toml:"ports"`
	Port    string `toml:"port"`
	Reverse string `toml:"reverse"`
	Crowd   string `toml:"crowd"`
	Routes  string `toml:"routes"`
	// For the outermost level alone; Hop and Link describe its links.
	Topology string `toml:"topology"`
	Hop      string `toml:"hop"`
	Link     string `toml:"link"`
	Source   string `toml:"source"`
}

// collectiveKeys describe measured times of a collective: a text in Times, Runs and Deviations for
// each of Ranks, with a word for each of Sizes.
type collectiveKeys struct {
	Collective   string   `toml:"collective"`
	Algorithm    string   `toml:"algorithm"`
	Statistic    string   `toml:"statistic"`
	Ranks        []string `toml:"ranks"`
	RanksPerNode []string `toml:"ranks_per_node"`
	Sizes        []string `toml:"sizes"`
	Times        []string `toml:"times"`
	Runs         []string `toml:"runs"`
	Deviations   []string `toml:"deviations"`
	Source       string   `toml:"source"`
}

// layerKeys are the keys that every layer may have; those of its model come from the registry.
type layerKeys struct {
	Model string `toml:"model"`
	// The layer of another file, whole: a table with this key has no other.
	From     string `toml:"from"`
	Title    string `toml:"title"`
	Note     string `toml:"note"`
	Protocol string `toml:"protocol"`
	Measured string `toml:"measured"`
	// From -1 to 1, and only of a beta and a tau that both have an interval.
	Correlation string `toml:"correlation"`
	TimesOf     string `toml:"times_of"`
	// For times of a collective alone, as the two keys behind it.
	Collective string            `toml:"collective"`
	Ranks      string            `toml:"ranks"`
	PerRank    bool              `toml:"per_rank"`
	Roofs      []string          `toml:"roofs"`
	Source     string            `toml:"source"`
	Sources    map[string]string `toml:"sources"`
}

// branchKeys are the keys of a branch of a switch.
type branchKeys struct {
	Layer string `toml:"layer"`
	UpTo  string `toml:"up_to"`
}

// layerType is [layerKeys] with a field for each key of a kind of model. The registry defines these
// keys, so that a new kind needs no change here.
var layerType = func() reflect.Type {
	types := map[string]reflect.Type{}
	one, several := reflect.TypeFor[string](), reflect.TypeFor[[]string]()
	for _, k := range model.Kinds {
		// Two kinds may have a key in common, such as beta; a map holds it once.
		for alias := range k.Aliases {
			types[alias] = one
		}
		for _, p := range k.Parts {
			types[p.Key] = one
		}
		if k.Branches != nil {
			types["branches"] = reflect.TypeFor[[]branchKeys]()
		}
		if k.Stages != nil {
			types["stages"] = several
		}
		for _, f := range k.Fields {
			if types[f.Key] = one; f.List {
				types[f.Key] = several
			}
		}
	}
	fields := reflect.VisibleFields(reflect.TypeFor[layerKeys]())
	for i, key := range slices.Sorted(maps.Keys(types)) {
		tag := reflect.StructTag(fmt.Sprintf("toml:%q", key))
		name := fmt.Sprintf("Key%d", i)
		fields = append(fields, reflect.StructField{Name: name, Type: types[key], Tag: tag})
	}
	for i := range fields {
		fields[i].Index, fields[i].Offset = nil, 0 // StructOf numbers the fields anew
	}
	return reflect.StructOf(fields)
}()

// fileType is the type of a whole file. Its fields are the keys outside of tables, and the tables.
var fileType = func() reflect.Type {
	top := reflect.VisibleFields(reflect.TypeFor[topKeys]())
	layers := reflect.MapOf(reflect.TypeFor[string](), layerType)
	fields := append(top, reflect.VisibleFields(reflect.TypeFor[tableKeys]())...)
	fields = append(fields, reflect.StructField{Name: "Layer", Type: layers, Tag: `toml:"layer"`})
	for i := range fields {
		fields[i].Index, fields[i].Offset = nil, 0
	}
	return reflect.StructOf(fields)
}()

// tagsOf returns the keys of a struct type.
func tagsOf(t reflect.Type) []string {
	var tags []string
	for i := range t.NumField() {
		tags = append(tags, t.Field(i).Tag.Get("toml"))
	}
	slices.Sort(tags) // among equals, a hint is the same each time
	return tags
}

// decode reads the text strictly: an unknown key is an error.
func decode(file string, text []byte) (*source, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; "+
			"a platform has at least a [layer.NAME] with a model", file)
	}
	// A compressed file would fail as TOML at some byte of it, which does not say what is wrong.
	if i := bytes.IndexByte(text, 0); i >= 0 || !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: this is a binary file; a platform is a TOML text", file)
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: larger than 4 MiB; this is not a platform file", file)
	}
	all := reflect.New(fileType)
	err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(all.Interface())
	if err != nil {
		return nil, decodeError(file, err)
	}
	s := &source{file: file, text: text, offsets: map[string]int{}, entered: map[string]int{}}
	s.walk()
	if err := s.checkSpelling(); err != nil {
		return nil, err
	}
	return s, s.replaceAliases()
}

// maxFile bounds the size of a platform file: a thousand times that of usual files.
const maxFile = 4 << 20

// checkSpelling refuses keys in letters of the other case. go-toml takes "Beta" for "beta", and the
// tables here are read by exact names.
func (s *source) checkSpelling() error {
	check := func(path string, keys []Key, known []string) error {
		for _, k := range keys {
			if !slices.Contains(known, k.Name) {
				hint := usage.Hint(k.Name, known)
				return s.errorf(join(path, k.Name), "unknown key%s", hint)
			}
		}
		return nil
	}
	// A key outside of tables comes first in TOML, so it is checked first.
	if err := check("", s.Keys, tagsOf(fileType)); err != nil {
		return err
	}
	tags := map[string][]string{}
	for _, t := range s.Tables {
		known, done := tags[t.Kind]
		if !done {
			table, is := tableType(t.Kind)
			if !is {
				return s.errorf(t.Kind, "unknown key%s", usage.Hint(t.Kind, tagsOf(fileType)))
			}
			known = tagsOf(table)
			tags[t.Kind] = known
		}
		if err := check(t.Kind+"."+t.Name, t.Keys, known); err != nil {
			return err
		}
	}
	return nil
}

// replaceAliases gives layers the keys that a key of theirs stands for: o_s and o_r for LogP's o.
func (s *source) replaceAliases() error {
	for i := range s.Tables {
		t := &s.Tables[i]
		k, known := model.FindKind(text(t.Keys, "model"))
		if t.Kind != "layer" || !known {
			continue
		}
		for alias, keys := range k.Aliases {
			v, given := find(t.Keys, alias)
			if !given {
				continue
			}
			path := "layer." + t.Name
			t.Keys = slices.DeleteFunc(t.Keys, func(k Key) bool { return k.Name == alias })
			for _, key := range keys {
				if _, twice := find(t.Keys, key); twice {
					all := strings.Join(keys, " and ")
					return s.errorf(path+"."+alias,
						"stands for %s; leave it out, or leave out those", all)
				}
				t.Keys = append(t.Keys, Key{key, v})
				s.offsets[path+"."+key] = s.offsets[path+"."+alias]
			}
		}
	}
	return nil
}

// decodeError returns an error of go-toml with its position and a remedy.
func decodeError(file string, err error) error {
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		// One error at a time, as for all rules of this package.
		first := unknown.Errors[0]
		line, column := first.Position()
		return fmt.Errorf("%s:%d:%d: %s", file, line, column, unknownKey(first.Key()))
	case errors.As(err, &wrong):
		line, column := wrong.Position()
		return fmt.Errorf("%s:%d:%d: %s", file, line, column, wrongType(wrong))
	}
	return fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "toml: "))
}

// unknownKey describes a key that the file's types do not have. In an inline table go-toml gives
// only the last part of the key.
func unknownKey(path toml.Key) string {
	if table, known := tableType(path[0]); known && len(path) > 1 {
		keys := tagsOf(table)
		if path[0] == "layer" {
			keys = append(keys, tagsOf(reflect.TypeFor[branchKeys]())...)
		}
		hint := usage.Hint(path[len(path)-1], keys)
		return fmt.Sprintf("unknown key %q%s", strings.Join(path, "."), hint)
	}
	keys := tagsOf(fileType)
	for _, kind := range keys {
		if table, is := tableType(kind); is {
			keys = append(keys, tagsOf(table)...)
		}
	}
	return fmt.Sprintf("unknown key %q%s", path[0], usage.Hint(path[0], keys))
}

// tableType returns the type of the tables of a kind.
func tableType(kind string) (reflect.Type, bool) {
	for i := range fileType.NumField() {
		f := fileType.Field(i)
		if f.Tag.Get("toml") == kind && f.Type.Kind() == reflect.Map {
			return f.Type.Elem(), true
		}
	}
	return nil, false
}

// wrongType describes an error of go-toml. For a value of the wrong type it says what to write
// instead; go-toml's own words about the syntax stay.
func wrongType(err *toml.DecodeError) string {
	said := strings.TrimPrefix(err.Error(), "toml: ")
	path := strings.Join(err.Key(), ".")
	types := strings.TrimPrefix(said, "cannot decode TOML ")
	found, field, mismatch := strings.Cut(types, " into struct field ")
	_, wanted, _ := strings.Cut(field, " of type ")
	switch {
	// go-toml 2.4 has no types for these errors, so their words are told apart. The tests of this
	// package hold them to the version in go.mod.
	case strings.HasPrefix(said, "cannot store an array table"):
		return "a table in double brackets is a list; write it in single ones, as in [layer.eager]"
	case strings.HasPrefix(said, "cannot store a table"):
		return path + " is not a table; write it as a key with a text"
	case !mismatch:
		return said
	case wanted == "string" && (found == "integer" || found == "float"):
		return `write the number as text, with its unit if it has one, as in "5.9us/KB" or "8"`
	case wanted == "string":
		return path + " must be a text; write it in quotes"
	case wanted == "bool":
		return path + " must be true or false, without quotes"
	case wanted == "[]string":
		return path + ` must be a list of texts, as in ["a", "b"]`
	case wanted == "map[string]string":
		return path + ` must be a table, as in { G = "Table 4.2" }`
	case strings.HasSuffix(wanted, "branchKeys"):
		return path + ` must be a list, ` +
			`as in [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`
	}
	return fmt.Sprintf("%s must be a table; write [%s.NAME]", path, err.Key()[0])
}
