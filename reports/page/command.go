package page

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// commands has the command lines of questions, and the readers of their requests.
// {key} is the value of a request; without a value, its flag is left out. {designs}
// are arguments; {layers} are those of single messages, so that of a machine its layer is
// named. {changed} is one design with its changes. They are data, since
// a test runs each of them and compares its numbers with the page's.
var commands = map[string]struct {
	read  func([]byte) (map[string]any, error)
	lines []string
}{
	"platforms": {fields[nothing], []string{"platforms"}},
	"platform":  {fields[design], []string{"platforms show {designs}"}},
	"toml":      {fields[design], []string{"whatif {changed} --save {saved}"}},
	"predict":   {fields[predictRequest], []string{"predict {layers} --size {sizes}"}},
	"curves": {fields[curvesRequest],
		[]string{"plot {layers} --kind {quantity} --size {sizes} -o {quantity}.svg"}},
	"shares": {fields[sizedRequest], []string{"whatif breakdown {changed} --size {sizes}"}},
	"pipeline": {fields[pipelineRequest],
		[]string{"plot {layers} --kind timeline --size {size} --packet {packet} -o timeline.svg",
			"packet {layers} --size {size}"}},
	"collective": {fields[mapRequest], []string{collectiveLine}},
	"places":     {fields[mapRequest], []string{collectiveLine}},
	"schedule": {fields[callRequest],
		[]string{"collective {collective} {designs} --algorithm {algorithm} --ranks {ranks} " +
			"--size {size} --segment {segment}"}},
	"fit": {fields[fileRequest], []string{"fit {file} --model {model} --save {save}"}},
}

const collectiveLine = "collective {collective} {designs} --ranks {ranks} --size {sizes}"

// fields reads a request as its type, so that its keys are checked, and returns the
// values by the names of its keys: those are the words in braces.
func fields[T any](request []byte) (values map[string]any, err error) {
	var r T
	if err := read(request, &r); err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return values, json.Unmarshal(text, &values)
}

// command returns the command lines with the same numbers as another question.
// Changed designs are saved first, since only whatif takes changes; the following
// line then names their file.
func (x *Explorer) command(w wrapped) (commandLines, error) {
	c, has := commands[w.Question]
	if !has {
		return commandLines{}, fmt.Errorf("no command answers %q", w.Question)
	}
	values, err := c.read(w.Request)
	if err != nil {
		return commandLines{}, err
	}
	var of struct {
		design
		Designs []design
	}
	text, _ := json.Marshal(values) // it comes from JSON
	if err := json.Unmarshal(text, &of); err != nil {
		return commandLines{}, err
	}
	if of.Ref != "" {
		of.Designs = []design{of.design}
	}
	a, words := commandLines{}, map[string][]string{"file": {argument(fileName(of.Name))},
		"saved": {savedName(of.design, 0)}}
	saves := strings.Contains(c.lines[0], "{saved}") // the line itself saves the design
	for _, d := range of.Designs {
		// A command line that would fail is no answer.
		r, err := x.design(d)
		if err != nil {
			return a, err
		}
		whole := r.now.Whole
		ref, changed := argument(d.Ref), []string{argument(d.Ref)}
		for _, s := range d.Set {
			changed = append(changed, "--set", s)
		}
		// Without ranks, whatif takes changes of one layer alone.
		if whole && len(d.Set) > 0 {
			changed = append(changed, "--collective", "barrier", "--ranks", "2")
		}
		takes := saves || !whole && strings.Contains(c.lines[0], "{changed}")
		if len(d.Set) > 0 && !takes {
			ref = argument(savedName(d, len(a.Commands)+1))
			line := append([]string{"halfpeak", "whatif"}, append(changed, "--save", ref)...)
			a.Commands = append(a.Commands, usage.ShellLine(line...))
		}
		layer := ref
		if whole {
			layer += "/" + r.now.Layer.Name
		}
		if words["changed"] = changed; !takes {
			words["changed"] = []string{layer}
		}
		words["designs"] = append(words["designs"], ref)
		words["layers"] = append(words["layers"], layer)
	}
	for key, v := range values {
		if text := fmt.Sprint(v); text != "" && words[key] == nil {
			words[key] = []string{text}
		}
	}
	for _, line := range c.lines {
		a.Commands = append(a.Commands, usage.ShellLine(fillLine(line, words)...))
	}
	return a, nil
}

// argument returns the name of a file as an argument that is not taken for a flag.
func argument(name string) string {
	if strings.HasPrefix(name, "-") {
		return "./" + name
	}
	return name
}

var placeholder = regexp.MustCompile(`\{([a-z]+)\}`)

// fillLine returns the words of a command line. A flag without a value is left out,
// with the word before its placeholder.
func fillLine(line string, words map[string][]string) []string {
	all := []string{"halfpeak"}
	for _, word := range strings.Fields(line) {
		key := placeholder.FindStringSubmatch(word)
		switch {
		case key == nil:
			all = append(all, word)
		case words[key[1]] == nil:
			all = all[:len(all)-1]
		case key[0] == word:
			all = append(all, words[key[1]]...)
		default:
			all = append(all, strings.Replace(word, key[0], words[key[1]][0], 1))
		}
	}
	return all
}
