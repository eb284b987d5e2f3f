/*
 * fiber_x86_64.S - the stack switch for the System V ABI. A suspended stack holds, from its saved
 * stack pointer upwards:
 *
 *	0  mxcsr, x87 control word      the calling convention makes them the callee's to keep
 *	8  r15 r14 r13 r12 rbx rbp
 *	56 return address
 *
 * The object carries no GNU property note on purpose: the linker then leaves the program unmarked
 * for shadow stacks, which a hand-made switch would trip over.
 */
	.text

/* void fiber_switch(void **save_sp, void *load_sp) */
	.globl fiber_switch
	.hidden fiber_switch
	.type fiber_switch, @function
	.p2align 4
fiber_switch:
	.cfi_startproc
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbx, 0
	pushq %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r12, 0
	pushq %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r13, 0
	pushq %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r14, 0
	pushq %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr (%rsp)
	fnstcw 4(%rsp)

	/* both stacks have the same layout here: what was said of the frame stays true */
	movq %rsp, (%rdi)
	movq %rsi, %rsp

	ldmxcsr (%rsp)
	fldcw 4(%rsp)
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	popq %r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r14
	popq %r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r13
	popq %r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r12
	popq %rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	popq %rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size fiber_switch, . - fiber_switch

/* Where the first switch to a fresh stack returns to: calls r13(r12). Unwinders stop here. */
	.type fiber_trampoline, @function
	.p2align 4
fiber_trampoline:
	.cfi_startproc
	.cfi_undefined %rip
	movq %r12, %rdi
	call *%r13
	ud2
	.cfi_endproc
	.size fiber_trampoline, . - fiber_trampoline

/* void *fiber_prepare(void *top, void (*fn)(struct fiber *), struct fiber *arg) */
	.globl fiber_prepare
	.hidden fiber_prepare
	.type fiber_prepare, @function
	.p2align 4
fiber_prepare:
	.cfi_startproc
	andq $-16, %rdi
	leaq -64(%rdi), %rax
	stmxcsr 0(%rax)
	fnstcw 4(%rax)
	xorl %ecx, %ecx
	movq %rcx, 8(%rax)		/* r15 */
	movq %rcx, 16(%rax)		/* r14 */
	movq %rsi, 24(%rax)		/* r13: function */
	movq %rdx, 32(%rax)		/* r12: argument */
	movq %rcx, 40(%rax)		/* rbx */
	movq %rcx, 48(%rax)		/* rbp: ends the chain of frame pointers */
	leaq fiber_trampoline(%rip), %rcx
	movq %rcx, 56(%rax)
	ret
	.cfi_endproc
	.size fiber_prepare, . - fiber_prepare

	.section .note.GNU-stack, "", @progbits
