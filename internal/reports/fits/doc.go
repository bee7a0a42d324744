// Package fits shows what was fitted to measurements: the answers of package ask/fits as tables
// ([Rows]) and figures ([Picture]).
package fits
