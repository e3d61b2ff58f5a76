"""A command line in process, and kernels small enough to see through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import Outcome

Cli = Callable[..., Outcome]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a command line in an empty directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PTOSCOPE_TRACEBACK", raising=False)
    return lambda *argv: Outcome.of(argv, capfd)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """Writes a kernel to the working directory and returns its name."""

    def put(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return put


def store(type: str, body: str = "", value: str = "%v", scalar: str = "") -> str:
    """A kernel (p, v) that stores v to p[0]."""
    return f"""// stores one element
module {{
  func.func @store(%p: !pto.ptr<{type}, gm>, %v: {scalar or type}) {{
    %c0 = arith.constant 0 : index
    {body}
    pto.store_scalar {value}, %p[%c0] : !pto.ptr<{type}, gm>, {type}
    return
  }}
}}
"""


def copy(type: str) -> str:
    """A kernel (p) that copies p[0] to p[1]."""
    return f"""module {{
  func.func @copy(%p: !pto.ptr<{type}, gm>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = pto.load_scalar %p[%c0] : !pto.ptr<{type}, gm> -> {type}
    pto.store_scalar %v, %p[%c1] : !pto.ptr<{type}, gm>, {type}
    return
  }}
}}
"""


BLOCKS = """module {
  func.func @number(%p: !pto.ptr<i64, gm>) {
    %b = pto.get_block_idx
    %at = arith.index_cast %b : i64 to index
    pto.store_scalar %b, %p[%at] : !pto.ptr<i64, gm>, i64
    return
  }
}
"""

TWO = """module {
  func.func @first(%p: !pto.ptr<i32, gm>) {
    return
  }
  func.func @second(%p: !pto.ptr<i32, gm>)MARK {
    %c0 = arith.constant 0 : index
    %v = arith.constant 2 : i32
    pto.store_scalar %v, %p[%c0] : !pto.ptr<i32, gm>, i32
    return
  }
}
"""

BROKEN = """module {
  func.func @broken(%p: !pto.ptr<f32, gm>) {
    %c0 = arith.constant 0 : indx
    pto.vaddd %c0
    return
  }
}
"""

MISMASKED = """module {
  func.func @mismasked() {
    %a = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %ub = pto.castptr %a : i64 -> !pto.ptr<f32, ub>
    pto.vecscope {
      %m = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>
      %x = pto.vlds %ub[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
      pto.vsts %x, %ub[%c0], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b16>
    }
    return
  }
}
"""
