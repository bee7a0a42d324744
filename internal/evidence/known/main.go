// Known computes internal/known/known.json, all that answers take from machines of other people:
//
//	go -C internal/evidence run ./known
//
// Each part is what another program here prints. Numbers have four digits: more than they are known
// to, and few enough to read the differences of the file.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// file is the file from the folder of the module.
const file = "../known/known.json"

// parts are the programs that print an object of the file, by its key; without a key, all keys.
var parts = []struct{ key, program string }{
	{"", "./forecast calibrate"},
	{"Collectives", "./collectives -only known"},
	{"Jobs", "./jobs -known"},
}

func main() {
	log.SetFlags(0)
	if err := write(); err != nil {
		log.Fatal(err)
	}
}

func write() error {
	all := map[string]json.RawMessage{}
	for _, p := range parts {
		text, err := exec.Command("go", append([]string{"run"}, strings.Fields(p.program)...)...).
			Output()
		if err != nil {
			return fmt.Errorf("%s: %w", p.program, err)
		}
		if p.key != "" {
			all[p.key] = text
			continue
		}
		var of map[string]json.RawMessage
		if err := json.Unmarshal(text, &of); err != nil {
			return fmt.Errorf("%s: %w", p.program, err)
		}
		maps.Copy(all, of)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(readable(string(text))), 0o644)
}

// number matches the numbers of JSON.
var number = regexp.MustCompile(`-?\d+\.\d+(e[-+]\d+)?`)

// readable shortens numbers and breaks lines after objects and lists.
func readable(text string) string {
	text = number.ReplaceAllStringFunc(text, func(v string) string {
		x, _ := strconv.ParseFloat(v, 64) // it matched
		return strconv.FormatFloat(x, 'g', 4, 64)
	})
	return strings.NewReplacer("},", "},\n", "],", "],\n").Replace(text) + "\n"
}
