#include "textflag.h"

// func hold(of unsafe.Pointer) int
//
// The clone has the stack of this thread, and so never touches it: it has registers, and what of points to.
TEXT ·hold(SB), NOSPLIT, $0-16
	MOVQ of+0(FP), R12
	MOVL $2, DI             // SIG_SETMASK
	LEAQ 0(R12), SI         // all
	LEAQ 8(R12), DX         // old
	MOVL $8, R10
	MOVL $14, AX            // rt_sigprocmask
	SYSCALL

	MOVQ 48(R12), DI        // flags
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	MOVL $56, AX            // clone
	SYSCALL
	TESTQ AX, AX
	JZ   other
	MOVQ AX, R13

	MOVL $2, DI
	LEAQ 8(R12), SI
	XORL DX, DX
	MOVL $8, R10
	MOVL $14, AX
	SYSCALL
	MOVQ R13, ret+8(FP)
	RET

other:
	XORL DI, DI
	MOVQ 56(R12), SI        // last
	XORL DX, DX
	MOVL $436, AX           // close_range
	SYSCALL
	TESTQ AX, AX
	JNZ  end
	XORL DI, DI             // PRIO_PROCESS
	XORL SI, SI
	MOVL $10, DX            // what frees memory lets those run who elect
	MOVL $141, AX           // setpriority
	SYSCALL
	XORL DI, DI             // a process group of its own
	XORL SI, SI
	MOVL $109, AX           // setpgid
	SYSCALL
	MOVL $15, DI            // PR_SET_NAME
	LEAQ 24(R12), SI
	MOVL $157, AX           // prctl
	SYSCALL
	MOVQ 16(R12), DI        // self
	XORL SI, SI
	MOVL $434, AX           // pidfd_open
	SYSCALL
	TESTQ AX, AX
	JNZ  end                // it is descriptor 0
	MOVL AX, 40(R12)
	MOVL $110, AX           // getppid: else self is another process by now
	SYSCALL
	CMPQ AX, 16(R12)
	JNE  end
	LEAQ 40(R12), DI
	MOVL $1, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	MOVL $271, AX           // ppoll
	SYSCALL
	XORL DI, DI             // nothing, until its time is over
	XORL SI, SI
	LEAQ 64(R12), DX        // rest
	XORL R10, R10
	XORL R8, R8
	MOVL $271, AX           // ppoll
	SYSCALL
end:
	XORL DI, DI
	MOVL $60, AX            // exit
	SYSCALL
	INT  $3
