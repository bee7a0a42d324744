package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that was left halfway goes on where its last whole row ends, whatever stands behind that.
func TestPartial(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	open := func(id string, anew bool, rows int64) *Partial {
		t.Helper()
		p, err := Files{}.OpenPartial(path, id, []byte("1\n"), anew)
		if err != nil {
			t.Fatal(err)
		}
		if p.Rows() != rows {
			t.Errorf("%d rows, want %d", p.Rows(), rows)
		}
		return p
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	p := open("a", false, 0)
	do(p.WriteRows([]byte("1\n2\n"), 2))
	do(p.save())
	do(p.WriteRows([]byte("3\n"), 1)) // and here the machine stops
	do(p.file.Close())

	refused := func(id, want string) {
		t.Helper()
		if _, err := (Files{}).OpenPartial(path, id, nil, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	refused("b", "was begun by another command")
	p = open("a", false, 2)
	do(p.WriteRows([]byte("3\n4\n"), 2))
	refused("a", fmt.Sprintf("is being written by process %d", os.Getpid()))
	refused("b", fmt.Sprintf("is being written by process %d", os.Getpid()))
	do(keep(p))
	flip := func() { // a bit of the second row
		part, err := os.ReadFile(path + ".partial")
		do(err)
		part[2] ^= 1
		do(os.WriteFile(path+".partial", part, 0o644))
	}
	flip()
	refused("a", "is damaged")
	flip()
	p = open("a", false, 4)
	do(p.End(nil, nil))
	if got, err := os.ReadFile(path); string(got) != "1\n2\n3\n4\n" {
		t.Errorf("got %q, %v", got, err)
	}
	p = open("a", true, 0)
	do(p.end(func() error { return os.Remove(p.Part()) }))
	do(os.WriteFile(path, []byte("by hand\n"), 0o644))
	refused("a", "not an earlier output")
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
}

// A file that has the name of the part, or of its state, and is no part, stays as it is unless
// forced, and what a link of that name leads to stays in any case.
func TestPartialForeign(t *testing.T) {
	const precious = "my precious\n"
	for _, c := range []struct {
		name, foreign string
		anew, link    bool
	}{
		{"part", ".partial", false, false},
		{"part, anew", ".partial", true, false},
		{"state", ".partial.state", false, false},
		{"state, anew", ".partial.state", true, false},
		{"part through a link", ".partial", false, true},
		{"state through a link", ".partial.state", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "x.csv")
			file := path + c.foreign
			if c.link {
				file = filepath.Join(dir, "victim")
				if err := os.Symlink(file, path+c.foreign); err != nil {
					t.Skip(err)
				}
			}
			if err := os.WriteFile(file, []byte(precious), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := (Files{}).OpenPartial(path, "a", []byte("1\n"), c.anew); err == nil || !strings.Contains(err.Error(), "move it away") {
				t.Errorf("got %v, want a refusal", err)
			}
			if got, _ := os.ReadFile(file); string(got) != precious {
				t.Errorf("the file holds %q", got)
			}
			if left, _ := os.ReadDir(dir); len(left) != 1 && !c.link {
				t.Errorf("left are %v", left)
			}
			p, err := Files{Force: true}.OpenPartial(path, "a", []byte("1\n"), false)
			if c.link {
				if got, _ := os.ReadFile(file); err == nil || string(got) != precious {
					t.Errorf("forced: %v, and the file behind the link holds %q", err, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(p.WriteRows([]byte("1\n"), 1), p.End(nil, nil)); err != nil {
				t.Error(err)
			}
			if left, _ := os.ReadDir(dir); len(left) != 1 {
				t.Errorf("forced: left are %v", left)
			}
		})
	}
}

// The file behind a link is replaced, not the link, and keeps its permissions.
func TestPartialLink(t *testing.T) {
	for _, perm := range []os.FileMode{0o600, 0o440, 0o666} {
		dir := t.TempDir()
		real, link := filepath.Join(dir, "away", "real.csv"), filepath.Join(dir, "link.csv")
		if err := os.Mkdir(filepath.Dir(real), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(real, nil, perm), os.Chmod(real, perm)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("away", "real.csv"), link); err != nil {
			t.Skip(err)
		}
		for range 2 { // interrupted, and finished
			p, err := Files{}.OpenPartial(link, "a", []byte("1\n"), false)
			if err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(p.Part()); err != nil || info.Mode().Perm() != perm|0o600 || filepath.Dir(p.Part()) != filepath.Dir(real) {
				t.Errorf("the part is %v, %v", info, err)
			}
			if p.Rows() == 0 {
				err = errors.Join(p.WriteRows([]byte("1\n"), 1), keep(p))
			} else {
				err = p.End(nil, nil)
			}
			if err != nil {
				t.Error(err)
			}
		}
		info, err := os.Lstat(link)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", info, err)
		}
		info, err = os.Stat(real)
		if err != nil || info.Mode().Perm() != perm {
			t.Errorf("the file is %v, %v", info, err)
		}
		if got, _ := os.ReadFile(real); string(got) != "1\n" {
			t.Errorf("the file holds %q", got)
		}
	}
}

// keep interrupts the writing of a part that has rows.
func keep(p *Partial) error {
	err := p.End(context.Canceled, func(rows int64) string { return fmt.Sprint(rows) })
	if strings.HasPrefix(err.Error(), fmt.Sprintf("interrupted: %d in ", p.rows)) {
		return nil
	}
	return err
}
