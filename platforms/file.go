package platforms

import (
	"reflect"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
)

// The types below are the keys of a platform file, by their tags; FORMAT.md has their meaning.
// [Parse] fills them, and refuses all other keys; [File.Encode] writes them, in this order.
// Numbers are texts, since each may be a formula of other keys, with a unit and an interval.

// A File is the content of a platform file. Each kind of table is a list in the order of the file,
// since that is the order of layers, and of levels from inside out; a TOML library would return a
// map. The order of the kinds is that of a written file: a machine, its layers behind the stages
// that they name, and below these what bounds and explains them.
type File struct {
	Title string `toml:"title"`
	Paper string `toml:"paper"`
	Note  string `toml:"note"`
	// Without it, times cannot be printed in cycles.
	Clock string `toml:"clock"`
	// The name of a layer; without it, the first one of the file.
	Default string `toml:"default"`

	Levels      []LevelTable      `toml:"level"`
	Stages      []StageTable      `toml:"stage"`
	Layers      []LayerTable      `toml:"layer"`
	Measured    []MeasuredTable   `toml:"measured"`
	Collectives []CollectiveTable `toml:"collective"`
	Constants   []ConstantTable   `toml:"constant"`
	Roofs       []roofTable       `toml:"roof"`
	Protocols   []protocolTable   `toml:"protocol"`
}

// A LevelTable describes a level of a machine, inside the level that follows it.
type LevelTable struct {
	Name           string
	Arity          string `toml:"arity"`
	Layer          string `toml:"layer"`
	Gap            string `toml:"gap"`
	Send           string `toml:"send"`
	Receive        string `toml:"receive"`
	Relay          string `toml:"relay"`
	Fresh          string `toml:"fresh"`
	EagerThreshold string `toml:"eager_threshold"`
	Deferred       string `toml:"deferred"`
	Packet         string `toml:"packet"`
	Overlap        string `toml:"overlap"`
	// At most one of Lanes and Shared, and one of Ports and Port: each pair says the same as a
	// number and as a layer. The outermost level has no port, since nothing leaves the machine.
	Lanes   string `toml:"lanes"`
	Shared  string `toml:"shared"`
	Ports   string `toml:"ports"`
	Port    string `toml:"port"`
	Reverse string `toml:"reverse"`
	Crowd   string `toml:"crowd"`
	Routes  string `toml:"routes"`
	Direct  string `toml:"direct"`
	// For the outermost level alone; Hop to Global describe its links.
	Topology string `toml:"topology"`
	Hop      string `toml:"hop"`
	Hops     string `toml:"hops"`
	Link     string `toml:"link"`
	Local    string `toml:"local"`
	Global   string `toml:"global"`
	Source   string `toml:"source"`
}

// A StageTable describes a stage of pipelines. Beta and Tau are its costs; all other numbers are
// for the engine, and change no prediction.
type StageTable struct {
	Name string
	Beta string `toml:"beta"`
	Tau  string `toml:"tau"`
	// Measured times of packets, at least two, in place of the line. Overlapped is optional.
	Sizes      []string `toml:"sizes"`
	Times      []string `toml:"times"`
	Overlapped []string `toml:"overlapped"`
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

// A LayerTable describes a layer.
type LayerTable struct {
	Name  string
	Title string `toml:"title"`
	Note  string `toml:"note"`
	// The layer of another file, whole: a table with this key has no other.
	From       string     `toml:"from"`
	Model      string     `toml:"model"`
	Parameters Parameters // stand in the table itself
	Branches   []Branch   `toml:"branches"`
	// "unknown" if the parameters are from one-way times alone; for models whose gap is the one-way
	// time.
	Gap string `toml:"gap"`
	// From -1 to 1, and only of a beta and a tau that both have an interval.
	Correlation string `toml:"correlation"`
	Measured    string `toml:"measured"`
	TimesOf     string `toml:"times_of"`
	// For times of a collective alone, as the two keys behind it.
	Collective string `toml:"collective"`
	Ranks      string `toml:"ranks"`
	PerRank    bool   `toml:"per_rank"`
	Protocol   string `toml:"protocol"`
	// Of a pipeline, or of a switch between pipelines, whose packets it sets.
	Setting string            `toml:"setting"`
	Roofs   []string          `toml:"roofs"`
	Source  string            `toml:"source"`
	Sources map[string]string `toml:"sources"`
}

// Parameters are the keys that the kind of a layer's model defines, [model.Kind.Keys], with one
// text each, or several of a list. They have no fields, so that a new kind needs no change here.
type Parameters map[string][]string

// A Branch is one choice of a layer that chooses by size. Only that of a switch has an UpTo, and
// the last one has none.
type Branch struct {
	Layer string `toml:"layer"`
	UpTo  string `toml:"up_to"`
}

// A MeasuredTable describes the points that a layer was fitted to.
type MeasuredTable struct {
	Name string
	// At least two, ascending, and a time above 0 for each.
	Sizes []string `toml:"sizes"`
	Times []string `toml:"times"`
	// Runs above 1 and Deviations go together, with a deviation for each size.
	Runs       string   `toml:"runs"`
	Deviations []string `toml:"deviations"`
	Resolution string   `toml:"resolution"`
	Operation  bool     `toml:"operation"`
	// The layer whose lines were fitted to the points; without it, each that names them.
	Layer  string `toml:"layer"`
	Source string `toml:"source"`
}

// A CollectiveTable describes measured times of a collective: a text in Times, Runs and Deviations
// for each of Ranks, with a word for each of Sizes.
type CollectiveTable struct {
	Name       string
	Collective string `toml:"collective"`
	Algorithm  string `toml:"algorithm"`
	// The library's name of an algorithm that halfpeak does not have, in place of Algorithm.
	LibraryAlgorithm string   `toml:"library_algorithm"`
	Statistic        string   `toml:"statistic"`
	Ranks            []string `toml:"ranks"`
	RanksPerNode     []string `toml:"ranks_per_node"`
	Sizes            []string `toml:"sizes"`
	Times            []string `toml:"times"`
	Runs             []string `toml:"runs"`
	Deviations       []string `toml:"deviations"`
	Source           string   `toml:"source"`
}

// A ConstantTable describes a number of any dimension, since only formulas read it.
type ConstantTable struct {
	Name   string
	Value  string `toml:"value"`
	Source string `toml:"source"`
}

// A roofTable describes a ceiling above 0: a layer's share of it is a quotient.
type roofTable struct {
	Name   string
	Rate   string `toml:"rate"`
	Source string `toml:"source"`
}

// A protocolTable describes how the engine runs a layer. No model reads it.
type protocolTable struct {
	Name    string
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

// parameterKeys are the keys of [Parameters], in the order of a written table. Two kinds may have a
// key in common, such as beta; it then has a list in both, or a text in both.
var parameterKeys = func() (all []parameterKey) {
	add := func(key string, isList bool) {
		next := parameterKey{key, isList}
		if key != "branches" && !slices.Contains(all, next) {
			all = append(all, next)
		}
	}
	for _, k := range model.Kinds {
		lists := []string{"stages"}
		for _, f := range k.Fields {
			if f.List {
				lists = append(lists, f.Key)
			}
		}
		for _, key := range k.Keys() {
			add(key, slices.Contains(lists, key))
		}
		for alias := range k.Aliases {
			add(alias, false)
		}
	}
	return all
}()

type parameterKey struct {
	name   string
	isList bool
}

// findParameter returns the place of the key in [parameterKeys]; -1 if no kind of model has it.
func findParameter(key string) int {
	return slices.IndexFunc(parameterKeys, func(p parameterKey) bool { return p.name == key })
}

// tagged returns the field of a struct that has the key as its tag.
func tagged(v reflect.Value, key string) (field reflect.Value, found bool) {
	for i := range v.NumField() {
		// A TOML key may be empty, as the tag of a field that is no key.
		if tag := v.Type().Field(i).Tag.Get("toml"); tag == key && tag != "" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// keysOf returns the keys of a struct type, to hint at after a wrong one.
func keysOf(t reflect.Type) (keys []string) {
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("toml"); tag != "" {
			keys = append(keys, tag)
		}
	}
	if t == reflect.TypeFor[LayerTable]() {
		for _, p := range parameterKeys {
			keys = append(keys, p.name)
		}
	}
	slices.Sort(keys) // of equally close names, a hint takes the first
	return keys
}

// kinds visits the kinds of tables with their lists.
func (f *File) kinds(visit func(kind string, tables reflect.Value)) {
	v := reflect.ValueOf(f).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Slice {
			visit(v.Type().Field(i).Tag.Get("toml"), v.Field(i))
		}
	}
}

// tableName returns the name of a table: [layer.eager] is "eager".
func tableName(table reflect.Value) string { return table.FieldByName("Name").String() }

// byPath returns the tables by their paths: "layer.eager".
func (f *File) byPath() map[string]reflect.Value {
	all := map[string]reflect.Value{}
	f.kinds(func(kind string, tables reflect.Value) {
		for i := range tables.Len() {
			all[kind+"."+tableName(tables.Index(i))] = tables.Index(i)
		}
	})
	return all
}

// names returns the names of the tables of a kind, to hint at after a wrong one.
func (f *File) names(kind string) (names []string) {
	tables, _ := tagged(reflect.ValueOf(f).Elem(), kind)
	for i := range tables.Len() {
		names = append(names, tableName(tables.Index(i)))
	}
	return names
}

// rename gives a layer, and the tables that it refers to, other names. Its lists belong to the
// other file's platform, so these are replaced.
func (t *LayerTable) rename(rename func(kind, old string) string) {
	all := func(kind string, names []string) []string {
		return list.Map(names, func(name string) string { return rename(kind, name) })
	}
	one := func(kind string, name *string) {
		if *name != "" {
			*name = rename(kind, *name)
		}
	}
	one("layer", &t.Name)
	one("protocol", &t.Protocol)
	one("measured", &t.Measured)
	t.Roofs = all("roof", t.Roofs)
	t.Branches = list.Map(t.Branches, func(b Branch) Branch {
		return Branch{rename("layer", b.Layer), b.UpTo}
	})
	k, _ := model.FindKind(t.Model)
	parameters := Parameters{}
	for key, texts := range t.Parameters {
		isPart := slices.ContainsFunc(k.Parts, func(p model.Part) bool { return p.Key == key })
		switch {
		case isPart:
			texts = all("layer", texts)
		case key == "stages":
			texts = all("stage", texts)
		}
		parameters[key] = texts
	}
	t.Parameters = parameters
}
