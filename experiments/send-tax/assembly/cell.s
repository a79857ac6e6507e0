# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
.LBB0_2:
    mov rcx, qword ptr [rdi + rax]
    inc qword ptr [rcx]
    # black_box
    add rax, 8
    cmp rsi, rax
    jne .LBB0_2
