# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
    movabs rax, -1818486351791677229
    mov qword ptr [rsp - 8], rax
    lea rax, [rsp - 8]
    # black_box
    mov rax, qword ptr [rsp - 8]
    ret
