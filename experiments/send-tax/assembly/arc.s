# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
.LBB0_6:
    add rbp, 8
    cmp rbx, rbp
    je .LBB0_7
.LBB0_3:
    mov rax, qword ptr [r14 + rbp]
    lock inc qword ptr [rax]
    jle .LBB0_8
    mov qword ptr [rsp], rax
    # black_box
    add r15, qword ptr [rax + 16]
    lock dec qword ptr [rax]
    jne .LBB0_6
