# rustc 1.95.0 (59807616e 2026-04-14), x86_64-unknown-linux-gnu
.LBB2_2:
    mov rbx, qword ptr [rdi + r15]
    xor eax, eax
    lock cmpxchg dword ptr [rbx], ebp
    jne .LBB2_3
    mov rax, qword ptr [r12]
    test rax, r14
    jne .LBB2_6
.LBB2_5:
    xor eax, eax
    movzx ecx, byte ptr [rbx + 4]
    test cl, cl
    jne .LBB2_8
.LBB2_13:
    inc qword ptr [rbx + 8]
    # black_box
    test al, al
    jne .LBB2_17
    mov rax, qword ptr [r12]
    test rax, r14
    jne .LBB2_15
.LBB2_17:
    xor eax, eax
    xchg dword ptr [rbx], eax
    cmp eax, 2
    je .LBB2_18
    add r15, 8
    cmp rsi, r15
    jne .LBB2_2
