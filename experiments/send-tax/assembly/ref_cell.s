# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
.LBB0_2:
    mov rcx, qword ptr [rdi + rax]
    cmp qword ptr [rcx], 0
    jne .LBB0_5
    mov qword ptr [rcx], -1
    inc qword ptr [rcx + 8]
    # black_box
    inc qword ptr [rcx]
    add rax, 8
    cmp rsi, rax
    jne .LBB0_2
