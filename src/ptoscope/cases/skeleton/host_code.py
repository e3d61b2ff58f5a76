"""The host code of a new case: what launches the kernel on the device."""

from __future__ import annotations

from collections.abc import Sequence

from ptoscope.cases.skeleton.arguments import HostArgument
from ptoscope.isa.dtypes import BF16, F16, F32, F64, I1, DType


def launch_text(kernel: str, arguments: Sequence[HostArgument], grid: int) -> str:
    """launch.cpp: how the kernel is called."""
    taken = ", ".join([*(f"{_host(a)}{a.name}" for a in arguments), "void *stream"])
    passed = ", ".join(
        f"(__gm__ {_device_name(a.dtype)} *){a.name}" if a.is_pointer else a.name for a in arguments
    )
    declared = ", ".join(_device(a) for a in arguments)
    return f"""#include <stdint.h>

extern "C" __global__ [aicore] void {kernel}({declared});

void {launcher(kernel)}({taken}) {{
  {kernel}<<<{grid}, nullptr, stream>>>({passed});
}}
"""


def main_text(kernel: str, arguments: Sequence[HostArgument]) -> str:
    """main.cpp: the arguments from files, the outputs to files. Sizes are those of the files,
    so that golden.py alone decides them."""
    pointers = [a for a in arguments if a.is_pointer]
    outputs = [a for a in arguments if a.is_output]
    taken = ", ".join([*(_host(a).strip() for a in arguments), "void *"])
    passed = ", ".join(
        [*(f"{a.name}Device" if a.is_pointer else a.name for a in arguments), "stream"]
    )
    lines = [
        '#include "acl/acl.h"',
        '#include "test_common.h"',
        "",
        "#include <cstdint>",
        "#include <cstdio>",
        "#include <filesystem>",
        "",
        "using namespace PtoTestCommon;",
        "",
        "// Leaves main with status 1 if a step does not succeed.",
        "#define CHECK(step)                                     \\",
        "  if (!(step)) {                                        \\",
        '    std::fprintf(stderr, "failed: %s\\n", #step);        \\',
        "    return 1;                                           \\",
        "  }",
        "",
        f"void {launcher(kernel)}({taken});",
        "",
        "int main() {",
        "  aclrtStream stream = nullptr;",
        "  CHECK(aclInit(nullptr) == ACL_SUCCESS);",
        "  CHECK(aclrtSetDevice(0) == ACL_SUCCESS);",
        "  CHECK(aclrtCreateStream(&stream) == ACL_SUCCESS);",
        "",
    ]
    for argument in arguments:
        lines += _input(argument)
    lines += [
        "",
        f"  {launcher(kernel)}({passed});",
        "  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);",
        "",
    ]
    for a in outputs:
        name = a.name
        lines += [
            f"  CHECK(aclrtMemcpy({name}Host, {name}Size, {name}Device, {name}Size,",
            "                    ACL_MEMCPY_DEVICE_TO_HOST) == ACL_SUCCESS);",
            f'  CHECK(WriteFile("./{name}.bin", {name}Host, {name}Size));',
        ]
    lines.append("")
    for a in pointers:
        lines += [f"  aclrtFree({a.name}Device);", f"  aclrtFreeHost({a.name}Host);"]
    lines += [
        "  aclrtDestroyStream(stream);",
        "  aclrtResetDevice(0);",
        "  aclFinalize();",
        "  return 0;",
        "}",
    ]
    return "\n".join(lines) + "\n"


def launcher(kernel: str) -> str:
    """The name of the function that launches a kernel."""
    return f"Launch{kernel[:1].upper()}{kernel[1:]}"


def _input(argument: HostArgument) -> list[str]:
    name, kind = argument.name, _host_name(argument.dtype)
    if not argument.is_pointer:
        return [
            f"  {kind} {name} = 0;",
            f"  size_t {name}Size = sizeof({kind});",
            f'  CHECK(ReadFile("./{name}.bin", {name}Size, &{name}, sizeof({kind})));',
        ]
    return [
        f'  size_t {name}Size = std::filesystem::file_size("./{name}.bin");',
        f"  {kind} *{name}Host = nullptr;",
        f"  {kind} *{name}Device = nullptr;",
        f"  CHECK(aclrtMallocHost((void **)&{name}Host, {name}Size) == ACL_SUCCESS);",
        f"  CHECK(aclrtMalloc((void **)&{name}Device, {name}Size, ACL_MEM_MALLOC_HUGE_FIRST) ==",
        "        ACL_SUCCESS);",
        f'  CHECK(ReadFile("./{name}.bin", {name}Size, {name}Host, {name}Size));',
        f"  CHECK(aclrtMemcpy({name}Device, {name}Size, {name}Host, {name}Size,",
        "                    ACL_MEMCPY_HOST_TO_DEVICE) == ACL_SUCCESS);",
    ]


def _host_name(dtype: DType) -> str:
    """The host's type: compilers for hosts lack the narrow floats, so their bits are used."""
    if dtype.is_int:
        return "bool" if dtype is I1 else f"{'' if dtype.signed else 'u'}int{dtype.bits}_t"
    if dtype in (F32, F64):
        return "float" if dtype is F32 else "double"
    return f"uint{8 * dtype.bytes}_t"


def _device_name(dtype: DType) -> str:
    return {F16: "half", BF16: "bfloat16_t"}.get(dtype) or _host_name(dtype)


def _host(argument: HostArgument) -> str:
    return f"{_host_name(argument.dtype)} {'*' if argument.is_pointer else ''}"


def _device(argument: HostArgument) -> str:
    if argument.is_pointer:
        return f"__gm__ {_device_name(argument.dtype)} *{argument.name}"
    return f"{_host_name(argument.dtype)} {argument.name}"
