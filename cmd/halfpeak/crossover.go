package main

import (
	"path/filepath"
	"strings"

	"github.com/halfpeak/halfpeak/reports"
)

// forPeople reports whether the output is text or Markdown.
func (o *output) forPeople() bool {
	format := o.format
	if format == "" {
		format = formats[strings.ToLower(filepath.Ext(o.path))]
	}
	return format != reports.CSV && format != reports.JSON
}
