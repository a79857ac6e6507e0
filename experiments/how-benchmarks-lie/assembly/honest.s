# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
    movabs rax, -3750763034362895579
    xor ecx, ecx
    lea rdx, [rip + KEY]
    lea rsi, [rsp - 9]
    movabs rdi, 1099511628211
.LBB0_1:
    movzx r8d, byte ptr [rcx + rdx]
    mov byte ptr [rsp - 9], r8b
    # black_box
    movzx r8d, byte ptr [rsp - 9]
    xor rax, r8
    imul rax, rdi
    inc rcx
    cmp rcx, 64
    jne .LBB0_1
    mov qword ptr [rsp - 8], rax
    lea rax, [rsp - 8]
    # black_box
    mov rax, qword ptr [rsp - 8]
    ret
