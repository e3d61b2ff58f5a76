"""Entry of a kernel, as LLVM text: the control register of a processor, and a fence, cannot be
said in Python."""

from __future__ import annotations

ENTRY = "rt_enter"

_ENTER = """
define i32 @rt_enter(ptr %main, ptr %state) {
  %status = call i32 %main(ptr %state)
  fence seq_cst
  ret i32 %status
}
"""

# Another library may have left denormals switched off; what kernels mean does not depend on
# that, and what is found is put back.
_ENTER_X86 = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)
declare void @llvm.x86.sse.sfence()
define i32 @rt_enter(ptr %main, ptr %state) {
  %found = alloca i32
  %plain = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %found)
  store i32 8064, ptr %plain
  call void @llvm.x86.sse.ldmxcsr(ptr %plain)
  %status = call i32 %main(ptr %state)
  call void @llvm.x86.sse.ldmxcsr(ptr %found)
  ; What went past the cache is there before anybody is told that the block is done.
  call void @llvm.x86.sse.sfence()
  ret i32 %status
}
"""


def entry_text(x86: bool) -> str:
    """The function that runs a kernel's `main` on its state, and gives its status."""
    return _ENTER_X86 if x86 else _ENTER
