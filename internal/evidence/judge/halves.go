package judge

import (
	"slices"
	"strings"
)

// A Half is the part of the machines that one belongs to. Forms, terms and constants are chosen on
// the first half. The second is only ever reported: never choose on these. Every look at it is in
// docs/tables/looks.csv.
type Half string

// The halves, and machines that the programs make up, whose truth is known.
const (
	Choose Half = "chosen on"
	Report Half = "only reported"
	Made   Half = "made up"
)

// Halves lists them in the order of tables.
var Halves = []Half{Choose, Report, Made}

// The measured machines in the order of their names, of which every second one is only reported.
// Names of one machine stand together.
var (
	chosen = []string{
		"8x A100-SXM4-40GB", "A100", "ai-rmlc", "ARM Juno board", "aws-eks-hard", "aws-hpc7g",
		"azure-edr", "cadisa", "csd3", "Darwin 16.7.0 x86_64 (same series)", "Fugaku",
		"google-c2", "hoomd", "hosts adonis-9", "iris", "Lassen", "lassen",
		"loopback; device ib0", "MareNostrum", "metrics-local", "ng_loggp_pinnacles_rdma.out",
		"node01/node02.cluster (repository name: pinnacles)", "ORFEO", "orfeo-epyc",
		"orfeo-thin-imb", "sjtu-argon", "slurm-ethernet", "StackHPC alaska", "thu-conv",
	}
	reported = []string{
		"ABCI", "ABCI, switches", "ABCI 2.0", "abci2", "apptainer", "AWS c5n.18xlarge",
		"aws-gromacs", "Azure CycleCloud", "azure-hb", "CSCS Alps GH200", "daint", "eiger",
		"gcp-hpc", "H100", "host and local/remote DPU (card not stated)", "hpcx", "L40S", "lcc2",
		"LUMI", "lumi", "metrics-c1", "mishima", "nscc-gz", "Perlmutter", "sjtu-kunpeng",
		"spack-intel", "summit", "vct",
	}
)

// HalfOf returns the half of a machine. One without a place in the lists is only reported.
func HalfOf(machine string) Half {
	switch {
	case strings.HasPrefix(machine, "simulated ") || strings.HasPrefix(machine, "planted: "):
		return Made
	case slices.Contains(chosen, machine):
		return Choose
	}
	return Report
}

// ByHalf returns the scores of a question in the mean over the machines of each half.
func ByHalf(name string, all []Answer) (scores []Score) {
	of := map[Half][]Score{}
	for _, s := range ByMachine(all) {
		half := HalfOf(s.Name)
		of[half] = append(of[half], s)
	}
	for _, half := range Halves {
		if len(of[half]) > 0 {
			scores = append(scores, Mean(name+", "+string(half), of[half]))
		}
	}
	return scores
}
