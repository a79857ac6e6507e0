# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
    xor eax, eax
    lea rcx, [rip + KEY]
    lea rdx, [rsp - 1]
.LBB0_1:
    movzx esi, byte ptr [rax + rcx]
    mov byte ptr [rsp - 1], sil
    # black_box
    inc rax
    cmp rax, 64
    jne .LBB0_1
    ret
