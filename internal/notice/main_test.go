package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestNoticeIsCurrent(t *testing.T) {
	const root = "../.."
	if _, err := os.Stat(root + "/vendor"); err == nil {
		t.Skip("a vendored source has no module cache to read licences from")
	}
	want, err := notice(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(root + "/NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r", "") != want {
		t.Error("NOTICE is not that of go.mod; run: go run ./internal/notice > NOTICE")
	}
}

func TestIdentify(t *testing.T) {
	for text, want := range map[string]string{
		"GNU GENERAL\nPUBLIC LICENSE": "",
		"All rights reserved.":        "",
		"MIT License\n\nPermission is hereby granted, free of charge, to": "MIT",
		"Apache License\n   Version 2.0, January 2004":                    "Apache-2.0",
	} {
		if got := identify("LICENSE", text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		text, err := os.ReadFile(strings.TrimSpace(string(out)) + "/LICENSE")
		if err == nil && identify("LICENSE", string(text)) != "BSD-3-Clause" {
			t.Error("Go's licence is not known")
		}
	}
}
