/*
 * fiber_aarch64.S - the stack switch for AAPCS64. Not tested: written from the procedure call
 * standard, assembled by nobody yet. A suspended stack holds, from its saved stack pointer upwards:
 *
 *	0   x19 to x28
 *	80  x29 (frame), x30 (return address)
 *	96  d8 to d15
 *	160 FPCR, padding               the stack pointer stays a multiple of 16
 */
	.text

/* void fiber_switch(void **save_sp, void *load_sp) */
	.globl fiber_switch
	.hidden fiber_switch
	.type fiber_switch, %function
	.p2align 4
fiber_switch:
	.cfi_startproc
	hint #34			/* bti c */
	sub sp, sp, #176
	.cfi_adjust_cfa_offset 176
	stp x19, x20, [sp, #0]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	.cfi_rel_offset x29, 80
	.cfi_rel_offset x30, 88
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mrs x9, fpcr
	str x9, [sp, #160]

	mov x9, sp
	str x9, [x0]
	mov sp, x1

	ldr x9, [sp, #160]
	msr fpcr, x9
	ldp d14, d15, [sp, #144]
	ldp d12, d13, [sp, #128]
	ldp d10, d11, [sp, #112]
	ldp d8, d9, [sp, #96]
	ldp x29, x30, [sp, #80]
	ldp x27, x28, [sp, #64]
	ldp x25, x26, [sp, #48]
	ldp x23, x24, [sp, #32]
	ldp x21, x22, [sp, #16]
	ldp x19, x20, [sp, #0]
	add sp, sp, #176
	.cfi_adjust_cfa_offset -176
	ret
	.cfi_endproc
	.size fiber_switch, . - fiber_switch

/* Where the first switch to a fresh stack returns to: calls x20(x19). Unwinders stop here. */
	.type fiber_trampoline, %function
	.p2align 4
fiber_trampoline:
	.cfi_startproc
	.cfi_undefined x30
	mov x0, x19
	blr x20
	brk #1
	.cfi_endproc
	.size fiber_trampoline, . - fiber_trampoline

/* void *fiber_prepare(void *top, void (*fn)(struct fiber *), struct fiber *arg) */
	.globl fiber_prepare
	.hidden fiber_prepare
	.type fiber_prepare, %function
	.p2align 4
fiber_prepare:
	.cfi_startproc
	hint #34			/* bti c */
	and x0, x0, #-16
	sub x0, x0, #176
	stp x2, x1, [x0, #0]		/* x19: argument, x20: function */
	adr x9, fiber_trampoline
	stp xzr, x9, [x0, #80]		/* x29: ends the chain of frame pointers; x30 */
	mrs x9, fpcr
	str x9, [x0, #160]
	ret
	.cfi_endproc
	.size fiber_prepare, . - fiber_prepare

	.section .note.GNU-stack, "", %progbits
