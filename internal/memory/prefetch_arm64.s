#include "textflag.h"

// func Prefetch(a, b unsafe.Pointer)
TEXT ·Prefetch(SB), NOSPLIT, $0-16
	LDP a+0(FP), (R0, R1)
	PRFM (R0), PLDL1KEEP
	PRFM (R1), PLDL1KEEP
	RET
