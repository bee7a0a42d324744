// Package published has measurements that others published, as tables of numbers, and maps the
// names of their algorithms to schedules:
//
//	testdata/sources.csv        each file, with its repository, commit and path
//	testdata/calls.csv.gz       collectives by machine, library, algorithm, nodes, ranks and bytes
//	testdata/curves.csv.gz      times by size, from outputs of benchmarks
//	testdata/pages.csv          times by size, typed from public pages
//	testdata/h100-pairs.csv.gz  pairs of the nodes of a cluster, as `fleet` reads them
//
// The files themselves are not part of the repository. Where they are beside a checkout,
//
//	go test ./internal/published -update
//
// makes the tables from them, and without -update the test compares both. The numbers of pages.csv
// were typed. No released program contains the tables.
package published
