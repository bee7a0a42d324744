package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// A Partial is a file that is written in pieces and gets its name when it is complete. Until then
// its name is NAME.partial; NAME.partial.state holds the number of complete rows and their
// checksum, so that a later run can resume. The part is locked while it is open, and the lock ends
// with the process.
type Partial struct {
	partialState
	path string // of the file behind a link
	perm fs.FileMode
	file *os.File
	at   time.Time // of the last save
}

// SaveEvery is the time between two saves of written rows, in case the process is killed; tests
// save each row.
var SaveEvery = time.Second

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenPartial starts the file at path, whose content begins with head, or resumes it: if a part
// with the same id exists, Rows returns its number of rows. It is an error if another process is
// writing the part, if the part has another id, or if it is damaged; anew discards an existing
// part. [Files] decides whether the file at path is replaced, and a file that merely has the name
// of the part or of its state. If path is a link, the part is beside the file that it leads to,
// whose permissions stay.
func (f Files) OpenPartial(path, id string, head []byte, anew bool) (*Partial, error) {
	if err := f.check(path, head); err != nil {
		return nil, err
	}
	p := &Partial{partialState: partialState{id: id, process: os.Getpid()}, path: path, perm: 0o644}
	info, err := os.Stat(path)
	there := err == nil
	if there && info.IsDir() {
		return nil, FileError(path, syscall.EISDIR)
	}
	if there {
		p.perm = info.Mode().Perm()
		if p.path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, FileError(path, err)
		}
	}
	if err := p.open(); err != nil {
		return nil, err
	}
	err = p.resume(f.Force, anew || f.Force)
	if err == nil && there {
		err = p.file.Chmod(p.perm | 0o600) // a later run has to write to it
	}
	if err == nil {
		err = p.save()
	}
	if err != nil {
		if info, errStat := p.file.Stat(); errStat == nil && info.Size() == 0 {
			err = errors.Join(err, os.Remove(p.Part()))
		}
		return nil, errors.Join(err, p.file.Close())
	}
	return p, nil
}

func (p *Partial) open() error {
	for {
		// The target of a link may belong to the user, so it is neither written nor renamed.
		for _, path := range []string{p.Part(), p.statePath()} {
			if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
				return fmt.Errorf("%q is not a regular file, but the rows would be written to it; move it away, or choose another name", path)
			}
		}
		file, err := os.OpenFile(p.Part(), os.O_CREATE|os.O_RDWR, p.perm|0o600)
		if err != nil {
			return FileError(p.path, err)
		}
		free, err := lock(file)
		if err != nil || !free {
			err = errors.Join(err, file.Close())
		}
		switch {
		case err != nil:
			return FileError(p.path, err)
		case !free:
			who := "another process"
			if s, err := p.readState(); err == nil && s.process > 0 {
				who = fmt.Sprintf("process %d", s.process)
			}
			return fmt.Errorf("%q is being written by %s; wait until it is done, or choose another name", p.Part(), who)
		}
		// Before this process got the lock, another one may have finished the file and renamed it.
		ours, err := file.Stat()
		now, errNow := os.Lstat(p.Part())
		if err == nil && errNow == nil && os.SameFile(ours, now) {
			p.file = file
			return nil
		}
		if err := file.Close(); err != nil {
			return FileError(p.path, err)
		}
	}
}

// resume reads the number of complete rows and continues after them. With force, it replaces files
// that are not recognized as halfpeak's.
func (p *Partial) resume(force, anew bool) error {
	state, err := p.readState()
	missing := errors.Is(err, os.ErrNotExist)
	info, errStat := p.file.Stat()
	switch {
	case errStat != nil:
		return FileError(p.path, errStat)
	case !force && missing && info.Size() > 0:
		return foreign(p.Part())
	case !force && !missing && err != nil:
		return foreign(p.statePath())
	case anew || missing:
		state = partialState{}
	case state.id != p.id:
		return fmt.Errorf("%q was begun by another command; finish it with that one, or start anew with --force", p.Part())
	}
	if info.Size() < state.bytes || state.rows == 0 {
		state = partialState{} // the file is shorter than its state, or has only a header
	}
	sum := crc32.New(castagnoli)
	if _, err := io.CopyN(sum, p.file, state.bytes); err != nil {
		return FileError(p.path, err)
	}
	if sum.Sum32() != state.sum {
		return fmt.Errorf("%q is damaged: its rows are not those that were written; start anew with --force", p.Part())
	}
	p.rows, p.bytes, p.sum = state.rows, state.bytes, state.sum
	if err = p.file.Truncate(p.bytes); err == nil {
		_, err = p.file.Seek(p.bytes, io.SeekStart)
	}
	if err != nil {
		return FileError(p.path, err)
	}
	return nil
}

func foreign(path string) error {
	return fmt.Errorf("%q was not begun by this command, or is not halfpeak's; move it away, or replace it with --force", path)
}

// A partialState is the content of the state file: one line.
type partialState struct {
	rows, bytes int64  // complete rows in the part, and their bytes
	sum         uint32 // of these bytes
	process     int
	id          string
}

const partialLine = "%d %d %08x %d %q\n"

func (p *Partial) readState() (s partialState, err error) {
	text, err := os.ReadFile(p.statePath())
	if err != nil {
		return s, err
	}
	_, err = fmt.Sscanf(string(text), partialLine, &s.rows, &s.bytes, &s.sum, &s.process, &s.id)
	if s.rows < 0 || s.bytes < 0 {
		err = errors.New("negative")
	}
	return s, err
}

// save replaces the state file, which resume has recognized as halfpeak's.
func (p *Partial) save() error {
	p.at = time.Now()
	return Files{Force: true}.Write(p.statePath(), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, partialLine, p.rows, p.bytes, p.sum, p.process, p.id)
		return err
	})
}

// Part returns the name of the file until it is complete.
func (p *Partial) Part() string { return p.path + ".partial" }

func (p *Partial) statePath() string { return p.Part() + ".state" }

// Rows returns the number of complete rows in the file.
func (p *Partial) Rows() int64 { return p.rows }

// Write appends text.
func (p *Partial) Write(text []byte) (int, error) {
	n, err := p.file.Write(text)
	if err != nil {
		if n > 0 { // half a row
			err = errors.Join(err, p.file.Truncate(p.bytes))
		}
		return n, FileError(p.path, err)
	}
	p.sum = crc32.Update(p.sum, castagnoli, text)
	p.bytes += int64(n)
	return n, nil
}

// WriteRows appends text that holds complete rows.
func (p *Partial) WriteRows(text []byte, rows int) error {
	_, err := p.Write(text)
	if err == nil {
		p.rows += int64(rows)
		if time.Since(p.at) >= SaveEvery {
			err = p.save()
		}
	}
	return err
}

// End finishes the file or, after an error, keeps the complete rows for the same command to
// continue; whole says how many these are.
func (p *Partial) End(err error, whole func(rows int64) string) error {
	switch {
	case err == nil:
		return p.finish()
	case errors.Is(err, context.Canceled) && p.rows == 0:
		err = errors.New("interrupted; nothing was written")
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	if p.rows == 0 {
		return errors.Join(err, p.end(func() error { return os.Remove(p.Part()) }))
	}
	if closing := errors.Join(p.save(), p.file.Close()); closing != nil {
		return errors.Join(err, closing)
	}
	return fmt.Errorf("%w: %s in %q; repeat the command to continue", err, whole(p.rows), p.Part())
}

func (p *Partial) finish() error {
	err := p.file.Sync()
	if p.perm&0o600 != 0o600 { // of a file that was there
		err = errors.Join(err, p.file.Chmod(p.perm))
	}
	if err != nil {
		return FileError(p.path, errors.Join(err, p.file.Close()))
	}
	return p.end(func() error { return os.Rename(p.Part(), p.path) })
}

// end renames or removes the part while it is still locked, if the system allows that for an open
// file.
func (p *Partial) end(act func() error) error {
	forget := func() error {
		if err := os.Remove(p.statePath()); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	steps := []func() error{act, forget, p.file.Close}
	if runtime.GOOS == "windows" {
		steps = []func() error{p.file.Close, act, forget}
	}
	var all error
	for _, step := range steps {
		all = errors.Join(all, step())
	}
	if all != nil {
		return FileError(p.path, all)
	}
	return nil
}
