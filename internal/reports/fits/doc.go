// Package fits shows what was fitted to measurements, the answers of internal/fits, as tables
// ([Rows]) and figures ([Picture]).
package fits
