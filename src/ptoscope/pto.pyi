# Written by `python -m ptoscope.lang.stubs`, from the records and from lang/stubs/head.txt.
"""The language of kernels in Python: `from ptoscope import pto`."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar, overload

from ptoscope.isa.dtypes import DType
from ptoscope.lang.kernel import Empty as Empty
from ptoscope.lang.kernel import PythonKernel as PythonKernel
from ptoscope.lang.kernel import empty as empty
from ptoscope.lang.kernel import kernel as kernel

class Element:
    """An element type: of vectors and arrays, and most of scalars."""

    dtype: ClassVar[DType]

T = TypeVar("T", bound=Element)
U = TypeVar("U", bound=Element)
Value = TypeVar("Value")
Body = TypeVar("Body", bound=Callable[..., Any])

class KernelValue:
    """A value of a kernel."""

    def numpy(self) -> Any:
        """What it holds in a plain run, as an array of NumPy."""

class Scalar(Element, KernelValue):
    """A scalar. A comparison is typed as bool: `if`, `while`, `and`, `max` and `min` take it."""

    def numpy(self) -> Any:
        """What it holds in a plain run, as an array of NumPy."""

    def __init__(self, value: Scalar | float) -> None: ...
    def __index__(self) -> int: ...
    def __bool__(self) -> bool: ...

class Float(Scalar):
    """A scalar float; a number of Python takes its type."""

    def __add__(self, other: Self | float) -> Self: ...
    def __radd__(self, other: float) -> Self: ...
    def __sub__(self, other: Self | float) -> Self: ...
    def __rsub__(self, other: float) -> Self: ...
    def __mul__(self, other: Self | float) -> Self: ...
    def __rmul__(self, other: float) -> Self: ...
    def __truediv__(self, other: Self | float) -> Self: ...
    def __rtruediv__(self, other: float) -> Self: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __lt__(self, other: Self | float) -> bool: ...
    def __le__(self, other: Self | float) -> bool: ...
    def __gt__(self, other: Self | float) -> bool: ...
    def __ge__(self, other: Self | float) -> bool: ...

class Integer(Scalar):
    """A whole scalar; a number of Python takes its type, and two types meet in the wider one."""

    @overload
    def __add__(self, other: Self | int) -> Self: ...
    @overload
    def __add__(self, other: index) -> index: ...
    @overload
    def __add__(self, other: Integer) -> Any: ...
    def __radd__(self, other: int) -> Self: ...
    @overload
    def __sub__(self, other: Self | int) -> Self: ...
    @overload
    def __sub__(self, other: index) -> index: ...
    @overload
    def __sub__(self, other: Integer) -> Any: ...
    def __rsub__(self, other: int) -> Self: ...
    @overload
    def __mul__(self, other: Self | int) -> Self: ...
    @overload
    def __mul__(self, other: index) -> index: ...
    @overload
    def __mul__(self, other: Integer) -> Any: ...
    def __rmul__(self, other: int) -> Self: ...
    @overload
    def __floordiv__(self, other: Self | int) -> Self: ...
    @overload
    def __floordiv__(self, other: index) -> index: ...
    @overload
    def __floordiv__(self, other: Integer) -> Any: ...
    def __rfloordiv__(self, other: int) -> Self: ...
    @overload
    def __mod__(self, other: Self | int) -> Self: ...
    @overload
    def __mod__(self, other: index) -> index: ...
    @overload
    def __mod__(self, other: Integer) -> Any: ...
    def __rmod__(self, other: int) -> Self: ...
    @overload
    def __and__(self, other: Self | int) -> Self: ...
    @overload
    def __and__(self, other: index) -> index: ...
    @overload
    def __and__(self, other: Integer) -> Any: ...
    def __rand__(self, other: int) -> Self: ...
    @overload
    def __or__(self, other: Self | int) -> Self: ...
    @overload
    def __or__(self, other: index) -> index: ...
    @overload
    def __or__(self, other: Integer) -> Any: ...
    def __ror__(self, other: int) -> Self: ...
    @overload
    def __xor__(self, other: Self | int) -> Self: ...
    @overload
    def __xor__(self, other: index) -> index: ...
    @overload
    def __xor__(self, other: Integer) -> Any: ...
    def __rxor__(self, other: int) -> Self: ...
    @overload
    def __lshift__(self, other: Self | int) -> Self: ...
    @overload
    def __lshift__(self, other: index) -> index: ...
    @overload
    def __lshift__(self, other: Integer) -> Any: ...
    def __rlshift__(self, other: int) -> Self: ...
    @overload
    def __rshift__(self, other: Self | int) -> Self: ...
    @overload
    def __rshift__(self, other: index) -> index: ...
    @overload
    def __rshift__(self, other: Integer) -> Any: ...
    def __rrshift__(self, other: int) -> Self: ...
    def __neg__(self) -> Self: ...
    def __pos__(self) -> Self: ...
    def __abs__(self) -> Self: ...
    def __invert__(self) -> Self: ...
    def __lt__(self, other: Integer | int) -> bool: ...
    def __le__(self, other: Integer | int) -> bool: ...
    def __gt__(self, other: Integer | int) -> bool: ...
    def __ge__(self, other: Integer | int) -> bool: ...

class bf16(Float):
    """A scalar bf16."""

class f16(Float):
    """A scalar f16."""

class f32(Float):
    """A scalar f32."""

class f64(Float):
    """A scalar f64."""

class f4e1m2(Element):
    """Elements of type f4e1m2."""

class f4e2m1(Element):
    """Elements of type f4e2m1."""

class f8e4m3(Element):
    """Elements of type f8e4m3."""

class f8e5m2(Element):
    """Elements of type f8e5m2."""

class hif8(Element):
    """Elements of type hif8."""

class i1(Integer):
    """A scalar i1."""

class si8(Integer):
    """A scalar si8."""

class ui8(Integer):
    """A scalar ui8."""

class i8(si8, ui8):
    """A scalar i8."""

class si16(Integer):
    """A scalar si16."""

class ui16(Integer):
    """A scalar ui16."""

class i16(si16, ui16):
    """A scalar i16."""

class si32(Integer):
    """A scalar si32."""

class ui32(Integer):
    """A scalar ui32."""

class i32(si32, ui32):
    """A scalar i32."""

class si64(Integer):
    """A scalar si64."""

class ui64(Integer):
    """A scalar ui64."""

class i64(si64, ui64):
    """A scalar i64."""

class index(Integer):
    """A scalar index."""

    def __add__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __radd__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __sub__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rsub__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __mul__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rmul__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __floordiv__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rfloordiv__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __mod__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rmod__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __and__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rand__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __or__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __ror__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __xor__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rxor__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __lshift__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rlshift__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rshift__(self, other: Integer | int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __rrshift__(self, other: int) -> index: ...  # pyright: ignore[reportIncompatibleMethodOverride]

class Vector(KernelValue, Generic[T]):
    """A vector register. Each operator is one instruction, on all lanes."""

    def numpy(self) -> Any:
        """What it holds in a plain run, as an array of NumPy."""

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
    def __add__(self, other: Vector[T] | T | float) -> Vector[T]: ...
    def __radd__(self, other: T | float) -> Vector[T]: ...
    def __sub__(self, other: Vector[T] | T | float) -> Vector[T]: ...
    def __mul__(self, other: Vector[T] | T | float) -> Vector[T]: ...
    def __rmul__(self, other: T | float) -> Vector[T]: ...
    def __truediv__(self, other: Vector[T]) -> Vector[T]: ...
    def __and__(self, other: Vector[T] | T | int) -> Vector[T]: ...
    def __rand__(self, other: T | int) -> Vector[T]: ...
    def __or__(self, other: Vector[T] | T | int) -> Vector[T]: ...
    def __ror__(self, other: T | int) -> Vector[T]: ...
    def __xor__(self, other: Vector[T] | T | int) -> Vector[T]: ...
    def __rxor__(self, other: T | int) -> Vector[T]: ...
    def __lshift__(self, other: Vector[T] | T | i16 | int) -> Vector[T]: ...
    def __rshift__(self, other: Vector[T] | T | i16 | int) -> Vector[T]: ...
    def __neg__(self) -> Vector[T]: ...
    def __abs__(self) -> Vector[T]: ...
    def __invert__(self) -> Vector[T]: ...
    def __lt__(self, other: Vector[T] | T | float) -> Mask: ...
    def __le__(self, other: Vector[T] | T | float) -> Mask: ...
    def __gt__(self, other: Vector[T] | T | float) -> Mask: ...
    def __ge__(self, other: Vector[T] | T | float) -> Mask: ...
    # A comparison of vectors has a lane for each of theirs.
    def __eq__(self, other: Vector[T] | T | float) -> Mask: ...  # pyright: ignore[reportIncompatibleMethodOverride]
    def __ne__(self, other: Vector[T] | T | float) -> Mask: ...  # pyright: ignore[reportIncompatibleMethodOverride]

class Mask(KernelValue):
    """Which lanes take part. `& | ^ ~` are one instruction each."""

    def numpy(self) -> Any:
        """What it holds in a plain run, as an array of NumPy."""

    def __and__(self, other: Mask) -> Mask: ...
    def __or__(self, other: Mask) -> Mask: ...
    def __xor__(self, other: Mask) -> Mask: ...
    def __invert__(self) -> Mask: ...

class Align(KernelValue):
    """The state of an unaligned stream."""

class VectorAddress(KernelValue):
    """A vector address."""

class Pointer(KernelValue, Generic[T]):
    """A pointer to elements in GM or UB."""

    def numpy(self) -> Any:
        """What it holds in a plain run, as an array of NumPy."""

    @property
    def dtype(self) -> DType:
        """The type of what it points to."""

class Tile(index):
    """The index of a loop over pieces: the place of its first element."""

    count: index
    """How many elements it has, at most `size`."""
    stage: Any
    """Which of the copies of its arrays the iteration uses."""
    size: int

class Piece(Generic[T]):
    """A run of elements of an array, which copies move."""

class Part(Generic[T]):
    """A part of a matrix in GM."""

class Rows(Generic[T]):
    """The rows of an array; behind a comma their columns."""

    @overload
    def __getitem__(self, key: Tile | slice[Any, Any, Any]) -> Piece[T]: ...
    @overload
    def __getitem__(
        self, key: tuple[Tile | slice[Any, Any, Any], Tile | slice[Any, Any, Any]]
    ) -> Part[T]: ...

class gm(Pointer[T]):
    """An array in GM: `x: pto.gm[pto.f32]`. `x[t]` and `x[a:b]` are what copies move, `x[i]` is
    one element."""

    @overload
    def __getitem__(self, key: Tile | slice[Any, Any, Any]) -> Piece[T]: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __getitem__(self, key: Integer | int) -> T: ...
    def __setitem__(self, key: Integer | int, value: T | float) -> None: ...
    def rows(self, width: Integer | int) -> Rows[T]:
        """Its rows of so many elements."""

class UbArray(Pointer[T]):
    """An array in UB. `xs[i]` loads a vector from element i on, `xs[i] = v` and `xs[i, mask] = v`
    store one; a distribution may follow: `xs[i, "BRC_B32"]`. `xs[a:b]` is what copies move."""

    size: int
    count: Any
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, key: Tile | slice[Any, Any, Any]) -> Piece[T]: ...  # pyright: ignore[reportOverlappingOverload]
    @overload
    def __getitem__(
        self,
        key: Integer
        | int
        | tuple[Integer | int, Mask | None]
        | tuple[Integer | int, str]
        | tuple[Integer | int, Mask | None, str],
    ) -> Vector[T]: ...
    def __setitem__(
        self,
        key: Integer
        | int
        | tuple[Integer | int, Mask | None]
        | tuple[Integer | int, str]
        | tuple[Integer | int, Mask | None, str],
        value: Vector[T],
    ) -> None: ...

class FlatArray(Pointer[T]):
    """Numbers one behind the other in L1, BT or FB."""

    size: int
    count: Any
    def __len__(self) -> int: ...
    def __getitem__(self, key: Tile | slice[Any, Any, Any]) -> Piece[T]: ...

class MatrixPart(Generic[T]):
    """Rows and columns of a matrix on the chip."""

    @property
    def T(self) -> MatrixPart[T]:
        """With rows and columns swapped."""

class MatrixArray(Pointer[T]):
    """A matrix in L1, L0A, L0B or L0C. `a[r, c]` are these rows and columns of it, `a.T` it is with
    rows and columns swapped."""

    size: int
    shape: tuple[int, int]
    counts: tuple[Any, Any]
    def __len__(self) -> int: ...
    def __getitem__(
        self, key: tuple[Tile | slice[Any, Any, Any], Tile | slice[Any, Any, Any]]
    ) -> MatrixPart[T]: ...
    @property
    def T(self) -> MatrixPart[T]:
        """With rows and columns swapped."""

class Loop(Generic[Value]):
    """A loop of a kernel, for `for`."""

    def __iter__(self) -> Iterator[Value]: ...

class VectorScope:
    """What `with pto.vecscope():`, `pto.cube()` and `pto.vector()` take."""

    def __enter__(self) -> None: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

class static:
    """`for k in pto.static(range(4))`: a loop that is unrolled. A parameter that is known when
    the kernel is compiled is annotated as what it is: `tile: int = 1024`."""

    def __new__(cls, value: Value) -> Value: ...

def function(body: Body) -> Body:
    """Makes a helper of kernels of a function: its body is written where it is called."""

def vecscope() -> VectorScope:
    """The body is executed by the vector pipe: vectors and masks live only in there, and what
    it computes leaves it through UB.
    """

def cube() -> VectorScope:
    """The body is executed by the matrix core of a block. With `pto.vector()` in the same kernel
    a block is a cluster: one matrix core and two vector cores. What the body computes leaves it
    through memory.
    """

def vector() -> VectorScope:
    """The body is executed by both vector cores of a block, each with its own UB; their numbers
    are `pto.get_subblock_idx()`.
    """

def ub(element: type[T], *shape: int, at: int | None = None) -> UbArray[T]:
    """A new array in UB. Inside of a loop it belongs to the iteration. `at` is a byte address;
    without one, it lies where there is room.
    """

@overload
def l1(element: type[T], size: int, /, *, at: int | None = None) -> FlatArray[T]:
    """A new matrix in L1, in fractals, of so many rows and columns; with one size, so many numbers
    one behind the other. `counts` are how many rows and columns hold data, where a run decides
    it. `at` as of `pto.ub`.
    """

@overload
def l1(
    element: type[T],
    rows: int,
    columns: int,
    /,
    *,
    at: int | None = None,
    counts: tuple[Integer | int, Integer | int] | None = None,
) -> MatrixArray[T]:
    """A new matrix in L1, in fractals, of so many rows and columns; with one size, so many numbers
    one behind the other. `counts` are how many rows and columns hold data, where a run decides
    it. `at` as of `pto.ub`.
    """

def l0a(element: type[T], m: int, k: int, at: int | None = None) -> MatrixArray[T]:
    """A new matrix in L0A: the left factor of a product. `at` as of `pto.ub`."""

def l0b(element: type[T], k: int, n: int, at: int | None = None) -> MatrixArray[T]:
    """A new matrix in L0B: the right factor of a product. `at` as of `pto.ub`."""

def l0c(element: type[T], m: int, n: int, at: int | None = None) -> MatrixArray[T]:
    """A new matrix in L0C: a product. `at` as of `pto.ub`."""

def bt(element: type[T], size: int, at: int | None = None) -> FlatArray[T]:
    """New biases in BT, one for each column of a product. `at` as of `pto.ub`."""

def fb(element: type[T], size: int, at: int | None = None) -> FlatArray[T]:
    """New parameters in FB, which products are scaled with on their way out. `at` as of
    `pto.ub`.
    """

@overload
def load(
    source: Part[T] | MatrixArray[T] | MatrixPart[T], *, to: Literal["l1", "l0a", "l0b"]
) -> MatrixArray[T]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def load(source: Piece[T] | FlatArray[T], *, to: Literal["l1", "bt", "fb"]) -> FlatArray[T]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def load(target: MatrixArray[T], source: Part[T] | MatrixArray[T] | MatrixPart[T]) -> MatrixArray[T]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def load(target: FlatArray[Any], source: Piece[Any] | FlatArray[Any] | gm[Any]) -> FlatArray[Any]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def load(
    target: UbArray[T],
    source: MatrixArray[T] | MatrixPart[T] | FlatArray[T],
    *,
    core: Integer | int | None = None,
) -> UbArray[T]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def load(
    source: Piece[T],
    *,
    rows: Integer | int = 1,
    pitch: Integer | int | None = None,
    to_pitch: Integer | int | None = None,
    limit: Integer | int | None = None,
) -> UbArray[T]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def load(
    target: UbArray[T] | Piece[T],
    source: Piece[T] | gm[T],
    *,
    rows: Integer | int = 1,
    pitch: Integer | int | None = None,
    to_pitch: Integer | int | None = None,
    limit: Integer | int | None = None,
) -> UbArray[T]:
    """Copies a piece of GM to UB: `load(xs, x[t])`, or `xs = load(x[t])` into a new array. With
    `rows`, so many pieces, `pitch` elements apart in GM and `to_pitch` in UB; by default they
    are dense. `limit`: at most so many elements of each. `load(x.rows(width)[t], to_pitch=1024)`
    copies the rows of a tile, each to a pitch of its own.

    On the matrix core, `a1 = load(a.rows(width)[i, k], to="l1")` makes fractals of a part of a
    matrix, `load(a1, to="l0a")` and `load(b1, to="l0b")` are the factors of a product, of a part
    `a1[r, c]` or transposed, `a1.T`. Numbers in a row go from GM to L1, and from there `to="bt"`
    or `to="fb"`. `load(xs, a1, core=1)` brings rows from L1 to the UB of a vector core.
    """

@overload
def store(
    target: Part[Any] | Piece[Any] | MatrixArray[Any],
    source: MatrixArray[Any] | MatrixPart[Any],
    *,
    relu: bool | float | Float | FlatArray[Any] = False,
    scale: float | Float | FlatArray[Any] | None = None,
    clip: float | Scalar | None = None,
    atomic: Literal["add", "max", "min"] | None = None,
) -> None:
    """Copies an array in UB, or a piece of one, to a piece of GM. `rows`, `pitch` (in GM),
    `from_pitch` (in UB), `limit` and rows of a tile as of `load`.

    `store(a1[r, c], xs)` copies rows in UB to a matrix in L1; with `nz`, they are fractals.

    `store(y.rows(width)[i, j], c)` copies a product from L0C to GM, converted to its type; `c` may
    also go to a matrix in L1, or to UB, to that of one vector core (`core=0`) or half to each
    (`core="split_m"` or `"split_n"`), in rows of `pitch` elements. On the way it is multiplied by
    `scale`, negative numbers become 0 with `relu=True` or are multiplied by `relu`, and what is
    above `clip` becomes that; scales and factors of columns are arrays in FB. `atomic="add"`,
    `"max"` or `"min"` updates what is in GM.
    """

@overload
def store(
    target: UbArray[Any] | Piece[Any],
    source: MatrixArray[Any] | MatrixPart[Any],
    *,
    core: Integer | int | Literal["split_m", "split_n"],
    pitch: Integer | int | None = None,
    relu: bool | float | Float | FlatArray[Any] = False,
    scale: float | Float | FlatArray[Any] | None = None,
    clip: float | Scalar | None = None,
) -> None:
    """Copies an array in UB, or a piece of one, to a piece of GM. `rows`, `pitch` (in GM),
    `from_pitch` (in UB), `limit` and rows of a tile as of `load`.

    `store(a1[r, c], xs)` copies rows in UB to a matrix in L1; with `nz`, they are fractals.

    `store(y.rows(width)[i, j], c)` copies a product from L0C to GM, converted to its type; `c` may
    also go to a matrix in L1, or to UB, to that of one vector core (`core=0`) or half to each
    (`core="split_m"` or `"split_n"`), in rows of `pitch` elements. On the way it is multiplied by
    `scale`, negative numbers become 0 with `relu=True` or are multiplied by `relu`, and what is
    above `clip` becomes that; scales and factors of columns are arrays in FB. `atomic="add"`,
    `"max"` or `"min"` updates what is in GM.
    """

@overload
def store(
    target: MatrixArray[T] | MatrixPart[T] | FlatArray[T],
    source: UbArray[T] | Piece[T],
    *,
    nz: bool = False,
) -> None:
    """Copies an array in UB, or a piece of one, to a piece of GM. `rows`, `pitch` (in GM),
    `from_pitch` (in UB), `limit` and rows of a tile as of `load`.

    `store(a1[r, c], xs)` copies rows in UB to a matrix in L1; with `nz`, they are fractals.

    `store(y.rows(width)[i, j], c)` copies a product from L0C to GM, converted to its type; `c` may
    also go to a matrix in L1, or to UB, to that of one vector core (`core=0`) or half to each
    (`core="split_m"` or `"split_n"`), in rows of `pitch` elements. On the way it is multiplied by
    `scale`, negative numbers become 0 with `relu=True` or are multiplied by `relu`, and what is
    above `clip` becomes that; scales and factors of columns are arrays in FB. `atomic="add"`,
    `"max"` or `"min"` updates what is in GM.
    """

@overload
def store(
    target: Piece[T] | gm[T],
    source: UbArray[T] | Piece[T],
    *,
    rows: Integer | int = 1,
    pitch: Integer | int | None = None,
    from_pitch: Integer | int | None = None,
    limit: Integer | int | None = None,
) -> None:
    """Copies an array in UB, or a piece of one, to a piece of GM. `rows`, `pitch` (in GM),
    `from_pitch` (in UB), `limit` and rows of a tile as of `load`.

    `store(a1[r, c], xs)` copies rows in UB to a matrix in L1; with `nz`, they are fractals.

    `store(y.rows(width)[i, j], c)` copies a product from L0C to GM, converted to its type; `c` may
    also go to a matrix in L1, or to UB, to that of one vector core (`core=0`) or half to each
    (`core="split_m"` or `"split_n"`), in rows of `pitch` elements. On the way it is multiplied by
    `scale`, negative numbers become 0 with `relu=True` or are multiplied by `relu`, and what is
    above `clip` becomes that; scales and factors of columns are arrays in FB. `atomic="add"`,
    `"max"` or `"min"` updates what is in GM.
    """

def matmul(
    c: MatrixArray[Any],
    a: MatrixArray[T],
    b: MatrixArray[T],
    init: bool = True,
    bias: FlatArray[Any] | None = None,
    tf32: Literal["round_even", "round_away"] | None = None,
) -> None:
    """The product of a matrix in L0A and one in L0B, in L0C: `c = a @ b`, or with `bias` of BT
    `c = bias + a @ b`. Where `init` does not hold, it is added to what is in `c`: with `init=k ==
    0` in a loop, the first part of a sum replaces what is there. How many rows and columns they
    have is what the copies brought. `tf32` ("round_even" or "round_away") rounds factors of f32
    first.
    """

def lanes(array: UbArray[Any], limit: Integer | int | None = None) -> Loop[tuple[index, Mask]]:
    """Goes over the elements of a UB array, a vector register at a time: gives the offset of the
    first element, and the mask of those that are there. `limit` is how many there are; without
    it, all, or as many as the copy brought that allocated the array.
    """

def pipelined(
    lower: Integer | int, upper: Integer | int, step: int, stages: int = 2
) -> Loop[Tile]:
    """Goes from `lower` to below `upper` in pieces of `step` elements, `stages` of which are on
    their way at a time. The index is a tile: `x[t]` is its piece of an array, `t.count` how many
    elements the piece has.
    """

def tile(start: Integer | int, end: Integer | int, size: int) -> Tile:
    """The tile that begins at an index, of data that ends at another: of `size` elements, or as
    many as there are.
    """

def tiles(count: Integer | int, size: int, stages: int = 1) -> Loop[Tile]:
    """Cuts `count` elements into tiles of `size` and gives this block its share: of n blocks,
    block b takes the tiles b, b + n, b + 2n, ... Otherwise as `pipelined`.
    """

@overload
def vlds(
    source: Pointer[T],
    offset: Integer | int,
    *,
    dist: Literal["NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "BLK", "BRC_BLK", "E2B_B16", "E2B_B32"] = "NORM",
) -> Vector[T]:
    """Loads a vector from UB, distributed over the lanes by a mode.

        result[i] = UB[source + offset*size + map(i)], see the modes

    source: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    dist: how memory maps to lanes; NORM, BRC_B8, BRC_B16, BRC_B32, US_B8, US_B16, DS_B8,
        DS_B16, UNPK_B8, UNPK_B16, UNPK_B32, UNPK4, SPLT4CHN, SPLT4CHN_B8, SPLT2CHN_B8,
        SPLT2CHN_B16, DINTLV_B32, BLK, BRC_BLK, E2B_B16, E2B_B32; NORM unless said
    dtype: the element type of the result, as in pto.f32
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vlds(source, offset)
        result, updated = pto.vlds(source, offset, update=True)
    """
@overload
def vlds(
    source: Pointer[T],
    offset: Integer | int,
    *,
    dist: Literal["NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "BLK", "BRC_BLK", "E2B_B16", "E2B_B32"] = "NORM",
    dtype: type[U],
) -> Vector[U]: ...
@overload
def vlds(
    source: Pointer[T],
    offset: Integer | int,
    *,
    dist: Literal["NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "BLK", "BRC_BLK", "E2B_B16", "E2B_B32"] = "NORM",
    update: Literal[True],
) -> tuple[Vector[T], Pointer[T]]: ...
@overload
def vlds(
    source: Pointer[T],
    offset: Integer | int,
    *,
    dist: Literal["NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "BLK", "BRC_BLK", "E2B_B16", "E2B_B32"] = "NORM",
    update: Literal[True],
    dtype: type[U],
) -> tuple[Vector[U], Pointer[T]]: ...

@overload
def vldsx2(
    source: Pointer[T],
    offset: Integer | int,
    dist: Literal["DINTLV_B8", "DINTLV_B16", "DINTLV_B32", "BDINTLV"],
) -> tuple[Vector[T], Vector[T]]:
    """Loads two vectors, taking interleaved elements or blocks apart.

        low[i], high[i] = UB[address + 2i], UB[address + 2i + 1] (elements or blocks)

    source: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    dist: what is taken apart; DINTLV_B8, DINTLV_B16, DINTLV_B32, BDINTLV
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        low, high = pto.vldsx2(source, offset, "DINTLV_B8")
        low, high, updated = pto.vldsx2(source, offset, "DINTLV_B8", update=True)
    """
@overload
def vldsx2(
    source: Pointer[T],
    offset: Integer | int,
    dist: Literal["DINTLV_B8", "DINTLV_B16", "DINTLV_B32", "BDINTLV"],
    *,
    update: Literal[True],
) -> tuple[Vector[T], Vector[T], Pointer[T]]: ...

def vsld(
    source: Pointer[T],
    offset: Integer | int,
    stride: Literal["STRIDE_S3_B16", "STRIDE_S4_B64", "STRIDE_S8_B32", "STRIDE_S2_B64"],
) -> Vector[T]:
    """Loads a vector with a fixed stride between elements.

        result[i] = UB[address + stride*i]

    source: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    stride: elements from lane to lane, and their width; STRIDE_S3_B16, STRIDE_S4_B64,
        STRIDE_S8_B32, STRIDE_S2_B64
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vsld(source, offset, "STRIDE_S3_B16")
    """

@overload
def vsts(
    value: Vector[T],
    dest: Pointer[T],
    offset: Integer | int,
    mask: Mask | None = None,
    *,
    dist: Literal["NORM", "NORM_B8", "NORM_B16", "NORM_B32", "1PT_B8", "1PT_B16", "1PT_B32", "PK_B16", "PK_B32", "PK_B64", "PK4_B32", "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16"] = "NORM",
) -> None:
    """Stores the active lanes of a vector to UB, placed by a mode.

        if mask[i]: UB[dest + offset*size + map(i)] = value[i], see the modes

    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    mask: !pto.mask<G>; which lanes are stored; left out: all lanes
    dist: how lanes map to memory; NORM, NORM_B8, NORM_B16, NORM_B32, 1PT_B8, 1PT_B16, 1PT_B32,
        PK_B16, PK_B32, PK_B64, PK4_B32, MRG4CHN_B8, MRG2CHN_B8, MRG2CHN_B16; NORM unless said
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.vsts(value, dest, offset, mask)
        updated = pto.vsts(value, dest, offset, mask, update=True)
    """
@overload
def vsts(
    value: Vector[T],
    dest: Pointer[T],
    offset: Integer | int,
    mask: Mask | None = None,
    *,
    dist: Literal["NORM", "NORM_B8", "NORM_B16", "NORM_B32", "1PT_B8", "1PT_B16", "1PT_B32", "PK_B16", "PK_B32", "PK_B64", "PK4_B32", "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16"] = "NORM",
    update: Literal[True],
) -> Pointer[T]: ...

def vstsx2(
    low: Vector[T],
    high: Vector[T],
    dest: Pointer[T],
    offset: Integer | int,
    dist: Literal["INTLV_B8", "INTLV_B16", "INTLV_B32", "INTLV"],
    mask: Mask | None = None,
) -> None:
    """Stores two vectors interleaved.

        if mask[i]: UB[address + 2i], UB[address + 2i + 1] = low[i], high[i]

    low: !pto.vreg<NxT>; goes to the even places
    high: !pto.vreg<NxT>; goes to the odd places
    dest: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    dist: what is interleaved; INTLV_B8, INTLV_B16, INTLV_B32, INTLV
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.vstsx2(low, high, dest, offset, "INTLV_B8", mask)
    """

def vsst(
    value: Vector[T],
    dest: Pointer[T],
    offset: Integer | int,
    stride: Literal["STRIDE_S3_B16", "STRIDE_S4_B64", "STRIDE_S8_B32", "STRIDE_S2_B64"],
) -> None:
    """Stores a vector with a fixed stride between elements.

        UB[address + stride*i] = value[i]

    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    stride: elements from lane to lane, and their width; STRIDE_S3_B16, STRIDE_S4_B64,
        STRIDE_S8_B32, STRIDE_S2_B64
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.vsst(value, dest, offset, "STRIDE_S3_B16")
    """

@overload
def vsldb(
    source: Pointer[T],
    block_stride: Integer | int,
    repeat_stride: Integer | int,
    mask: Mask | None = None,
) -> Vector[T]:
    """Loads eight 32-byte blocks that lie a stride apart.

        block i of result = mask[i] ? 32 bytes at source + 32*(repeat + i*block) : 0

    source: !pto.ptr<T, ub>; UB base address
    block_stride: i16; 32-byte blocks from block to block
    repeat_stride: i16; 32-byte blocks before the first
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    control: i32; block stride in the upper 16 bits, repeat stride in the lower
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vsldb(source, block_stride, repeat_stride, mask)
        result = pto.vsldb(source, control, mask)
        result, updated = pto.vsldb(source, block_stride, repeat_stride, mask, update=True)
    """
@overload
def vsldb(source: Pointer[T], control: Integer | int, mask: Mask | None = None) -> Vector[T]: ...
@overload
def vsldb(
    source: Pointer[T],
    block_stride: Integer | int,
    repeat_stride: Integer | int,
    mask: Mask | None = None,
    *,
    update: Literal[True],
) -> tuple[Vector[T], Pointer[T]]: ...

@overload
def vgather2(source: Pointer[T], offsets: Vector[Any], mask: Mask | None = None) -> Vector[T]:
    """Gathers elements by index.

        result[i] = active(i) ? UB[source + offsets[i]*size] : 0

    source: !pto.ptr<T, ub>; UB base address
    offsets: !pto.vreg<NxI>; one index per lane, in elements
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    active_lanes: index; how many of the first lanes take part
    offsets: !pto.vreg<128xi16> or !pto.vreg<128xsi16> or !pto.vreg<128xui16>; 128 indices, in
        bytes
    mask: !pto.mask<b16>; one bit per index; left out: all lanes
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a2a3, a5.

        result = pto.vgather2(source, offsets, mask)
        result = pto.vgather2(source, offsets, active_lanes)
        result = pto.vgather2(source, offsets, mask)
    """
@overload
def vgather2(source: Pointer[T], offsets: Vector[Any], active_lanes: Integer | int) -> Vector[T]: ...
@overload
def vgather2(
    source: Pointer[Any],
    offsets: Vector[i16] | Vector[si16] | Vector[ui16],
    mask: Mask | None = None,
) -> Vector[Any]: ...
@overload
def vgather2(
    source: Pointer[Any],
    offsets: Vector[i16] | Vector[si16] | Vector[ui16],
    mask: Mask | None = None,
    *,
    dtype: type[U],
) -> Vector[U]: ...

@overload
def vgatherb(
    source: Pointer[T],
    offsets: Vector[i32] | Vector[si32] | Vector[ui32],
    mask: Mask | None = None,
) -> Vector[T]:
    """Gathers eight 32-byte blocks by their byte offsets.

        block i of result = active(i) ? 32 bytes at source + offsets[i] : 0

    source: !pto.ptr<T, ub>; UB base address
    offsets: !pto.vreg<64xi32> or !pto.vreg<64xsi32> or !pto.vreg<64xui32>; byte offsets
    mask: !pto.mask<b32>; which blocks take part: lane i for block i; left out: all lanes
    active_lanes: index; how many of the first lanes take part
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vgatherb(source, offsets, mask)
        result = pto.vgatherb(source, offsets, active_lanes)
    """
@overload
def vgatherb(
    source: Pointer[T],
    offsets: Vector[i32] | Vector[si32] | Vector[ui32],
    active_lanes: Integer | int,
) -> Vector[T]: ...

@overload
def vgather2_bc(source: Pointer[T], offsets: Vector[Any], mask: Mask | None = None) -> Vector[T]:
    """Gathers elements by index; kept for older kernels.

        result[i] = active(i) ? UB[source + offsets[i]*size] : 0

    source: !pto.ptr<T, ub>; UB base address
    offsets: !pto.vreg<NxI>; one index per lane, in elements
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    active_lanes: index; how many of the first lanes take part
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a2a3, a5.

        result = pto.vgather2_bc(source, offsets, mask)
        result = pto.vgather2_bc(source, offsets, active_lanes)
    """
@overload
def vgather2_bc(source: Pointer[T], offsets: Vector[Any], active_lanes: Integer | int) -> Vector[T]: ...

@overload
def vsstb(
    value: Vector[T],
    dest: Pointer[T],
    block_stride: Integer | int,
    repeat_stride: Integer | int,
    mask: Mask | None = None,
) -> None:
    """Stores eight 32-byte blocks a stride apart.

        if mask[i]: 32 bytes at dest + 32*(repeat + i*block) = block i of value

    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    block_stride: i16; 32-byte blocks from block to block
    repeat_stride: i16; 32-byte blocks before the first
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    control: i32; block stride in the upper 16 bits, repeat stride in the lower
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.vsstb(value, dest, block_stride, repeat_stride, mask)
        pto.vsstb(value, dest, control, mask)
        updated = pto.vsstb(value, dest, block_stride, repeat_stride, mask, update=True)
    """
@overload
def vsstb(
    value: Vector[T],
    dest: Pointer[T],
    control: Integer | int,
    mask: Mask | None = None,
) -> None: ...
@overload
def vsstb(
    value: Vector[T],
    dest: Pointer[T],
    block_stride: Integer | int,
    repeat_stride: Integer | int,
    mask: Mask | None = None,
    *,
    update: Literal[True],
) -> Pointer[T]: ...

@overload
def vscatter(
    value: Vector[T],
    dest: Pointer[T],
    offsets: Vector[Any] | Vector[i16] | Vector[si16] | Vector[ui16],
    mask: Mask | None = None,
) -> None:
    """Stores lanes to indexed elements.

        if active(i): UB[dest + offsets[i]*size] = value[i]

    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    offsets: !pto.vreg<NxI>; one index per lane, in elements
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    active_lanes: index; how many of the first lanes take part
    offsets: !pto.vreg<128xi16> or !pto.vreg<128xsi16> or !pto.vreg<128xui16>; 128 indices, in
        bytes
    mask: !pto.mask<b16>; one bit per index; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a2a3, a5.

        pto.vscatter(value, dest, offsets, mask)
        pto.vscatter(value, dest, offsets, active_lanes)
        pto.vscatter(value, dest, offsets, mask)
    """
@overload
def vscatter(
    value: Vector[T],
    dest: Pointer[T],
    offsets: Vector[Any],
    active_lanes: Integer | int,
) -> None: ...

def vldas(source: Pointer[Any]) -> Align:
    """Primes an unaligned load stream with the block around an address.

        result = the 32-byte block around source

    source: !pto.ptr<T, ub>; UB base address
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vldas(source)
    """

@overload
def vldus(
    source: Pointer[T],
    align: Align,
    *,
    update: Literal[True],
) -> tuple[Vector[T], Align, Pointer[T]]:
    """Loads a vector from an unaligned address.

        result[i] = UB[source + i*size], its first block as the state holds it; base_out =
        source + 256 bytes, or + increment*size

    source: !pto.ptr<T, ub>; UB base address
    align: !pto.align; primed by vldas or an earlier vldus
    update: True gives the address after the access, too
    increment: index; elements that the base advances
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result, align_out, base_out = pto.vldus(source, align, update=True)
        result, align_out = pto.vldus(source, align)
        result, align_out, base_out = pto.vldus(source, align, increment)
    """
@overload
def vldus(source: Pointer[T], align: Align) -> tuple[Vector[T], Align]: ...
@overload
def vldus(
    source: Pointer[T],
    align: Align,
    increment: Integer | int,
) -> tuple[Vector[T], Align, Pointer[T]]: ...

def uvld(source: Pointer[T], offset: Integer | int) -> Vector[T]:
    """Loads a vector from any address: a stream of one load.

        result[i] = UB[source + (offset + i)*size]

    source: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in elements
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.uvld(source, offset)
    """

def init_align() -> Align:
    """Begins an unaligned store stream.

        result = a stream without bytes
    Targets: a5.

        result = pto.init_align()
    """

@overload
def vstu(
    align_in: Align,
    base_in: Pointer[T],
    value: Vector[T],
    dest: Pointer[T],
    mode: Integer | int,
) -> tuple[Align, Pointer[T]]:
    """Appends a vector to an unaligned store stream.

        append value at base_in, or at base + offset_in*size; advance by 256 bytes

    align_in: !pto.align; the stream so far
    base_in: !pto.ptr<T, ub>; where the stream goes on
    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    mode: index; 1 to advance the base, 0 not to
    offset_in: index; in elements
    base: !pto.ptr<T, ub>; UB base address
    mode: whether the position advances; POST_UPDATE, NO_POST_UPDATE
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        align_out, base_out = pto.vstu(align_in, base_in, value, dest, mode)
        align_out, offset_out = pto.vstu(align_in, offset_in, value, base, "POST_UPDATE")
        align_out, offset_out = pto.vstu(align_in, offset_in, value, base)
    """
@overload
def vstu(
    align_in: Align,
    offset_in: Integer | int,
    value: Vector[T],
    base: Pointer[T],
    mode: Literal["POST_UPDATE", "NO_POST_UPDATE"],
) -> tuple[Align, index]: ...
@overload
def vstu(
    align_in: Align,
    offset_in: Integer | int,
    value: Vector[T],
    base: Pointer[T],
) -> tuple[Align, index]: ...

@overload
def vstus(
    align_in: Align,
    base_in: Pointer[T],
    value: Vector[T],
    dest: Pointer[T],
    offset: Integer | int,
) -> tuple[Align, Pointer[T]]:
    """Appends to an unaligned store stream with a scalar offset.

        append value at base + offset*size; base_out after it

    align_in: !pto.align; the stream so far
    base_in: !pto.ptr<T, ub>; where the stream goes on
    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    offset: i32; scalar displacement, in elements
    base: !pto.ptr<T, ub>; UB base address
    mode: whether the position advances; POST_UPDATE, NO_POST_UPDATE
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        align_out, base_out = pto.vstus(align_in, base_in, value, dest, offset)
        align_out, base_out = pto.vstus(align_in, offset, value, base, "POST_UPDATE")
        align_out = pto.vstus(align_in, offset, value, base)
        align_out, base_out = pto.vstus(align_in, offset, value, base, update=True)
    """
@overload
def vstus(
    align_in: Align,
    offset: Integer | int,
    value: Vector[T],
    base: Pointer[T],
    mode: Literal["POST_UPDATE", "NO_POST_UPDATE"],
) -> tuple[Align, Pointer[T]]: ...
@overload
def vstus(align_in: Align, offset: Integer | int, value: Vector[T], base: Pointer[T]) -> Align: ...
@overload
def vstus(
    align_in: Align,
    offset: Integer | int,
    value: Vector[T],
    base: Pointer[T],
    *,
    update: Literal[True],
) -> tuple[Align, Pointer[T]]: ...

@overload
def vstur(
    align_in: Align,
    value: Vector[T],
    base: Pointer[T],
    mode: Literal["POST_UPDATE", "NO_POST_UPDATE"],
) -> Align:
    """Appends to an unaligned store stream whose position is kept by the machine.

        append value where the stream ended, first at base

    align_in: !pto.align; the stream so far
    value: !pto.vreg<NxT>; the source vector
    base: !pto.ptr<T, ub>; UB base address
    mode: whether the position advances; POST_UPDATE, NO_POST_UPDATE
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        align_out = pto.vstur(align_in, value, base, "POST_UPDATE")
        align_out = pto.vstur(align_in, value, base)
    """
@overload
def vstur(align_in: Align, value: Vector[T], base: Pointer[T]) -> Align: ...

def vsta(value: Align, dest: Pointer[Any], offset: Integer | int) -> None:
    """Flushes an unaligned store stream at dest + offset elements.

        write the bytes left, ending at dest + offset*size

    value: !pto.align; the stream
    dest: !pto.ptr<T, ub>; UB base address
    offset: index; in elements
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.vsta(value, dest, offset)
    """

@overload
def vstas(value: Align, dest: Pointer[Any], offset: Integer | int) -> None:
    """Flushes an unaligned store stream at a scalar offset.

        write the bytes left, ending at dest + offset

    value: !pto.align; the stream
    dest: !pto.ptr<T, ub>; UB base address
    offset: i32
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.vstas(value, dest, offset)
        base_out = pto.vstas(value, dest, offset, update=True)
    """
@overload
def vstas(
    value: Align,
    dest: Pointer[T],
    offset: Integer | int,
    *,
    update: Literal[True],
) -> Pointer[T]: ...

def vstar(value: Align, dest: Pointer[Any]) -> None:
    """Flushes an unaligned store stream where it ended.

        write the bytes left

    value: !pto.align; the stream
    dest: !pto.ptr<T, ub>; UB base address
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.vstar(value, dest)
    """

def sprclr(register: Literal["AR", "SQZN"]) -> None:
    """Clears a special register: AR, the position of vstur, or SQZN, the count of vsqz.

        register = 0

    register: which one; AR, SQZN
    Targets: a5.

        pto.sprclr("AR")
    """

@overload
def sprsti(register: Literal["AR"], dest: Pointer[Any], offset: Integer | int) -> None:
    """Stores the position of a stream to UB, at an offset that the instruction holds.

        UB[dest + 4 * offset] = AR, 4 bytes

    register: which one; AR
    dest: !pto.ptr<T, ub>; UB base address
    offset: i32; -128 to 127 words
    update: True gives the address after the access, too
    T: ui32, i32
    Targets: a5.

        pto.sprsti("AR", dest, offset)
        updated = pto.sprsti("AR", dest, offset, update=True)
    """
@overload
def sprsti(
    register: Literal["AR"],
    dest: Pointer[T],
    offset: Integer | int,
    *,
    update: Literal[True],
) -> Pointer[T]: ...

@overload
def sprsts(register: Literal["AR"], dest: Pointer[Any], offset: Integer | int) -> None:
    """Stores the position of a stream to UB.

        UB[dest + offset] = AR, 4 bytes

    register: which one; AR
    dest: !pto.ptr<T, ub>; UB base address
    offset: i32; displacement in bytes
    update: True gives the address after the access, too
    T: ui32, i32
    Targets: a5.

        pto.sprsts("AR", dest, offset)
        updated = pto.sprsts("AR", dest, offset, update=True)
    """
@overload
def sprsts(
    register: Literal["AR"],
    dest: Pointer[T],
    offset: Integer | int,
    *,
    update: Literal[True],
) -> Pointer[T]: ...

def pld(ub_ptr: Pointer[Any], areg: Integer | int, dist: Literal["NORM", "US", "DS"]) -> Mask:
    """Loads a mask from one 64-bit word at a register-relative address.

        mask[i] = bit i (NORM), i/2 (US), 2i (DS) of the words at ub_ptr + 8*areg

    ub_ptr: !pto.ptr<T, ub>; UB base address
    areg: i32; how many 8-byte words after the base
    dist: how bits are spread; NORM, US, DS
    T: i64
    Targets: cpu, a2a3, a5.

        mask = pto.pld(ub_ptr, areg, "NORM")
    """

@overload
def plds(
    source: Pointer[Any],
    offset: Integer | int,
    dist: Literal["NORM", "US", "DS"],
    *,
    dtype: type[Element],
) -> Mask:
    """Loads the predicate register, at an offset known when it runs.

        result bit i = UB bit i (NORM), i/2 (US), 2i (DS); of a word, lane i for bit i

    source: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in bytes
    dist: how bits are spread; NORM, US, DS
    dtype: the element type of the result, as in pto.f32
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.plds(source, offset, "NORM", dtype=pto.f32)
        result, updated = pto.plds(source, offset, "NORM", update=True, dtype=pto.f32)
    """
@overload
def plds(
    source: Pointer[T],
    offset: Integer | int,
    dist: Literal["NORM", "US", "DS"],
    *,
    update: Literal[True],
    dtype: type[Element],
) -> tuple[Mask, Pointer[T]]: ...

@overload
def pldi(
    source: Pointer[Any],
    offset: Integer | int,
    dist: Literal["NORM", "US", "DS"],
    *,
    dtype: type[Element],
) -> Mask:
    """Loads the predicate register, at a constant offset.

        result bit i = UB bit i (NORM), i/2 (US), 2i (DS); of a word, lane i for bit i

    source: !pto.ptr<T, ub>; UB base address
    offset: index; displacement, a constant, in 32 bytes with NORM, 16 bytes with US, 32 bytes
        with DS
    dist: how bits are spread; NORM, US, DS
    dtype: the element type of the result, as in pto.f32
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.pldi(source, offset, "NORM", dtype=pto.f32)
        result, updated = pto.pldi(source, offset, "NORM", update=True, dtype=pto.f32)
    """
@overload
def pldi(
    source: Pointer[T],
    offset: Integer | int,
    dist: Literal["NORM", "US", "DS"],
    *,
    update: Literal[True],
    dtype: type[Element],
) -> tuple[Mask, Pointer[T]]: ...

def pst(mask: Mask, ub_ptr: Pointer[Any], areg: Integer | int, dist: Literal["NORM", "PK"]) -> None:
    """Stores a mask as one 64-bit word at a register-relative address.

        64-bit word at ub_ptr + 8*areg: bit i = mask[i]

    mask: !pto.mask<b32>; 64 lanes: one word
    ub_ptr: !pto.ptr<T, ub>; UB base address
    areg: i32; how many 8-byte words after the base
    dist: NORM, or PK where the target has it; NORM, PK
    T: i64
    Targets: cpu, a2a3, a5.

        pto.pst(mask, ub_ptr, areg, "NORM")
    """

@overload
def psts(
    value: Mask,
    dest: Pointer[Any],
    offset: Integer | int,
    dist: Literal["NORM", "PK"],
) -> None:
    """Stores the predicate register, at an offset known when it runs.

        UB bit i = value bit i (NORM), 2i (PK); of a word, bit i = lane i

    value: !pto.mask<G>
    dest: !pto.ptr<T, ub>; UB base address
    offset: index; displacement in bytes
    dist: how bits are packed; NORM, PK
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.psts(value, dest, offset, "NORM")
        updated = pto.psts(value, dest, offset, "NORM", update=True)
    """
@overload
def psts(
    value: Mask,
    dest: Pointer[T],
    offset: Integer | int,
    dist: Literal["NORM", "PK"],
    *,
    update: Literal[True],
) -> Pointer[T]: ...

@overload
def psti(
    value: Mask,
    dest: Pointer[Any],
    offset: Integer | int,
    dist: Literal["NORM", "PK"],
) -> None:
    """Stores the predicate register, at a constant offset.

        UB bit i = value bit i (NORM), 2i (PK); of a word, bit i = lane i

    value: !pto.mask<G>
    dest: !pto.ptr<T, ub>; UB base address
    offset: index; displacement, a constant, in 32 bytes with NORM, 16 bytes with PK
    dist: how bits are packed; NORM, PK
    update: True gives the address after the access, too
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.psti(value, dest, offset, "NORM")
        updated = pto.psti(value, dest, offset, "NORM", update=True)
    """
@overload
def psti(
    value: Mask,
    dest: Pointer[T],
    offset: Integer | int,
    dist: Literal["NORM", "PK"],
    *,
    update: Literal[True],
) -> Pointer[T]: ...

def pstu(align_in: Align, value: Mask, base: Pointer[T]) -> tuple[Align, Pointer[T]]:
    """Appends the lanes of a mask, one bit each, to an unaligned stream.

        append value's lanes as bits at base; base_out = base + lanes/8 bytes

    align_in: !pto.align; the stream so far
    value: !pto.mask<b16>
    base: !pto.ptr<T, ub>; where the stream goes on
    value: !pto.mask<b32>
    T: ui16, ui32
    Targets: a5.

        align_out, base_out = pto.pstu(align_in, value, base)
        align_out, base_out = pto.pstu(align_in, value, base)
    """

@overload
def vag(s0: Integer | int, *, dtype: type[Element]) -> VectorAddress:
    """Makes a vector address from the iterations of the loops around it.

        addr = s0*i0 + s1*i1 + s2*i2 + s3*i3, of the iterations i0 (innermost) to i3

    s0: i32; bytes an iteration of the innermost loop
    dtype: the element type of the result, as in pto.f32
    s1: i32; bytes an iteration of the next one
    s2: i32; bytes an iteration of the third
    s3: i32; bytes an iteration of the fourth
    Targets: a5.

        addr = pto.vag(s0, dtype=pto.f32)
        addr = pto.vag(s0, s1, dtype=pto.f32)
        addr = pto.vag(s0, s1, s2, dtype=pto.f32)
        addr = pto.vag(s0, s1, s2, s3, dtype=pto.f32)
    """
@overload
def vag(s0: Integer | int, s1: Integer | int, *, dtype: type[Element]) -> VectorAddress: ...
@overload
def vag(
    s0: Integer | int,
    s1: Integer | int,
    s2: Integer | int,
    *,
    dtype: type[Element],
) -> VectorAddress: ...
@overload
def vag(
    s0: Integer | int,
    s1: Integer | int,
    s2: Integer | int,
    s3: Integer | int,
    *,
    dtype: type[Element],
) -> VectorAddress: ...

@overload
def vald(
    source: Pointer[T],
    addr: VectorAddress,
    *,
    dist: Literal["NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "BLK", "BRC_BLK", "E2B_B16", "E2B_B32"] = "NORM",
) -> Vector[T]:
    """Loads a vector at a vector address, distributed over the lanes by a mode.

        result[i] = UB[source + addr + map(i)], see the modes of vlds

    source: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    dist: how memory maps to lanes; NORM, BRC_B8, BRC_B16, BRC_B32, US_B8, US_B16, DS_B8,
        DS_B16, UNPK_B8, UNPK_B16, UNPK_B32, UNPK4, SPLT4CHN, SPLT4CHN_B8, SPLT2CHN_B8,
        SPLT2CHN_B16, DINTLV_B32, BLK, BRC_BLK, E2B_B16, E2B_B32; NORM unless said
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        result = pto.vald(source, addr)
    """
@overload
def vald(
    source: Pointer[T],
    addr: VectorAddress,
    *,
    dist: Literal["NORM", "BRC_B8", "BRC_B16", "BRC_B32", "US_B8", "US_B16", "DS_B8", "DS_B16", "UNPK_B8", "UNPK_B16", "UNPK_B32", "UNPK4", "SPLT4CHN", "SPLT4CHN_B8", "SPLT2CHN_B8", "SPLT2CHN_B16", "DINTLV_B32", "BLK", "BRC_BLK", "E2B_B16", "E2B_B32"] = "NORM",
    dtype: type[U],
) -> Vector[U]: ...

def valdx2(
    source: Pointer[T],
    addr: VectorAddress,
    dist: Literal["DINTLV_B8", "DINTLV_B16", "DINTLV_B32", "BDINTLV"],
) -> tuple[Vector[T], Vector[T]]:
    """Loads two vectors at a vector address, taking interleaved elements or blocks apart.

        low[i], high[i] = UB[source + addr + 2i], UB[source + addr + 2i + 1]

    source: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    dist: what is taken apart; DINTLV_B8, DINTLV_B16, DINTLV_B32, BDINTLV
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        low, high = pto.valdx2(source, addr, "DINTLV_B8")
    """

def vast(
    value: Vector[T],
    dest: Pointer[T],
    addr: VectorAddress,
    mask: Mask | None = None,
    *,
    dist: Literal["NORM", "NORM_B8", "NORM_B16", "NORM_B32", "1PT_B8", "1PT_B16", "1PT_B32", "PK_B16", "PK_B32", "PK_B64", "PK4_B32", "MRG4CHN_B8", "MRG2CHN_B8", "MRG2CHN_B16"] = "NORM",
) -> None:
    """Stores the active lanes of a vector at a vector address, placed by a mode.

        if mask[i]: UB[dest + addr + map(i)] = value[i], see the modes of vsts

    value: !pto.vreg<NxT>; the source vector
    dest: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    mask: !pto.mask<G>; which lanes are stored; left out: all lanes
    dist: how lanes map to memory; NORM, NORM_B8, NORM_B16, NORM_B32, 1PT_B8, 1PT_B16, 1PT_B32,
        PK_B16, PK_B32, PK_B64, PK4_B32, MRG4CHN_B8, MRG2CHN_B8, MRG2CHN_B16; NORM unless said
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.vast(value, dest, addr, mask)
    """

def vastx2(
    low: Vector[T],
    high: Vector[T],
    dest: Pointer[T],
    addr: VectorAddress,
    dist: Literal["INTLV_B8", "INTLV_B16", "INTLV_B32", "INTLV"],
    mask: Mask | None = None,
) -> None:
    """Stores two vectors interleaved, at a vector address.

        UB[dest + addr + 2i], UB[dest + addr + 2i + 1] = low[i], high[i], as vstsx2

    low: !pto.vreg<NxT>; goes to the even places
    high: !pto.vreg<NxT>; goes to the odd places
    dest: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    dist: what is interleaved; INTLV_B8, INTLV_B16, INTLV_B32, INTLV
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.vastx2(low, high, dest, addr, "INTLV_B8", mask)
    """

def pald(
    source: Pointer[Any],
    addr: VectorAddress,
    dist: Literal["NORM", "US", "DS"],
    *,
    dtype: type[Element],
) -> Mask:
    """Loads the predicate register at a vector address.

        result bit i = UB bit i (NORM), i/2 (US), 2i (DS) at source + addr

    source: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    dist: how bits are spread; NORM, US, DS
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        result = pto.pald(source, addr, "NORM", dtype=pto.f32)
    """

def past(value: Mask, dest: Pointer[Any], addr: VectorAddress, dist: Literal["NORM", "PK"]) -> None:
    """Stores the predicate register at a vector address.

        UB bit i at dest + addr = value bit i (NORM), 2i (PK)

    value: !pto.mask<G>
    dest: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    dist: how bits are packed; NORM, PK
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.past(value, dest, addr, "NORM")
    """

def valda(source: Pointer[Any], addr: VectorAddress) -> Align:
    """Primes an unaligned load stream with the block around a vector address.

        align = the 32-byte block around source + addr

    source: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        align = pto.valda(source, addr)
    """

def valdu(
    source: Pointer[T],
    addr_in: VectorAddress,
    align_in: Align,
    inc: Integer | int,
) -> tuple[Vector[T], Align, VectorAddress]:
    """Loads a vector from an unaligned vector address.

        result[i] = UB[source + addr_in + i*size], its first block as the state holds it;
        addr_out = addr_in + inc

    source: !pto.ptr<T, ub>; UB base address
    addr_in: !pto.vaddr<b8, b16 or b32>; bytes from the base; of one stream only
    align_in: !pto.align; the stream so far
    inc: i32; bytes to the next address
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        result, align_out, addr_out = pto.valdu(source, addr_in, align_in, inc)
    """

def vastu(
    align_in: Align,
    addr_in: VectorAddress,
    value: Vector[T],
    base: Pointer[T],
    mode: Literal["POST_UPDATE"],
) -> tuple[Align, VectorAddress]:
    """Appends a vector to an unaligned store stream, at a vector address.

        append value at base + addr_in; addr_out = addr_in + 256

    align_in: !pto.align; the stream so far
    addr_in: !pto.vaddr<b8, b16 or b32>; bytes from the base; of one stream only
    value: !pto.vreg<NxT>; the source vector
    base: !pto.ptr<T, ub>; UB base address
    mode: the address advances; POST_UPDATE
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        align_out, addr_out = pto.vastu(align_in, addr_in, value, base, "POST_UPDATE")
    """

def vasta(align: Align, base: Pointer[Any], addr: VectorAddress) -> None:
    """Flushes an unaligned store stream at a vector address.

        write the bytes left, ending at base + addr

    align: !pto.align; the stream
    base: !pto.ptr<T, ub>; UB base address
    addr: !pto.vaddr<b8, b16 or b32>; bytes from the base
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.vasta(align, base, addr)
    """

def pset_b8(
    pattern: Literal["PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64", "PAT_VL128", "PAT_M3", "PAT_M4"] | str,
) -> Mask:
    """Makes a predicate from a pattern.

        result[i] = pattern activates lane i

    pattern: which lanes are active; PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_VL1, PAT_VL2, PAT_VL3,
        PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128, PAT_M3, PAT_M4
    Targets: cpu, a2a3, a5.

        result = pto.pset_b8("PAT_ALL")
    """

def pset_b16(
    pattern: Literal["PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64", "PAT_VL128", "PAT_M3", "PAT_M4"] | str,
) -> Mask:
    """Makes a predicate from a pattern.

        result[i] = pattern activates lane i

    pattern: which lanes are active; PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_VL1, PAT_VL2, PAT_VL3,
        PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128, PAT_M3, PAT_M4
    Targets: cpu, a2a3, a5.

        result = pto.pset_b16("PAT_ALL")
    """

def pset_b32(
    pattern: Literal["PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64", "PAT_VL128", "PAT_M3", "PAT_M4"] | str,
) -> Mask:
    """Makes a predicate from a pattern.

        result[i] = pattern activates lane i

    pattern: which lanes are active; PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_VL1, PAT_VL2, PAT_VL3,
        PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128, PAT_M3, PAT_M4
    Targets: cpu, a2a3, a5.

        result = pto.pset_b32("PAT_ALL")
    """

def pge_b8(
    pattern: Literal["PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64", "PAT_VL128", "PAT_M3", "PAT_M4"] | str,
) -> Mask:
    """Makes a predicate from a lane-count pattern.

        result[i] = pattern activates lane i

    pattern: which lanes are active; PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_VL1, PAT_VL2, PAT_VL3,
        PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128, PAT_M3, PAT_M4
    Targets: cpu, a2a3, a5.

        result = pto.pge_b8("PAT_ALL")
    """

def pge_b16(
    pattern: Literal["PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64", "PAT_VL128", "PAT_M3", "PAT_M4"] | str,
) -> Mask:
    """Makes a predicate from a lane-count pattern.

        result[i] = pattern activates lane i

    pattern: which lanes are active; PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_VL1, PAT_VL2, PAT_VL3,
        PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128, PAT_M3, PAT_M4
    Targets: cpu, a2a3, a5.

        result = pto.pge_b16("PAT_ALL")
    """

def pge_b32(
    pattern: Literal["PAT_ALL", "PAT_ALLF", "PAT_H", "PAT_Q", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64", "PAT_VL128", "PAT_M3", "PAT_M4"] | str,
) -> Mask:
    """Makes a predicate from a lane-count pattern.

        result[i] = pattern activates lane i

    pattern: which lanes are active; PAT_ALL, PAT_ALLF, PAT_H, PAT_Q, PAT_VL1, PAT_VL2, PAT_VL3,
        PAT_VL4, PAT_VL8, PAT_VL16, PAT_VL32, PAT_VL64, PAT_VL128, PAT_M3, PAT_M4
    Targets: cpu, a2a3, a5.

        result = pto.pge_b32("PAT_ALL")
    """

def plt_b8(scalar: Integer | int, *, post_update: bool = True) -> tuple[Mask, i32]:
    """Activates the first `scalar` of 256 lanes and counts them off.

        mask[i] = i < scalar; rest = max(scalar - 256, 0)

    scalar: i32; how many lanes remain
    post_update: the only form there is: it counts off; 1 to 1; 1 unless said
    Targets: cpu, a2a3, a5.

        mask, rest = pto.plt_b8(scalar)
    """

def plt_b16(scalar: Integer | int, *, post_update: bool = True) -> tuple[Mask, i32]:
    """Activates the first `scalar` of 128 lanes and counts them off.

        mask[i] = i < scalar; rest = max(scalar - 128, 0)

    scalar: i32; how many lanes remain
    post_update: the only form there is: it counts off; 1 to 1; 1 unless said
    Targets: cpu, a2a3, a5.

        mask, rest = pto.plt_b16(scalar)
    """

def plt_b32(scalar: Integer | int, *, post_update: bool = True) -> tuple[Mask, i32]:
    """Activates the first `scalar` of 64 lanes and counts them off.

        mask[i] = i < scalar; rest = max(scalar - 64, 0)

    scalar: i32; how many lanes remain
    post_update: the only form there is: it counts off; 1 to 1; 1 unless said
    Targets: cpu, a2a3, a5.

        mask, rest = pto.plt_b32(scalar)
    """

def pand(src0: Mask, src1: Mask, mask: Mask | None = None) -> Mask:
    """Lane-wise AND of masks.

        result[i] = mask[i] && (src0[i] && src1[i])

    src0: !pto.mask<G>
    src1: !pto.mask<G>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    Targets: cpu, a2a3, a5.

        result = pto.pand(src0, src1, mask)
    """

def por(src0: Mask, src1: Mask, mask: Mask | None = None) -> Mask:
    """Lane-wise OR of masks.

        result[i] = mask[i] && (src0[i] || src1[i])

    src0: !pto.mask<G>
    src1: !pto.mask<G>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    Targets: cpu, a2a3, a5.

        result = pto.por(src0, src1, mask)
    """

def pxor(src0: Mask, src1: Mask, mask: Mask | None = None) -> Mask:
    """Lane-wise exclusive OR.

        result[i] = mask[i] && (src0[i] != src1[i])

    src0: !pto.mask<G>
    src1: !pto.mask<G>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    Targets: cpu, a2a3, a5.

        result = pto.pxor(src0, src1, mask)
    """

def pnot(input: Mask, mask: Mask | None = None) -> Mask:
    """Lane-wise negation of a mask.

        result[i] = mask[i] && (!input[i])

    input: !pto.mask<G>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    Targets: cpu, a2a3, a5.

        result = pto.pnot(input, mask)
    """

@overload
def psel(src0: Mask, src1: Mask, sel: Mask) -> Mask:
    """Selects lanes of two masks by a third.

        result[i] = mask[i] && (sel[i] ? src0[i] : src1[i])

    src0: !pto.mask<G>; taken where sel is set
    src1: !pto.mask<G>; taken elsewhere
    sel: !pto.mask<G>; chooses
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    Targets: cpu, a2a3, a5.

        result = pto.psel(src0, src1, sel)
        result = pto.psel(src0, src1, sel, mask)
    """
@overload
def psel(src0: Mask, src1: Mask, sel: Mask, mask: Mask | None = None) -> Mask: ...

def ppack(input: Mask, part: Literal["LOWER", "HIGHER"], *, dtype: type[Element]) -> Mask:
    """Keeps every second bit of the predicate register, packed into one half.

        result bit (part*128 + i) = input bit 2i; the other half 0

    input: !pto.mask<G>
    part: which half; LOWER, HIGHER
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.ppack(input, "LOWER", dtype=pto.f32)
    """

def punpack(input: Mask, part: Literal["LOWER", "HIGHER"], *, dtype: type[Element]) -> Mask:
    """Spreads one half of the predicate register to every second bit.

        result bit 2i = input bit (part*128 + i); odd bits 0

    input: !pto.mask<G>
    part: which half; LOWER, HIGHER
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.punpack(input, "LOWER", dtype=pto.f32)
    """

def pintlv_b8(src0: Mask, src1: Mask) -> tuple[Mask, Mask]:
    """Interleaves two masks.

        low, high = halves of src0[0], src1[0], src0[1], ...

    src0: !pto.mask<b8>
    src1: !pto.mask<b8>
    Targets: cpu, a2a3, a5.

        low, high = pto.pintlv_b8(src0, src1)
    """

def pintlv_b16(src0: Mask, src1: Mask) -> tuple[Mask, Mask]:
    """Interleaves two masks.

        low, high = halves of src0[0], src1[0], src0[1], ...

    src0: !pto.mask<b16>
    src1: !pto.mask<b16>
    Targets: cpu, a2a3, a5.

        low, high = pto.pintlv_b16(src0, src1)
    """

def pintlv_b32(src0: Mask, src1: Mask) -> tuple[Mask, Mask]:
    """Interleaves two masks.

        low, high = halves of src0[0], src1[0], src0[1], ...

    src0: !pto.mask<b32>
    src1: !pto.mask<b32>
    Targets: cpu, a2a3, a5.

        low, high = pto.pintlv_b32(src0, src1)
    """

def pdintlv_b8(src0: Mask, src1: Mask) -> tuple[Mask, Mask]:
    """Separates even and odd lanes of two masks taken as one stream.

        low = even lanes of src0 ++ src1; high = odd lanes

    src0: !pto.mask<b8>
    src1: !pto.mask<b8>
    Targets: cpu, a2a3, a5.

        low, high = pto.pdintlv_b8(src0, src1)
    """

def pdintlv_b16(src0: Mask, src1: Mask) -> tuple[Mask, Mask]:
    """Separates even and odd lanes of two masks taken as one stream.

        low = even lanes of src0 ++ src1; high = odd lanes

    src0: !pto.mask<b16>
    src1: !pto.mask<b16>
    Targets: cpu, a2a3, a5.

        low, high = pto.pdintlv_b16(src0, src1)
    """

def pdintlv_b32(src0: Mask, src1: Mask) -> tuple[Mask, Mask]:
    """Separates even and odd lanes of two masks taken as one stream.

        low = even lanes of src0 ++ src1; high = odd lanes

    src0: !pto.mask<b32>
    src1: !pto.mask<b32>
    Targets: cpu, a2a3, a5.

        low, high = pto.pdintlv_b32(src0, src1)
    """

def pbitcast(input: Mask, *, dtype: type[Element]) -> Mask:
    """Sees the same predicate register with another granularity.

        result = input

    input: !pto.mask<G>
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.pbitcast(input, dtype=pto.f32)
    """

@overload
def vbr(value: T) -> Vector[T]:
    """Broadcasts a scalar to all lanes.

        result[i] = value

    value: T; the scalar
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vbr(value)
    """
@overload
def vbr(value: float) -> Vector[f32]: ...
@overload
def vbr(value: Scalar | float, *, dtype: type[T]) -> Vector[T]: ...

@overload
def vdup(
    input: T | Vector[T],
    mask: Mask | None = None,
    *,
    position: Literal["LOWEST", "HIGHEST"] = "LOWEST",
) -> Vector[T]:
    """Duplicates a scalar, or the lowest or highest lane of a vector, to all active lanes.

        result[i] = mask[i] ? input (its lowest or highest lane) : 0

    input: T; the scalar
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    position: which lane of a vector is duplicated; LOWEST, HIGHEST; LOWEST unless said
    dtype: the element type of the result, as in pto.f32
    input: !pto.vreg<NxT>; the vector whose lane is duplicated
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vdup(input, mask)
        result = pto.vdup(input, mask)
    """
@overload
def vdup(
    input: float,
    mask: Mask | None = None,
    *,
    position: Literal["LOWEST", "HIGHEST"] = "LOWEST",
) -> Vector[f32]: ...
@overload
def vdup(
    input: Scalar | float,
    mask: Mask | None = None,
    *,
    position: Literal["LOWEST", "HIGHEST"] = "LOWEST",
    dtype: type[T],
) -> Vector[T]: ...

def vabs(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise absolute value.

        result[i] = mask[i] ? |input[i]| : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vabs(input, mask)
    """

def vneg(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise negation.

        result[i] = mask[i] ? -input[i] : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vneg(input, mask)
    """

def vexp(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise exponential.

        result[i] = mask[i] ? exp(input[i]) : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vexp(input, mask)
    """

def vln(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise natural logarithm.

        result[i] = mask[i] ? ln(input[i]) : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vln(input, mask)
    """

def vsqrt(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise square root.

        result[i] = mask[i] ? sqrt(input[i]) : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vsqrt(input, mask)
    """

def vrsqrt(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise reciprocal square root.

        result[i] = mask[i] ? 1 / sqrt(input[i]) : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vrsqrt(input, mask)
    """

def vrec(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise reciprocal.

        result[i] = mask[i] ? 1 / input[i] : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vrec(input, mask)
    """

def vrelu(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise maximum with zero.

        result[i] = mask[i] ? (input[i] > 0 ? input[i] : 0) : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i32, si32
    Targets: cpu, a2a3, a5.

        result = pto.vrelu(input, mask)
    """

def vnot(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise bitwise inversion.

        result[i] = mask[i] ? ~input[i] : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f32, f16, bf16
    Targets: cpu, a2a3, a5.

        result = pto.vnot(input, mask)
    """

def vbcnt(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise count of the bits that are set.

        result[i] = mask[i] ? popcount(input[i]) : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vbcnt(input, mask)
    """

def vcls(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise count of leading bits that equal the sign bit.

        result[i] = mask[i] ? leading sign bits of input[i], the sign bit included : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vcls(input, mask)
    """

def vmov(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Copies a register.

        result[i] = mask[i] ? input[i] : 0

    input: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vmov(input, mask)
    """

def vadd(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise sum.

        result[i] = mask[i] ? lhs[i] + rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vadd(lhs, rhs, mask)
    """

def vsub(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise difference.

        result[i] = mask[i] ? lhs[i] - rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vsub(lhs, rhs, mask)
    """

def vmul(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise product. A5 has no 8-bit form.

        result[i] = mask[i] ? lhs[i] * rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmul(lhs, rhs, mask)
    """

def vdiv(
    lhs: Vector[T],
    rhs: Vector[T],
    mask: Mask | None = None,
    *,
    precisionType: Literal["default", "high_precision"] = "default",
) -> Vector[T]:
    """Lane-wise quotient; of integers cut toward zero.

        result[i] = mask[i] ? lhs[i] / rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    precisionType: whether a quotient of f32 is corrected; default, high_precision; default
        unless said
    T: f32, f16, i16, si16, i32, si32
    Targets: cpu, a2a3, a5.

        result = pto.vdiv(lhs, rhs, mask)
    """

def vmax(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise maximum.

        result[i] = mask[i] ? (either is NaN ? NaN : lhs[i] > rhs[i] ? lhs[i] : rhs[i]) : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmax(lhs, rhs, mask)
    """

def vmin(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise minimum.

        result[i] = mask[i] ? (either is NaN ? NaN : lhs[i] < rhs[i] ? lhs[i] : rhs[i]) : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmin(lhs, rhs, mask)
    """

def vand(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise bitwise AND.

        result[i] = mask[i] ? lhs[i] & rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f32, f16, bf16
    Targets: cpu, a2a3, a5.

        result = pto.vand(lhs, rhs, mask)
    """

def vor(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise bitwise OR.

        result[i] = mask[i] ? lhs[i] | rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f32, f16, bf16
    Targets: cpu, a2a3, a5.

        result = pto.vor(lhs, rhs, mask)
    """

def vxor(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise bitwise exclusive OR.

        result[i] = mask[i] ? lhs[i] ^ rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f32, f16, bf16
    Targets: cpu, a2a3, a5.

        result = pto.vxor(lhs, rhs, mask)
    """

def vshl(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise shift to the left, each lane by its own amount.

        result[i] = mask[i] ? lhs[i] << rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vshl(lhs, rhs, mask)
    """

def vshr(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Lane-wise shift to the right: arithmetic for signed and signless, logical for unsigned.

        result[i] = mask[i] ? lhs[i] >> rhs[i] : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vshr(lhs, rhs, mask)
    """

def vaddc(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> tuple[Vector[T], Mask]:
    """Unsigned sum with carry out: the first link of a carry chain.

        result[i] = lhs[i] + rhs[i]; carry[i] = the sum does not fit

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result, carry = pto.vaddc(lhs, rhs, mask)
    """

def vsubc(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> tuple[Vector[T], Mask]:
    """Unsigned difference with borrow out: the first link of a borrow chain.

        result[i] = lhs[i] - rhs[i]; borrow[i] = lhs[i] < rhs[i]

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result, borrow = pto.vsubc(lhs, rhs, mask)
    """

def vadds(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Adds a scalar to every lane.

        result[i] = mask[i] ? input[i] + scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vadds(input, scalar, mask)
    """

def vsubs(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Subtracts a scalar from every lane.

        result[i] = mask[i] ? input[i] - scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vsubs(input, scalar, mask)
    """

def vmuls(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Multiplies every lane by a scalar.

        result[i] = mask[i] ? input[i] * scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmuls(input, scalar, mask)
    """

def vmaxs(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Lane-wise maximum with a scalar.

        result[i] = mask[i] ? (either is NaN ? NaN : input[i] > scalar ? input[i] : scalar) : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmaxs(input, scalar, mask)
    """

def vmins(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Lane-wise minimum with a scalar.

        result[i] = mask[i] ? (either is NaN ? NaN : input[i] < scalar ? input[i] : scalar) : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmins(input, scalar, mask)
    """

def vands(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Bitwise AND with a scalar.

        result[i] = mask[i] ? input[i] & scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vands(input, scalar, mask)
    """

def vors(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Bitwise OR with a scalar.

        result[i] = mask[i] ? input[i] | scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vors(input, scalar, mask)
    """

def vxors(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Bitwise exclusive OR with a scalar.

        result[i] = mask[i] ? input[i] ^ scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vxors(input, scalar, mask)
    """

def vshls(
    input: Vector[T],
    scalar: T | float | Integer | int,
    mask: Mask | None = None,
) -> Vector[T]:
    """Shifts every lane to the left by one amount.

        result[i] = mask[i] ? input[i] << scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T or i16; the shift amount
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vshls(input, scalar, mask)
    """

def vshrs(
    input: Vector[T],
    scalar: T | float | Integer | int,
    mask: Mask | None = None,
) -> Vector[T]:
    """Shifts every lane to the right by one amount: logical for unsigned, else arithmetic.

        result[i] = mask[i] ? input[i] >> scalar : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T or i16; the shift amount
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vshrs(input, scalar, mask)
    """

def vlrelu(input: Vector[T], scalar: T | float, mask: Mask | None = None) -> Vector[T]:
    """Leaky ReLU with a scalar slope.

        result[i] = mask[i] ? (input[i] >= 0 ? input[i] : scalar * input[i]) : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; seen by every active lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vlrelu(input, scalar, mask)
    """

def vaddcs(
    lhs: Vector[T],
    rhs: Vector[T],
    carry_in: Mask,
    mask: Mask | None = None,
) -> tuple[Vector[T], Mask]:
    """Unsigned sum with carry in and out: a further link of a carry chain.

        result[i] = lhs[i] + rhs[i] + carry_in[i]; carry[i] = the sum does not fit

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    carry_in: !pto.mask<G>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result, carry = pto.vaddcs(lhs, rhs, carry_in, mask)
    """

def vsubcs(
    lhs: Vector[T],
    rhs: Vector[T],
    borrow_in: Mask,
    mask: Mask | None = None,
) -> tuple[Vector[T], Mask]:
    """Unsigned difference with borrow in and out: a further link of a borrow chain.

        result[i] = lhs[i] - rhs[i] - borrow_in[i]; borrow[i] = lhs[i] < rhs[i] + borrow_in[i]

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    borrow_in: !pto.mask<G>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result, borrow = pto.vsubcs(lhs, rhs, borrow_in, mask)
    """

@overload
def vci(index: T, *, order: Literal["ASC", "DESC"] = "ASC") -> Vector[T]:
    """Fills a vector with indices that rise or fall by one from a base.

        result[i] = index + i (ASC), index - i (DESC)

    index: T; the index of lane 0
    order: whether indices rise or fall; ASC, DESC; ASC unless said
    dtype: the element type of the result, as in pto.f32
    T: i8, si8, i16, si16, i32, si32, f16, f32
    Targets: cpu, a2a3, a5.

        result = pto.vci(index)
    """
@overload
def vci(index: float, *, order: Literal["ASC", "DESC"] = "ASC") -> Vector[f32]: ...
@overload
def vci(
    index: Scalar | float,
    *,
    order: Literal["ASC", "DESC"] = "ASC",
    dtype: type[T],
) -> Vector[T]: ...

def vcvt(
    input: Vector[Any],
    mask: Mask | None = None,
    *,
    rnd: Literal["R", "A", "F", "C", "Z", "O"] = "R",
    sat: Literal["NOSAT", "SAT"] = "NOSAT",
    part: Literal["NONE", "EVEN", "ODD", "P0", "P1", "P2", "P3"] = "NONE",
    dtype: type[U],
) -> Vector[U]:
    """Converts lanes to another element type, rounded and saturated as the attributes say.

        result[place of i] = mask[i] ? convert(input[i], rnd, sat) : 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    rnd: how to round; R, A, F, C, Z, O; R unless said
    sat: what becomes of numbers out of range; NOSAT, SAT; NOSAT unless said
    part: which place of the wider lane the narrower one has; NONE, EVEN, ODD, P0, P1, P2, P3;
        NONE unless said
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    U: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vcvt(input, mask, dtype=pto.f32)
    """

@overload
def vtrc(
    input: Vector[T],
    mask: Mask | None = None,
    *,
    rnd: Literal["R", "A", "F", "C", "Z"],
) -> Vector[T]:
    """Rounds lanes to whole numbers that stay floats.

        result[i] = mask[i] ? whole(input[i], rnd) : 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    rnd: how to round; R, A, F, C, Z
    rnd: how to round; ROUND_R, ROUND_A, ROUND_F, ROUND_C, ROUND_Z, ROUND_O
    T: f32, f16, bf16
    Targets: cpu, a2a3, a5.

        result = pto.vtrc(input, mask, rnd="R")
        result = pto.vtrc(input, "ROUND_R")
    """
@overload
def vtrc(
    input: Vector[T],
    rnd: Literal["ROUND_R", "ROUND_A", "ROUND_F", "ROUND_C", "ROUND_Z", "ROUND_O"],
) -> Vector[T]: ...

def vbitcast(input: Vector[Any], *, dtype: type[U]) -> Vector[U]:
    """Sees the bits of a register as another element type.

        result = the bits of input

    input: !pto.vreg<NxT>; the source vector
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    U: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vbitcast(input, dtype=pto.f32)
    """

@overload
def vmulscvt(
    input: Vector[T],
    scalar: T | float,
    mask: Mask | None = None,
    *,
    rnd: Literal["R", "A", "F", "C", "Z", "O"],
    part: Literal["EVEN", "ODD"],
) -> Vector[f16]:
    """Multiplies f32 lanes by a scalar and converts the products to f16.

        result[2i + part] = mask[i] ? convert(input[i] * scalar, rnd) : 0

    input: !pto.vreg<NxT>; the source vector
    scalar: T; the factor of every lane
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    rnd: how to round; R, A, F, C, Z, O
    part: which half of a lane takes the product; EVEN, ODD
    dtype: the element type of the result, as in pto.f32
    T: f32
    U: f16
    Targets: cpu, a5.

        result = pto.vmulscvt(input, scalar, mask, rnd="R", part="EVEN")
    """
@overload
def vmulscvt(
    input: Vector[T],
    scalar: T | float,
    mask: Mask | None = None,
    *,
    rnd: Literal["R", "A", "F", "C", "Z", "O"],
    part: Literal["EVEN", "ODD"],
    dtype: type[U],
) -> Vector[U]: ...

def vcadd(input: Vector[Any], mask: Mask | None = None) -> Vector[Any]:
    """Sums all active lanes into lane 0; narrow integers widen.

        result[0] = sum of input[i] where mask[i]; the other lanes 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vcadd(input, mask)
    """

def vcmax(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Finds the highest active lane and its index.

        result[0] = the value; result[1] = its first index; the other lanes 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vcmax(input, mask)
    """

def vcmin(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Finds the lowest active lane and its index.

        result[0] = the value; result[1] = its first index; the other lanes 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vcmin(input, mask)
    """

def vcgadd(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Sums the active lanes of each 32-byte group.

        result[g] = sum of input[g*K + i] where active, g < 8; the other lanes 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vcgadd(input, mask)
    """

def vcgmax(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Finds the highest active lane of each 32-byte group.

        result[g] = the extreme of input[g*K + i] where active; the other lanes 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vcgmax(input, mask)
    """

def vcgmin(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Finds the lowest active lane of each 32-byte group.

        result[g] = the extreme of input[g*K + i] where active; the other lanes 0

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vcgmin(input, mask)
    """

def vcpadd(input: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Prefix sums; in revision micro sums of pairs.

        result[i] = sum of input[j] where active, j <= i

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vcpadd(input, mask)
    """

def vcbmax(input: Vector[T], mask: Mask | None = None) -> tuple[Vector[T], Mask]:
    """Finds the highest active lane and all lanes that have it.

        value[0] = the extreme; predicate[i] = mask[i] && input[i] == value[0]

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a5.

        value, predicate = pto.vcbmax(input, mask)
    """

def vcbmin(input: Vector[T], mask: Mask | None = None) -> tuple[Vector[T], Mask]:
    """Finds the lowest active lane and all lanes that have it.

        value[0] = the extreme; predicate[i] = mask[i] && input[i] == value[0]

    input: !pto.vreg<NxT>; the source vector
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a5.

        value, predicate = pto.vcbmin(input, mask)
    """

def chistv2(acc: Vector[ui16], source: Vector[ui8], mask: Mask, bin: Integer | int) -> Vector[ui16]:
    """Counts the active samples up to each value.

        result[b] = acc[b] + number of i with mask[i] && source[i] <= 128 * bin + b

    acc: !pto.vreg<128xui16>; the counts so far
    source: !pto.vreg<256xui8>; 256 samples
    mask: !pto.mask<b8>; which samples count
    bin: i32; 0 for samples below 128, 1 for the others
    Targets: cpu, a5.

        result = pto.chistv2(acc, source, mask, bin)
    """

def dhistv2(acc: Vector[ui16], source: Vector[ui8], mask: Mask, bin: Integer | int) -> Vector[ui16]:
    """Counts the active samples of each value.

        result[b] = acc[b] + number of i with mask[i] && source[i] == 128 * bin + b

    acc: !pto.vreg<128xui16>; the counts so far
    source: !pto.vreg<256xui8>; 256 samples
    mask: !pto.mask<b8>; which samples count
    bin: i32; 0 for samples below 128, 1 for the others
    Targets: cpu, a5.

        result = pto.dhistv2(acc, source, mask, bin)
    """

def vcmp(
    src0: Vector[T],
    src1: Vector[T],
    seed: Mask | None = None,
    *,
    mode: Literal["eq", "ne", "lt", "le", "gt", "ge"],
) -> Mask:
    """Compares two vectors lane by lane into a mask.

        result[i] = seed[i] && (src0[i] mode src1[i])

    src0: !pto.vreg<NxT>
    src1: !pto.vreg<NxT>
    seed: !pto.mask<G>; which lanes are compared; left out: all lanes
    mode: the comparison; eq, ne, lt, le, gt, ge
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vcmp(src0, src1, seed, mode="eq")
    """

def vcmps(
    src: Vector[T],
    scalar: T | float,
    seed: Mask | None = None,
    *,
    mode: Literal["eq", "ne", "lt", "le", "gt", "ge"],
) -> Mask:
    """Compares a vector with a scalar into a mask.

        result[i] = seed[i] && (src[i] mode scalar)

    src: !pto.vreg<NxT>
    scalar: T
    seed: !pto.mask<G>; which lanes are compared; left out: all lanes
    mode: the comparison; eq, ne, lt, le, gt, ge
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.vcmps(src, scalar, seed, mode="eq")
    """

def vsel(src0: Vector[T], src1: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Selects lanes of two vectors by a mask.

        result[i] = mask[i] ? src0[i] : src1[i]

    src0: !pto.vreg<NxT>; taken where the mask is set
    src1: !pto.vreg<NxT>; taken elsewhere
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vsel(src0, src1, mask)
    """

def vselr(src: Vector[T], index: Vector[Any]) -> Vector[T]:
    """Selects lanes of a vector by an index vector.

        result[i] = src[index[i] mod N]

    src: !pto.vreg<NxT>; the source
    index: !pto.vreg<NxI>; lane numbers
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        result = pto.vselr(src, index)
    """

def vselrv2(src0: Vector[T], src1: Vector[T]) -> Vector[T]:
    """The second form of vselr: both operands have the element type.

        result[i] = src0[bits of src1[i] mod N]

    src0: !pto.vreg<NxT>; the source
    src1: !pto.vreg<NxT>; lane numbers
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        result = pto.vselrv2(src0, src1)
    """

def vintlv(lhs: Vector[T], rhs: Vector[T]) -> tuple[Vector[T], Vector[T]]:
    """Interleaves two vectors.

        low, high = halves of lhs[0], rhs[0], lhs[1], rhs[1], ...

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        low, high = pto.vintlv(lhs, rhs)
    """

def vdintlv(lhs: Vector[T], rhs: Vector[T]) -> tuple[Vector[T], Vector[T]]:
    """Separates even and odd lanes of two vectors taken as one stream.

        low = even lanes of lhs ++ rhs; high = odd lanes

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        low, high = pto.vdintlv(lhs, rhs)
    """

def vintlvv2(lhs: Vector[T], rhs: Vector[T], part: Literal["LOWER", "HIGHER"]) -> Vector[T]:
    """One half of the interleaving of two vectors.

        result = lower or upper half of lhs[0], rhs[0], lhs[1], ...

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    part: which half; LOWER, HIGHER
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vintlvv2(lhs, rhs, "LOWER")
    """

def vdintlvv2(lhs: Vector[T], rhs: Vector[T], part: Literal["LOWER", "HIGHER"]) -> Vector[T]:
    """The even or the odd lanes of two vectors taken as one stream.

        result = even (LOWER) or odd (HIGHER) lanes of lhs ++ rhs

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    part: which half; LOWER, HIGHER
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vdintlvv2(lhs, rhs, "LOWER")
    """

def vslide(src0: Vector[T], src1: Vector[T], amount: Integer | int) -> Vector[T]:
    """Takes N lanes, from a lane number on, of src1 followed by src0.

        result[i] = (src1 ++ src0)[amount + i]

    src0: !pto.vreg<NxT>
    src1: !pto.vreg<NxT>
    amount: i16; how many lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vslide(src0, src1, amount)
    """

def vshift(src: Vector[T], amount: Integer | int) -> Vector[T]:
    """Moves lanes up by an amount and fills with zeros.

        result[i] = i >= amount ? src[i - amount] : 0

    src: !pto.vreg<NxT>
    amount: i16; how many lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vshift(src, amount)
    """

def vsqz(src: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Packs the active lanes to the front; leaves their byte count in SQZN.

        result = active lanes of src in order, then zeros

    src: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vsqz(src, mask)
    """

def vusqz(src: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Counts for each lane the active lanes before it.

        result[i] = number of active lanes below i

    src: !pto.vreg<NxT>; without effect on the result
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i8, si8, i16, si16, i32, si32
    Targets: cpu, a2a3, a5.

        result = pto.vusqz(src, mask)
    """

def vperm(src: Vector[T], index: Vector[Any]) -> Vector[T]:
    """Permutes the lanes of a vector by an index vector.

        result[i] = src[index[i] mod N]

    src: !pto.vreg<NxT>
    index: !pto.vreg<NxI>
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.vperm(src, index)
    """

def vpack(src: Vector[Any], part: Literal["LOWER", "HIGHER"]) -> Vector[Any]:
    """Cuts each lane to its lower half and packs the results into one half of the register.

        result[part*N + i] = low half of src[i]; the other half 0, or that of a second src

    src: !pto.vreg<NxT>
    part: which half; LOWER, HIGHER
    T: i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vpack(src, "LOWER")
    """

@overload
def vsunpack(src: Vector[Any], part: Integer | int) -> Vector[Any]:
    """Widens one half of a vector, extending by sign.

        result[i] = sign_extend(src[part*N/2 + i])

    src: !pto.vreg<NxT>
    part: index or i64 or i32; 0 or 1
    dtype: the element type of the result, as in pto.f32
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vsunpack(src, part)
    """
@overload
def vsunpack(src: Vector[Any], part: Integer | int, *, dtype: type[U]) -> Vector[U]: ...

@overload
def vzunpack(src: Vector[Any], part: Integer | int) -> Vector[Any]:
    """Widens one half of a vector, extending by zero.

        result[i] = zero_extend(src[part*N/2 + i])

    src: !pto.vreg<NxT>
    part: index or i64 or i32; 0 or 1
    dtype: the element type of the result, as in pto.f32
    T: i8, si8, ui8, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vzunpack(src, part)
    """
@overload
def vzunpack(src: Vector[Any], part: Integer | int, *, dtype: type[U]) -> Vector[U]: ...

def vprelu(input: Vector[T], alpha: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Parametric ReLU: a slope for each lane.

        result[i] = mask[i] ? (input[i] >= 0 ? input[i] : alpha[i] * input[i]) : 0

    input: !pto.vreg<NxT>
    alpha: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vprelu(input, alpha, mask)
    """

@overload
def vexpdif(
    input: Vector[T],
    max: Vector[T],
    mask: Mask | None = None,
    *,
    part: Literal["EVEN", "ODD"],
) -> Vector[f32]:
    """exp(input - max) in f32: the numerator of a stable softmax.

        result[i] = mask[..] ? exp(input[..] - max[..]) : 0

    input: !pto.vreg<NxT>
    max: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    part: which lanes of f16 inputs; EVEN, ODD
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vexpdif(input, max, mask, part="EVEN")
        result = pto.vexpdif(input, max, mask)
    """
@overload
def vexpdif(input: Vector[T], max: Vector[T], mask: Mask | None = None) -> Vector[T]: ...

def vaxpy(
    src0: Vector[T],
    src1: Vector[T],
    alpha: T | float,
    mask: Mask | None = None,
) -> Vector[T]:
    """A scalar times a vector plus a vector, fused.

        result[i] = mask[i] ? alpha * src0[i] + src1[i] : 0

    src0: !pto.vreg<NxT>
    src1: !pto.vreg<NxT>
    alpha: T
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vaxpy(src0, src1, alpha, mask)
    """

def vmull(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> tuple[Vector[T], Vector[T]]:
    """Multiplies 32-bit integers to 64 bits, in two registers.

        low[i], high[i] = halves of lhs[i] * rhs[i]

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        low, high = pto.vmull(lhs, rhs, mask)
    """

def vmula(acc: Vector[T], lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Multiply and accumulate, fused.

        result[i] = mask[i] ? acc[i] + lhs[i] * rhs[i] : 0

    acc: !pto.vreg<NxT>
    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16, i16, si16, ui16, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        result = pto.vmula(acc, lhs, rhs, mask)
    """

def vmadd(acc: Vector[T], lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Multiply by the first operand and add, fused.

        result[i] = mask[i] ? lhs[i] * acc[i] + rhs[i] : 0

    acc: !pto.vreg<NxT>
    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16, bf16
    Targets: cpu, a5.

        result = pto.vmadd(acc, lhs, rhs, mask)
    """

def vaddrelu(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Sum, then ReLU.

        result[i] = mask[i] ? max(lhs[i] + rhs[i], 0) : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vaddrelu(lhs, rhs, mask)
    """

def vsubrelu(lhs: Vector[T], rhs: Vector[T], mask: Mask | None = None) -> Vector[T]:
    """Difference, then ReLU.

        result[i] = mask[i] ? max(lhs[i] - rhs[i], 0) : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.vsubrelu(lhs, rhs, mask)
    """

def vaddreluconv(
    lhs: Vector[T],
    rhs: Vector[T],
    mask: Mask | None = None,
    *,
    dtype: type[U],
) -> Vector[U]:
    """Sum, ReLU and conversion in one.

        result[i] = mask[i] ? convert(max(lhs[i] + rhs[i], 0)) : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    dtype: the element type of the result, as in pto.f32
    T: f32, f16
    U: f16, i8, si8, f32
    Targets: cpu, a2a3, a5.

        result = pto.vaddreluconv(lhs, rhs, mask, dtype=pto.f32)
    """

def vmulconv(
    lhs: Vector[T],
    rhs: Vector[T],
    mask: Mask | None = None,
    *,
    dtype: type[U],
) -> Vector[U]:
    """Product, ReLU and conversion in one.

        result[i] = mask[i] ? convert(max(lhs[i] * rhs[i], 0)) : 0

    lhs: !pto.vreg<NxT>
    rhs: !pto.vreg<NxT>
    mask: !pto.mask<G>; which lanes take part; left out: all lanes
    dtype: the element type of the result, as in pto.f32
    T: f16
    U: i8, si8
    Targets: cpu, a2a3, a5.

        result = pto.vmulconv(lhs, rhs, mask, dtype=pto.f32)
    """

def vtranspose(dest: Pointer[T], src: Pointer[T], config: Integer | int) -> None:
    """Transposes a matrix in UB.

        dest[column*rows + row] = src[row*columns + column]

    dest: !pto.ptr<T, ub>
    src: !pto.ptr<T, ub>; UB source
    config: i64; rows and columns
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8
    D: f32, f16, i32, si32, ui32
    I: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        pto.vtranspose(dest, src, config)
    """

def vsort32(dest: Pointer[Any], src: Pointer[Any], config: Integer | int) -> None:
    """Sorts groups of 32 records in UB by score.

        each group of 32 records of src, sorted, to dest

    dest: !pto.ptr<D, ub>; where records go
    src: !pto.ptr<T, ub>; UB source
    config: i64; how many groups, in its lowest 8 bits
    T: f32, f16
    D: f32, f16, i32, si32, ui32
    I: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        pto.vsort32(dest, src, config)
    """

def vbitsort(
    dest: Pointer[Any],
    src: Pointer[Any],
    indices: Pointer[Any],
    repeat_times: Integer | int,
) -> None:
    """Sorts groups of 32 scores in UB with their indices into records.

        each group: records (score, index) by descending score to dest

    dest: !pto.ptr<D, ub>; where records go
    src: !pto.ptr<T, ub>; UB source
    indices: !pto.ptr<I, ub>; 32-bit indices
    repeat_times: index or i64; how many groups
    T: f32, f16
    D: f32, f16, i32, si32, ui32
    I: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        pto.vbitsort(dest, src, indices, repeat_times)
    """

def vmrgsort4(
    dest: Pointer[T],
    src0: Pointer[T],
    src1: Pointer[T],
    src2: Pointer[T],
    src3: Pointer[T],
    count: Integer | int,
    config: Integer | int,
) -> None:
    """Merges four sorted lists of records in UB.

        dest = records of the lists by descending score; counts taken to VMS4_SR

    dest: !pto.ptr<T, ub>
    src0: !pto.ptr<T, ub>; list 0
    src1: !pto.ptr<T, ub>; list 1
    src2: !pto.ptr<T, ub>; list 2
    src3: !pto.ptr<T, ub>; list 3
    count: i64; four lengths of 16 bits, list 0 lowest
    config: i64; repetitions, lists in use, stop rule
    T: f32, f16
    D: f32, f16, i32, si32, ui32
    I: i32, si32, ui32
    Targets: cpu, a2a3, a5.

        pto.vmrgsort4(dest, src0, src1, src2, src3, count, config)
    """

def get_vms4_sr() -> tuple[i16, i16, i16, i16]:
    """Reads how many records the last vmrgsort4 took from each list.

        list0, list1, list2, list3 = fields of VMS4_SR
    Targets: cpu, a2a3, a5.

        list0, list1, list2, list3 = pto.get_vms4_sr()
    """

def mte_gm_ub(
    src: Pointer[T],
    dst: Pointer[T],
    l2_cache_ctl: Integer | int,
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
    loop: tuple[Integer | int, Integer | int, Integer | int] | list[tuple[Integer | int, Integer | int, Integer | int]] | None = None,
    pad: Scalar | float | tuple[Scalar | float, Integer | int] | tuple[Scalar | float, Integer | int, Integer | int] | None = None,
) -> None:
    """Copies rows from GM to UB, with loops around them and padding in UB.

        for each loop and row: UB[dst + steps] = GM[src + steps], len_burst bytes

    src: !pto.ptr<T, gm>; source in GM
    dst: !pto.ptr<T, ub>; destination in UB
    l2_cache_ctl: i64; L2 allocation hint, without effect on values
    len_burst: i64; bytes per row
    nburst: (n_burst, src_stride, dst_stride)
    loop: (loop_count, loop_src_stride, loop_dst_stride); up to 8, in a list
    pad: (pad_value, left, right)
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.mte_gm_ub(src, dst, l2_cache_ctl, len_burst, nburst=(n_burst, src_stride, dst_stride))
    """

def mte_ub_gm(
    src: Pointer[T],
    dst: Pointer[T],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
    l2_cache_ctl: Integer | int | None = None,
    loop: tuple[Integer | int, Integer | int, Integer | int] | list[tuple[Integer | int, Integer | int, Integer | int]] | None = None,
) -> None:
    """Copies rows from UB to GM, with loops around them.

        for each loop and row: GM[dst + steps] = UB[src + steps], len_burst bytes

    src: !pto.ptr<T, ub>; source in UB
    dst: !pto.ptr<T, gm>; destination in GM
    len_burst: i64; bytes per row
    nburst: (n_burst, src_stride, dst_stride)
    l2_cache_ctl: (l2_cache_ctl)
    loop: (loop_count, loop_src_stride, loop_dst_stride); up to 8, in a list
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.mte_ub_gm(src, dst, len_burst, nburst=(n_burst, src_stride, dst_stride))
    """

def copy_gm_to_ubuf(
    src: Pointer[T],
    dst: Pointer[T],
    sid: Integer | int,
    n_burst: Integer | int,
    len_burst: Integer | int,
    left_pad: Integer | int,
    right_pad: Integer | int,
    data_select: i1 | bool,
    l2_cache_ctl: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
) -> None:
    """Copies rows from GM to UB; the loops around them are the state of set_loop*_outtoub.

        for loop2, loop1, row: UB[dst + steps] = GM[src + steps], len_burst bytes

    src: !pto.ptr<T, gm>; source in GM
    dst: !pto.ptr<T, ub>; destination in UB
    sid: i64; stream id, without effect on values
    n_burst: i64; rows
    len_burst: i64; bytes per row
    left_pad: i64; elements before the data, if selected
    right_pad: i64; elements after the data, if selected
    data_select: i1; whether rows are padded
    l2_cache_ctl: i64; L2 allocation hint, without effect on values
    src_stride: i64; bytes from row to row in GM
    dst_stride: i64; bytes from row to row in UB
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.copy_gm_to_ubuf(src, dst, sid, n_burst, len_burst, left_pad, right_pad, data_select, l2_cache_ctl, src_stride, dst_stride)
    """

def copy_ubuf_to_gm(
    src: Pointer[T],
    dst: Pointer[T],
    sid: Integer | int,
    n_burst: Integer | int,
    len_burst: Integer | int,
    reserved: Integer | int,
    dst_stride: Integer | int,
    src_stride: Integer | int,
) -> None:
    """Copies rows from UB to GM; the loops around them are the state of set_loop*_ubtoout.

        for loop2, loop1, row: GM[dst + steps] = UB[src + steps], len_burst bytes

    src: !pto.ptr<T, ub>; source in UB
    dst: !pto.ptr<T, gm>; destination in GM
    sid: i64; stream id, without effect on values
    n_burst: i64; rows
    len_burst: i64; bytes per row
    reserved: i64; 0
    dst_stride: i64; bytes from row to row in GM
    src_stride: i64; bytes from row to row in UB
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.copy_ubuf_to_gm(src, dst, sid, n_burst, len_burst, reserved, dst_stride, src_stride)
    """

def mte_ub_ub(
    src: Pointer[T],
    dst: Pointer[T],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
) -> None:
    """Copies bursts of 32-byte blocks inside UB.

        for each burst: UB[dst + steps] = UB[src + steps], 32*len_burst bytes

    src: !pto.ptr<T, ub>; source in UB
    dst: !pto.ptr<T, ub>; destination in UB
    len_burst: i64; blocks per burst
    nburst: (n_burst, src_gap, dst_gap)
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.mte_ub_ub(src, dst, len_burst, nburst=(n_burst, src_gap, dst_gap))
    """

def copy_ubuf_to_ubuf(
    src: Pointer[T],
    dst: Pointer[T],
    sid: Integer | int,
    n_burst: Integer | int,
    len_burst: Integer | int,
    src_gap: Integer | int,
    dst_gap: Integer | int,
) -> None:
    """Copies bursts of 32-byte blocks inside UB; the older spelling.

        for each burst: UB[dst + steps] = UB[src + steps], 32*len_burst bytes

    src: !pto.ptr<T, ub>; source in UB
    dst: !pto.ptr<T, ub>; destination in UB
    sid: i64; stream id, without effect on values
    n_burst: i64; bursts
    len_burst: i64; blocks per burst
    src_gap: i64; blocks between bursts in the source
    dst_gap: i64; blocks between bursts in the destination
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.copy_ubuf_to_ubuf(src, dst, sid, n_burst, len_burst, src_gap, dst_gap)
    """

def set_mov_pad_val(value: Scalar | float) -> None:
    """Sets what later copies of GM to UB pad rows with.

        pad value = value

    value: f32 or f16 or bf16 or i32 or i16 or i8; the fill
    Targets: cpu, a2a3, a5.

        pto.set_mov_pad_val(value)
    """

def set_loop_size_outtoub(loop1_count: Integer | int, loop2_count: Integer | int) -> None:
    """Sets the counts of the two loops around later copies: loop2 around loop1.

        loop1_size_outtoub = loop1_count; loop2_size_outtoub = loop2_count

    loop1_count: i64
    loop2_count: i64
    Targets: cpu, a2a3, a5.

        pto.set_loop_size_outtoub(loop1_count, loop2_count)
    """

def set_loop1_stride_outtoub(src_stride: Integer | int, dst_stride: Integer | int) -> None:
    """Sets the byte steps of loop 1 of later copies.

        loop1_src_stride_outtoub = src_stride; loop1_dst_stride_outtoub = dst_stride

    src_stride: i64
    dst_stride: i64
    Targets: cpu, a2a3, a5.

        pto.set_loop1_stride_outtoub(src_stride, dst_stride)
    """

def set_loop2_stride_outtoub(src_stride: Integer | int, dst_stride: Integer | int) -> None:
    """Sets the byte steps of loop 2 of later copies.

        loop2_src_stride_outtoub = src_stride; loop2_dst_stride_outtoub = dst_stride

    src_stride: i64
    dst_stride: i64
    Targets: cpu, a2a3, a5.

        pto.set_loop2_stride_outtoub(src_stride, dst_stride)
    """

def set_loop_size_ubtoout(loop1_count: Integer | int, loop2_count: Integer | int) -> None:
    """Sets the counts of the two loops around later copies: loop2 around loop1.

        loop1_size_ubtoout = loop1_count; loop2_size_ubtoout = loop2_count

    loop1_count: i64
    loop2_count: i64
    Targets: cpu, a2a3, a5.

        pto.set_loop_size_ubtoout(loop1_count, loop2_count)
    """

def set_loop1_stride_ubtoout(src_stride: Integer | int, dst_stride: Integer | int) -> None:
    """Sets the byte steps of loop 1 of later copies.

        loop1_src_stride_ubtoout = src_stride; loop1_dst_stride_ubtoout = dst_stride

    src_stride: i64
    dst_stride: i64
    Targets: cpu, a2a3, a5.

        pto.set_loop1_stride_ubtoout(src_stride, dst_stride)
    """

def set_loop2_stride_ubtoout(src_stride: Integer | int, dst_stride: Integer | int) -> None:
    """Sets the byte steps of loop 2 of later copies.

        loop2_src_stride_ubtoout = src_stride; loop2_dst_stride_ubtoout = dst_stride

    src_stride: i64
    dst_stride: i64
    Targets: cpu, a2a3, a5.

        pto.set_loop2_stride_ubtoout(src_stride, dst_stride)
    """

def mte_gm_l1(
    src: Pointer[T],
    dst: Pointer[T],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
    loop: tuple[Integer | int, Integer | int, Integer | int] | list[tuple[Integer | int, Integer | int, Integer | int]] | None = None,
) -> None:
    """Copies rows from GM to L1, with loops around them.

        for each loop and row: L1[dst + steps] = GM[src + steps], len_burst bytes

    src: !pto.ptr<T, gm>; source in GM
    dst: !pto.ptr<T, l1>; destination in L1
    len_burst: i64; bytes per row
    nburst: (n_burst, src_stride, dst_stride)
    loop: (loop_count, loop_src_stride, loop_dst_stride); up to 8, in a list
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.mte_gm_l1(src, dst, len_burst, nburst=(n_burst, src_stride, dst_stride))
    """

def copy_gm_to_cbuf(
    src: Pointer[T],
    dst: Pointer[T],
    n_burst: Integer | int,
    len_burst: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
) -> None:
    """Copies rows from GM to L1; the older spelling.

        for each row: L1[dst + steps] = GM[src + steps], len_burst bytes

    src: !pto.ptr<T, gm>; source in GM
    dst: !pto.ptr<T, l1>; destination in L1
    n_burst: i64; rows
    len_burst: i64; bytes per row
    src_stride: i64; bytes from row to row in GM
    dst_stride: i64; bytes from row to row in L1
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.copy_gm_to_cbuf(src, dst, n_burst, len_burst, src_stride, dst_stride)
    """

def raw_fill_l1(
    dst: Pointer[Any],
    byte_offset: Integer | int,
    raw_value: Integer | int,
    repeat_times: Integer | int,
    block_num_32b: Integer | int,
    dst_gap_32b: Integer | int,
    *,
    fill_word_bits: int,
) -> None:
    """Fills 32-byte blocks of L1 with a word of 16 or 32 bits.

        for each repetition: L1[dst + byte_offset + steps] = word, 32*block_num_32b bytes

    dst: !pto.ptr<T, l1>; destination in L1
    byte_offset: i64; bytes from it to the first block
    raw_value: i32; the word; its low half for 16 bits
    repeat_times: i64; repetitions
    block_num_32b: i64; blocks that are filled in each
    dst_gap_32b: i64; blocks between repetitions
    fill_word_bits: bits of the word: 16 or 32; 16 to 32
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        pto.raw_fill_l1(dst, byte_offset, raw_value, repeat_times, block_num_32b, dst_gap_32b, fill_word_bits=16)
    """

def mte_l1_ub(
    src: Pointer[T],
    dst: Pointer[T],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
    loop: tuple[Integer | int, Integer | int, Integer | int] | list[tuple[Integer | int, Integer | int, Integer | int]] | None = None,
) -> None:
    """Copies bursts of 32-byte blocks from L1 to the UB of vector core 0.

        for each loop and burst: UB0[dst + steps] = L1[src + steps], 32*len_burst bytes

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, ub>; destination in UB
    len_burst: i64; blocks per burst
    nburst: (n_burst, src_gap, dst_gap)
    loop: (loop_count, loop_src_stride, loop_dst_stride); up to 8, in a list
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.mte_l1_ub(src, dst, len_burst, nburst=(n_burst, src_gap, dst_gap))
    """

def copy_cbuf_to_ubuf(
    src: Pointer[T],
    dst: Pointer[T],
    sid: Integer | int,
    n_burst: Integer | int,
    len_burst: Integer | int,
    src_gap: Integer | int,
    dst_gap: Integer | int,
) -> None:
    """Copies bursts of 32-byte blocks from L1 to the UB of a vector core.

        for each burst: UB[sid][dst + steps] = L1[src + steps], 32*len_burst bytes

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, ub>; destination in UB
    sid: i64; the vector core whose UB it is, 0 or 1
    n_burst: i64; bursts
    len_burst: i64; blocks per burst
    src_gap: i64; blocks between bursts in the source
    dst_gap: i64; blocks between bursts in the destination
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.copy_cbuf_to_ubuf(src, dst, sid, n_burst, len_burst, src_gap, dst_gap)
    """

def mte_ub_l1(
    src: Pointer[T],
    dst: Pointer[T],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
) -> None:
    """Copies bursts of 32-byte blocks from a vector core's UB to L1.

        for each burst: L1[dst + steps] = UB[src + steps], 32*len_burst bytes

    src: !pto.ptr<T, ub>; source in UB
    dst: !pto.ptr<T, l1>; destination in L1
    len_burst: i64; blocks per burst
    nburst: (n_burst, src_gap, dst_gap)
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.mte_ub_l1(src, dst, len_burst, nburst=(n_burst, src_gap, dst_gap))
    """

def copy_ubuf_to_cbuf(
    src: Pointer[T],
    dst: Pointer[T],
    sid: Integer | int,
    n_burst: Integer | int,
    len_burst: Integer | int,
    src_gap: Integer | int,
    dst_gap: Integer | int,
) -> None:
    """Copies bursts of 32-byte blocks from a vector core's UB to L1; the older spelling.

        for each burst: L1[dst + steps] = UB[src + steps], 32*len_burst bytes

    src: !pto.ptr<T, ub>; source in UB
    dst: !pto.ptr<T, l1>; destination in L1
    sid: i64; stream id, without effect on values
    n_burst: i64; bursts
    len_burst: i64; blocks per burst
    src_gap: i64; blocks between bursts in the source
    dst_gap: i64; blocks between bursts in the destination
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: a5.

        pto.copy_ubuf_to_cbuf(src, dst, sid, n_burst, len_burst, src_gap, dst_gap)
    """

def mte_l1_fb(
    src: Pointer[Any],
    dst: Pointer[Any],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
) -> None:
    """Copies bursts of 64-byte units of parameters from L1 to FB.

        for each burst: FB[dst + steps] = L1[src + steps], 64*len_burst bytes

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<U, fb>; destination in FB
    len_burst: i64; units of 64 bytes per burst
    nburst: (n_burst, src_gap, dst_gap)
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    U: f32, f16, bf16, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        pto.mte_l1_fb(src, dst, len_burst, nburst=(n_burst, src_gap, dst_gap))
    """

def mte_gm_l1_frac(
    src: Pointer[T],
    dst: Pointer[T],
    *,
    mode: Literal["nd2nz", "dn2nz"],
    shape: tuple[Integer | int, Integer | int],
    src_layout: Integer | int | tuple[Integer | int, Integer | int],
    dst_group: tuple[Integer | int, Integer | int, Integer | int, Integer | int],
    ctrl: tuple[Integer | int, i1 | bool],
) -> None:
    """Copies matrices from GM into fractals of L1, zeros behind the last column.

        for each g, n, d: L1[dst + 32*(g*loop4 + n*loop2 + d/C0*loop3) + d%C0*size] = GM[src +
        g*outer + n*inner + d*size]

    src: !pto.ptr<T, gm>; source in GM
    dst: !pto.ptr<T, l1>; destination in L1
    mode: whether rows or columns of a matrix lie together in GM; nd2nz, dn2nz
    shape: (n_value, d_value)
    src_layout: (src_inner_stride, src_outer_stride)
    dst_group: (group_count, dst_loop2_stride, dst_loop3_stride, dst_loop4_stride)
    ctrl: (l2_cache_ctrl, smallc0_en)
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a2a3, a5.

        pto.mte_gm_l1_frac(src, dst, mode="nd2nz", shape=(n_value, d_value), src_layout=(src_inner_stride, src_outer_stride), dst_group=(group_count, dst_loop2_stride, dst_loop3_stride, dst_loop4_stride), ctrl=(l2_cache_ctrl, smallc0_en))
    """

@overload
def mte_l1_l0a(
    src: Pointer[T],
    dst: Pointer[T],
    m: Integer | int,
    k: Integer | int,
    *,
    transpose: bool = False,
) -> None:
    """Loads a tile of m x k elements from L1 into L0A.

        L0A[r, c] = L1[r, c] of NZ tiles; transposed: L1[c, r]

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, l0a>; destination in L0A
    m: i64; m of the product
    k: i64; k of the product
    transpose: whether rows and columns are swapped on the way; 0 to 1; 0 unless said
    start_row: i64; first row of fractals in L1
    start_col: i64; first column of fractals in L1
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a2a3, a5.

        pto.mte_l1_l0a(src, dst, m, k)
        pto.mte_l1_l0a(src, dst, m, k, start_row, start_col)
    """
@overload
def mte_l1_l0a(
    src: Pointer[T],
    dst: Pointer[T],
    m: Integer | int,
    k: Integer | int,
    start_row: Integer | int,
    start_col: Integer | int,
    *,
    transpose: bool = False,
) -> None: ...

@overload
def mte_l1_l0b(
    src: Pointer[T],
    dst: Pointer[T],
    k: Integer | int,
    n: Integer | int,
    *,
    transpose: bool = False,
) -> None:
    """Loads a tile of k x n elements from L1 into L0B.

        L0B[r, c] = L1[r, c] of NZ tiles; transposed: L1[c, r]

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, l0b>; destination in L0B
    k: i64; k of the product
    n: i64; n of the product
    transpose: whether rows and columns are swapped on the way; 0 to 1; 0 unless said
    start_row: i64; first row of fractals in L1
    start_col: i64; first column of fractals in L1
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a2a3, a5.

        pto.mte_l1_l0b(src, dst, k, n)
        pto.mte_l1_l0b(src, dst, k, n, start_row, start_col)
    """
@overload
def mte_l1_l0b(
    src: Pointer[T],
    dst: Pointer[T],
    k: Integer | int,
    n: Integer | int,
    start_row: Integer | int,
    start_col: Integer | int,
    *,
    transpose: bool = False,
) -> None: ...

def load_cbuf_to_ca(
    src: Pointer[T],
    dst: Pointer[T],
    m_start: Integer | int,
    k_start: Integer | int,
    m_step: Integer | int,
    k_step: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
    *,
    transpose: bool = False,
) -> None:
    """Loads fractals from L1 into L0A; the older spelling.

        L0A[r, c] = L1[r, c] of NZ tiles; transposed: L1[c, r]

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, l0a>; destination in L0A
    m_start: i64; first row of fractals in L1
    k_start: i64; first column of fractals in L1
    m_step: i64; rows of fractals
    k_step: i64; columns of fractals
    src_stride: i64; fractals from column to column in L1
    dst_stride: i64; fractals from column to column in L0A
    transpose: whether rows and columns are swapped on the way; 0 to 1; 0 unless said
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a5.

        pto.load_cbuf_to_ca(src, dst, m_start, k_start, m_step, k_step, src_stride, dst_stride)
    """

def load_cbuf_to_cb(
    src: Pointer[T],
    dst: Pointer[T],
    m_start: Integer | int,
    k_start: Integer | int,
    m_step: Integer | int,
    k_step: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
    *,
    transpose: bool = False,
) -> None:
    """Loads fractals from L1 into L0B; the older spelling.

        L0B[r, c] = L1[r, c] of NZ tiles; transposed: L1[c, r]

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, l0b>; destination in L0B
    m_start: i64; first row of fractals in L1
    k_start: i64; first column of fractals in L1
    m_step: i64; rows of fractals
    k_step: i64; columns of fractals
    src_stride: i64; fractals from column to column in L1
    dst_stride: i64; fractals from column to column in L0B
    transpose: whether rows and columns are swapped on the way; 0 to 1; 0 unless said
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, f8e4m3, f8e5m2, hif8
    Targets: cpu, a5.

        pto.load_cbuf_to_cb(src, dst, m_start, k_start, m_step, k_step, src_stride, dst_stride)
    """

@overload
def mte_l1_l0a_mx(src: Pointer[T], dst: Pointer[T], m: Integer | int, k: Integer | int) -> None:
    """Loads the scales of a tile in L0A: a byte for 32 elements along k.

        scale of L0A[r, 32*g to 32*g + 31] = L1[fragment(r, g)]

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, l0a>; destination in L0A
    m: i64; m of the product
    k: i64; k of the product
    start_row: i64; first row of fragments in L1
    start_col: i64; first column of fragments in L1
    T: f8e4m3, f8e5m2
    Targets: a5.

        pto.mte_l1_l0a_mx(src, dst, m, k)
        pto.mte_l1_l0a_mx(src, dst, m, k, start_row, start_col)
    """
@overload
def mte_l1_l0a_mx(
    src: Pointer[T],
    dst: Pointer[T],
    m: Integer | int,
    k: Integer | int,
    start_row: Integer | int,
    start_col: Integer | int,
) -> None: ...

@overload
def mte_l1_l0b_mx(src: Pointer[T], dst: Pointer[T], k: Integer | int, n: Integer | int) -> None:
    """Loads the scales of a tile in L0B: a byte for 32 elements along k.

        scale of L0B[r, 32*g to 32*g + 31] = L1[fragment(r, g)]

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<T, l0b>; destination in L0B
    k: i64; k of the product
    n: i64; n of the product
    start_row: i64; first row of fragments in L1
    start_col: i64; first column of fragments in L1
    T: f8e4m3, f8e5m2
    Targets: a5.

        pto.mte_l1_l0b_mx(src, dst, k, n)
        pto.mte_l1_l0b_mx(src, dst, k, n, start_row, start_col)
    """
@overload
def mte_l1_l0b_mx(
    src: Pointer[T],
    dst: Pointer[T],
    k: Integer | int,
    n: Integer | int,
    start_row: Integer | int,
    start_col: Integer | int,
) -> None: ...

def mte_l1_bt(
    src: Pointer[Any],
    dst: Pointer[Any],
    len_burst: Integer | int,
    *,
    nburst: tuple[Integer | int, Integer | int, Integer | int],
) -> None:
    """Loads biases from L1 into BT; f16 and bf16 become f32.

        for each burst: BT[dst + steps] = f32(L1[src + steps]), 32*len_burst bytes of L1

    src: !pto.ptr<T, l1>; source in L1
    dst: !pto.ptr<U, bt>; destination in BT
    len_burst: i64; blocks of 32 bytes per burst, in L1
    nburst: (n_burst, src_gap, dst_gap)
    T: f32, f16, bf16, i32, si32, ui32
    U: f32, i32, si32, ui32
    Targets: cpu, a2a3, a5.

        pto.mte_l1_bt(src, dst, len_burst, nburst=(n_burst, src_gap, dst_gap))
    """

def mad(
    lhs: Pointer[T],
    rhs: Pointer[T],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    k: Integer | int,
    *,
    unit_flag: Literal["check_only", "check_and_set", "off"] = "off",
    disable_gemv: bool = False,
    sat_mode: Literal["sat", "nosat", "unset"] = "unset",
    tf32_mode: Literal["round_even", "round_away", "off"] = "off",
    n_dir: bool = False,
) -> None:
    """Multiplies two tiles.

        dst[m, n] = sum over k of lhs[m, k] * rhs[k, n]

    lhs: !pto.ptr<T, l0a>; left tile in L0A, m by k
    rhs: !pto.ptr<T, l0b>; right tile in L0B, k by n
    dst: !pto.ptr<U, l0c>; result in L0C, m by n
    m: i64; rows
    n: i64; columns
    k: i64; elements that are added
    unit_flag: whether it waits until the tile is drained, and whether it hands it on then;
        check_only, check_and_set, off; off unless said
    disable_gemv: whether one row lies in L0A as a tile does, in fractals; 0 to 1; 0 unless said
    sat_mode: whether what is not finite becomes finite; sat, nosat, unset; unset unless said
    tf32_mode: how f32 is rounded to 10 bits of mantissa before it is multiplied; round_even,
        round_away, off; off unless said
    n_dir: whether columns are finished first, without effect on values; 0 to 1; 0 unless said
    T: f16, bf16, f32, f8e4m3, f8e5m2, hif8, i8, si8
    U: f32, i32, si32
    Targets: cpu, a2a3, a5.

        pto.mad(lhs, rhs, dst, m, n, k)
    """

def mad_acc(
    lhs: Pointer[T],
    rhs: Pointer[T],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    k: Integer | int,
    *,
    unit_flag: Literal["check_only", "check_and_set", "off"] = "off",
    disable_gemv: bool = False,
    sat_mode: Literal["sat", "nosat", "unset"] = "unset",
    tf32_mode: Literal["round_even", "round_away", "off"] = "off",
    n_dir: bool = False,
) -> None:
    """Adds the product of two tiles to what is there.

        dst[m, n] += sum over k of lhs[m, k] * rhs[k, n]

    lhs: !pto.ptr<T, l0a>; left tile in L0A, m by k
    rhs: !pto.ptr<T, l0b>; right tile in L0B, k by n
    dst: !pto.ptr<U, l0c>; result in L0C, m by n
    m: i64; rows
    n: i64; columns
    k: i64; elements that are added
    unit_flag: whether it waits until the tile is drained, and whether it hands it on then;
        check_only, check_and_set, off; off unless said
    disable_gemv: whether one row lies in L0A as a tile does, in fractals; 0 to 1; 0 unless said
    sat_mode: whether what is not finite becomes finite; sat, nosat, unset; unset unless said
    tf32_mode: how f32 is rounded to 10 bits of mantissa before it is multiplied; round_even,
        round_away, off; off unless said
    n_dir: whether columns are finished first, without effect on values; 0 to 1; 0 unless said
    T: f16, bf16, f32, f8e4m3, f8e5m2, hif8, i8, si8
    U: f32, i32, si32
    Targets: cpu, a2a3, a5.

        pto.mad_acc(lhs, rhs, dst, m, n, k)
    """

def mad_bias(
    lhs: Pointer[T],
    rhs: Pointer[T],
    dst: Pointer[U],
    bias: Pointer[U],
    m: Integer | int,
    n: Integer | int,
    k: Integer | int,
    *,
    unit_flag: Literal["check_only", "check_and_set", "off"] = "off",
    disable_gemv: bool = False,
    sat_mode: Literal["sat", "nosat", "unset"] = "unset",
    tf32_mode: Literal["round_even", "round_away", "off"] = "off",
    n_dir: bool = False,
) -> None:
    """Multiplies two tiles and adds a bias.

        dst[m, n] = bias[n] + sum over k of lhs[m, k] * rhs[k, n]

    lhs: !pto.ptr<T, l0a>; left tile in L0A, m by k
    rhs: !pto.ptr<T, l0b>; right tile in L0B, k by n
    dst: !pto.ptr<U, l0c>; result in L0C, m by n
    bias: !pto.ptr<U, bt>; one for each column, in BT
    m: i64; rows
    n: i64; columns
    k: i64; elements that are added
    unit_flag: whether it waits until the tile is drained, and whether it hands it on then;
        check_only, check_and_set, off; off unless said
    disable_gemv: whether one row lies in L0A as a tile does, in fractals; 0 to 1; 0 unless said
    sat_mode: whether what is not finite becomes finite; sat, nosat, unset; unset unless said
    tf32_mode: how f32 is rounded to 10 bits of mantissa before it is multiplied; round_even,
        round_away, off; off unless said
    n_dir: whether columns are finished first, without effect on values; 0 to 1; 0 unless said
    T: f16, bf16, f32, f8e4m3, f8e5m2, hif8, i8, si8
    U: f32, i32, si32
    Targets: cpu, a2a3, a5.

        pto.mad_bias(lhs, rhs, dst, bias, m, n, k)
    """

def mad_mx(
    lhs: Pointer[T],
    rhs: Pointer[T],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    k: Integer | int,
    *,
    unit_flag: Literal["check_only", "check_and_set", "off"] = "off",
    disable_gemv: bool = False,
    sat_mode: Literal["sat", "nosat", "unset"] = "unset",
    n_dir: bool = False,
) -> None:
    """Multiplies two tiles, whose blocks have scales.

        dst[m, n] = sum over k of lhs[m, k] * lhs_scale[m, k/32] * rhs[k, n] * rhs_scale[k/32,
        n]

    lhs: !pto.ptr<T, l0a>; left tile in L0A, m by k
    rhs: !pto.ptr<T, l0b>; right tile in L0B, k by n
    dst: !pto.ptr<U, l0c>; result in L0C, m by n
    m: i64; rows
    n: i64; columns
    k: i64; elements that are added
    unit_flag: whether it waits until the tile is drained, and whether it hands it on then;
        check_only, check_and_set, off; off unless said
    disable_gemv: whether one row lies in L0A as a tile does, in fractals; 0 to 1; 0 unless said
    sat_mode: whether what is not finite becomes finite; sat, nosat, unset; unset unless said
    n_dir: whether columns are finished first, without effect on values; 0 to 1; 0 unless said
    T: f8e4m3
    U: f32
    Targets: a5.

        pto.mad_mx(lhs, rhs, dst, m, n, k)
    """

def mad_mx_acc(
    lhs: Pointer[T],
    rhs: Pointer[T],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    k: Integer | int,
    *,
    unit_flag: Literal["check_only", "check_and_set", "off"] = "off",
    disable_gemv: bool = False,
    sat_mode: Literal["sat", "nosat", "unset"] = "unset",
    n_dir: bool = False,
) -> None:
    """Adds the product of two tiles to what is there, whose blocks have scales.

        dst[m, n] += sum over k of lhs[m, k] * lhs_scale[m, k/32] * rhs[k, n] * rhs_scale[k/32,
        n]

    lhs: !pto.ptr<T, l0a>; left tile in L0A, m by k
    rhs: !pto.ptr<T, l0b>; right tile in L0B, k by n
    dst: !pto.ptr<U, l0c>; result in L0C, m by n
    m: i64; rows
    n: i64; columns
    k: i64; elements that are added
    unit_flag: whether it waits until the tile is drained, and whether it hands it on then;
        check_only, check_and_set, off; off unless said
    disable_gemv: whether one row lies in L0A as a tile does, in fractals; 0 to 1; 0 unless said
    sat_mode: whether what is not finite becomes finite; sat, nosat, unset; unset unless said
    n_dir: whether columns are finished first, without effect on values; 0 to 1; 0 unless said
    T: f8e4m3
    U: f32
    Targets: a5.

        pto.mad_mx_acc(lhs, rhs, dst, m, n, k)
    """

def mad_mx_bias(
    lhs: Pointer[T],
    rhs: Pointer[T],
    dst: Pointer[U],
    bias: Pointer[U],
    m: Integer | int,
    n: Integer | int,
    k: Integer | int,
    *,
    unit_flag: Literal["check_only", "check_and_set", "off"] = "off",
    disable_gemv: bool = False,
    sat_mode: Literal["sat", "nosat", "unset"] = "unset",
    n_dir: bool = False,
) -> None:
    """Multiplies two tiles and adds a bias, whose blocks have scales.

        dst[m, n] = bias[n] + sum over k of lhs[m, k] * lhs_scale[m, k/32] * rhs[k, n] *
        rhs_scale[k/32, n]

    lhs: !pto.ptr<T, l0a>; left tile in L0A, m by k
    rhs: !pto.ptr<T, l0b>; right tile in L0B, k by n
    dst: !pto.ptr<U, l0c>; result in L0C, m by n
    bias: !pto.ptr<U, bt>; one for each column, in BT
    m: i64; rows
    n: i64; columns
    k: i64; elements that are added
    unit_flag: whether it waits until the tile is drained, and whether it hands it on then;
        check_only, check_and_set, off; off unless said
    disable_gemv: whether one row lies in L0A as a tile does, in fractals; 0 to 1; 0 unless said
    sat_mode: whether what is not finite becomes finite; sat, nosat, unset; unset unless said
    n_dir: whether columns are finished first, without effect on values; 0 to 1; 0 unless said
    T: f8e4m3
    U: f32
    Targets: a5.

        pto.mad_mx_bias(lhs, rhs, dst, bias, m, n, k)
    """

def mte_l0c_l1(
    src: Pointer[Any],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
    *,
    unit_flag: Literal["none", "check_only", "check_and_clear"] = "none",
    pre_quant_mode: Literal["none", "f32_f16", "f32_bf16", "qf322hif8_pre_vec", "qf322hif8_pre_scalar", "deqs32_int_vec", "deqs32_int_scalar", "req8_vec", "req8_scalar", "deqf16_vec", "deqf16_scalar", "qf322fp8_pre_vec", "qf322fp8_pre_scalar", "qf322f32_pre_vec", "qf322f32_pre_scalar", "qf162b8_pre_vec", "qf162b8_pre_scalar", "qf322b8_pre_vec", "qf322b8_pre_scalar", "deqs16_vec", "deqs16_scalar", "qf162s16_pre_vec", "qf162s16_pre_scalar", "qf322f16_pre_vec", "qf322f16_pre_scalar", "qf322bf16_pre_vec", "qf322bf16_pre_scalar", "qs322bf16_pre_vec", "qs322bf16_pre_scalar", "qf322hif8_pre_hybrid_vec", "qf322hif8_pre_hybrid_scalar", "qf162s4_pre_vec", "qf162s4_pre_scalar", "qf322s4_pre_vec", "qf322s4_pre_scalar", "req4_vec", "req4_scalar"] = "none",
    pre_relu_mode: Literal["none", "no_relu", "normal_relu", "scalar_relu", "vector_relu"] = "none",
    layout: Literal["none", "nz2nd", "nz2dn", "nz2nz"] = "none",
    sat: Literal["none", "sat", "nosat", "sat_preserve_nan"] = "none",
    pre_quant: Float | float | Pointer[Any] | None = None,
    pre_relu: Float | float | Pointer[Any] | None = None,
    clip: Scalar | float | None = None,
    nz2dn: Integer | int | None = None,
    nz2nz: Integer | int | None = None,
    loop3: tuple[Integer | int, Integer | int, Integer | int] | None = None,
) -> None:
    """Copies results from L0C to L1, converted on the way.

        L1[layout(r, c)] = convert(clip(relu(scale * L0C[r, c])))

    src: !pto.ptr<T, l0c>; source in L0C
    dst: !pto.ptr<U, l1>; destination in L1
    m: i64; rows of the result
    n: i64; columns of the result
    src_stride: i64; units of 64 bytes from a block of 16 columns to the next in L0C
    dst_stride: i64; elements from row to row (nz2dn: column, nz2nz: block)
    unit_flag: whether it waits until the tile is published, and frees it; none, check_only,
        check_and_clear; none unless said
    pre_quant_mode: what is made of what, and how it is scaled; none, f32_f16, f32_bf16,
        qf322hif8_pre_vec, qf322hif8_pre_scalar, deqs32_int_vec, deqs32_int_scalar, req8_vec,
        req8_scalar, deqf16_vec, deqf16_scalar, qf322fp8_pre_vec, qf322fp8_pre_scalar,
        qf322f32_pre_vec, qf322f32_pre_scalar, qf162b8_pre_vec, qf162b8_pre_scalar,
        qf322b8_pre_vec, qf322b8_pre_scalar, deqs16_vec, deqs16_scalar, qf162s16_pre_vec,
        qf162s16_pre_scalar, qf322f16_pre_vec, qf322f16_pre_scalar, qf322bf16_pre_vec,
        qf322bf16_pre_scalar, qs322bf16_pre_vec, qs322bf16_pre_scalar, qf322hif8_pre_hybrid_vec,
        qf322hif8_pre_hybrid_scalar, qf162s4_pre_vec, qf162s4_pre_scalar, qf322s4_pre_vec,
        qf322s4_pre_scalar, req4_vec, req4_scalar; none unless said
    pre_relu_mode: what becomes of negative numbers; none, no_relu, normal_relu, scalar_relu,
        vector_relu; none unless said
    layout: how the result lies in the destination; none, nz2nd, nz2dn, nz2nz; none unless said
    sat: what becomes of numbers beyond the format; none, sat, nosat, sat_preserve_nan; none
        unless said
    pre_quant: (scale)
    pre_relu: (alpha)
    clip: (clip)
    nz2dn: (loop0_src_stride)
    nz2nz: (split)
    loop3: (count, src_stride3, dst_stride3)
    T: f32, i32, si32
    U: f16, bf16, hif8, i8, si8, ui8, f8e4m3, f8e5m2, f32, i32, si32, i16, si16
    P: f32, f16, bf16
    Targets: cpu, a2a3, a5.

        pto.mte_l0c_l1(src, dst, m, n, src_stride, dst_stride)
    """

def mte_l0c_gm(
    src: Pointer[Any],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
    sid: Integer | int,
    l2_cache_ctrl: Integer | int,
    *,
    unit_flag: Literal["none", "check_only", "check_and_clear"] = "none",
    pre_quant_mode: Literal["none", "f32_f16", "f32_bf16", "qf322hif8_pre_vec", "qf322hif8_pre_scalar", "deqs32_int_vec", "deqs32_int_scalar", "req8_vec", "req8_scalar", "deqf16_vec", "deqf16_scalar", "qf322fp8_pre_vec", "qf322fp8_pre_scalar", "qf322f32_pre_vec", "qf322f32_pre_scalar", "qf162b8_pre_vec", "qf162b8_pre_scalar", "qf322b8_pre_vec", "qf322b8_pre_scalar", "deqs16_vec", "deqs16_scalar", "qf162s16_pre_vec", "qf162s16_pre_scalar", "qf322f16_pre_vec", "qf322f16_pre_scalar", "qf322bf16_pre_vec", "qf322bf16_pre_scalar", "qs322bf16_pre_vec", "qs322bf16_pre_scalar", "qf322hif8_pre_hybrid_vec", "qf322hif8_pre_hybrid_scalar", "qf162s4_pre_vec", "qf162s4_pre_scalar", "qf322s4_pre_vec", "qf322s4_pre_scalar", "req4_vec", "req4_scalar"] = "none",
    pre_relu_mode: Literal["none", "no_relu", "normal_relu", "scalar_relu", "vector_relu"] = "none",
    layout: Literal["none", "nz2nd", "nz2dn", "nz2nz"] = "none",
    sat: Literal["none", "sat", "nosat", "sat_preserve_nan"] = "none",
    atomic_type: Literal["none", "f32", "f16", "s16", "s32", "s8", "bf16"] = "none",
    atomic_op: Literal["none", "add", "max", "min"] = "none",
    pre_quant: Float | float | Pointer[Any] | None = None,
    pre_relu: Float | float | Pointer[Any] | None = None,
    clip: Scalar | float | None = None,
    nz2dn: Integer | int | None = None,
    nz2nz: Integer | int | None = None,
    loop3: tuple[Integer | int, Integer | int, Integer | int] | None = None,
) -> None:
    """Copies results from L0C to GM, converted on the way; may update what is there.

        GM[layout(r, c)] = convert(clip(relu(scale * L0C[r, c])))

    src: !pto.ptr<T, l0c>; source in L0C
    dst: !pto.ptr<U, gm>; destination in GM
    m: i64; rows of the result
    n: i64; columns of the result
    src_stride: i64; units of 64 bytes from a block of 16 columns to the next in L0C
    dst_stride: i64; elements from row to row (nz2dn: column, nz2nz: block)
    sid: i64; stream, without effect on values
    l2_cache_ctrl: i64; L2 allocation hint, without effect on values
    unit_flag: whether it waits until the tile is published, and frees it; none, check_only,
        check_and_clear; none unless said
    pre_quant_mode: what is made of what, and how it is scaled; none, f32_f16, f32_bf16,
        qf322hif8_pre_vec, qf322hif8_pre_scalar, deqs32_int_vec, deqs32_int_scalar, req8_vec,
        req8_scalar, deqf16_vec, deqf16_scalar, qf322fp8_pre_vec, qf322fp8_pre_scalar,
        qf322f32_pre_vec, qf322f32_pre_scalar, qf162b8_pre_vec, qf162b8_pre_scalar,
        qf322b8_pre_vec, qf322b8_pre_scalar, deqs16_vec, deqs16_scalar, qf162s16_pre_vec,
        qf162s16_pre_scalar, qf322f16_pre_vec, qf322f16_pre_scalar, qf322bf16_pre_vec,
        qf322bf16_pre_scalar, qs322bf16_pre_vec, qs322bf16_pre_scalar, qf322hif8_pre_hybrid_vec,
        qf322hif8_pre_hybrid_scalar, qf162s4_pre_vec, qf162s4_pre_scalar, qf322s4_pre_vec,
        qf322s4_pre_scalar, req4_vec, req4_scalar; none unless said
    pre_relu_mode: what becomes of negative numbers; none, no_relu, normal_relu, scalar_relu,
        vector_relu; none unless said
    layout: how the result lies in the destination; none, nz2nd, nz2dn, nz2nz; none unless said
    sat: what becomes of numbers beyond the format; none, sat, nosat, sat_preserve_nan; none
        unless said
    atomic_type: the type of what is updated; none, f32, f16, s16, s32, s8, bf16; none unless
        said
    atomic_op: how it is updated; none, add, max, min; none unless said
    pre_quant: (scale)
    pre_relu: (alpha)
    clip: (clip)
    nz2dn: (loop0_src_stride)
    nz2nz: (split)
    loop3: (count, src_stride3, dst_stride3)
    T: f32, i32, si32
    U: f16, bf16, hif8, i8, si8, ui8, f8e4m3, f8e5m2, f32, i32, si32, i16, si16
    P: f32, f16, bf16
    Targets: cpu, a2a3, a5.

        pto.mte_l0c_gm(src, dst, m, n, src_stride, dst_stride, sid, l2_cache_ctrl)
    """

def mte_l0c_ub(
    src: Pointer[Any],
    dst: Pointer[Any],
    m: Integer | int,
    n: Integer | int,
    src_stride: Integer | int,
    dst_stride: Integer | int,
    *,
    dst_split: Literal["none", "split_m", "split_n"] = "none",
    unit_flag: Literal["none", "check_only", "check_and_clear"] = "none",
    pre_quant_mode: Literal["none", "f32_f16", "f32_bf16", "qf322hif8_pre_vec", "qf322hif8_pre_scalar", "deqs32_int_vec", "deqs32_int_scalar", "req8_vec", "req8_scalar", "deqf16_vec", "deqf16_scalar", "qf322fp8_pre_vec", "qf322fp8_pre_scalar", "qf322f32_pre_vec", "qf322f32_pre_scalar", "qf162b8_pre_vec", "qf162b8_pre_scalar", "qf322b8_pre_vec", "qf322b8_pre_scalar", "deqs16_vec", "deqs16_scalar", "qf162s16_pre_vec", "qf162s16_pre_scalar", "qf322f16_pre_vec", "qf322f16_pre_scalar", "qf322bf16_pre_vec", "qf322bf16_pre_scalar", "qs322bf16_pre_vec", "qs322bf16_pre_scalar", "qf322hif8_pre_hybrid_vec", "qf322hif8_pre_hybrid_scalar", "qf162s4_pre_vec", "qf162s4_pre_scalar", "qf322s4_pre_vec", "qf322s4_pre_scalar", "req4_vec", "req4_scalar"] = "none",
    pre_relu_mode: Literal["none", "no_relu", "normal_relu", "scalar_relu", "vector_relu"] = "none",
    layout: Literal["none", "nz2nd", "nz2dn", "nz2nz"] = "none",
    sat: Literal["none", "sat", "nosat", "sat_preserve_nan"] = "none",
    dst_mode: Integer | int | None = None,
    pre_quant: Float | float | Pointer[Any] | None = None,
    pre_relu: Float | float | Pointer[Any] | None = None,
    clip: Scalar | float | None = None,
    nz2dn: Integer | int | None = None,
    nz2nz: Integer | int | None = None,
    loop3: tuple[Integer | int, Integer | int, Integer | int] | None = None,
) -> None:
    """Copies results from L0C to the UB of a vector core, or half of them to each.

        UB[layout(r, c)] = convert(clip(relu(scale * L0C[r, c])))

    src: !pto.ptr<T, l0c>; source in L0C
    dst: !pto.ptr<U, ub>; destination in UB
    m: i64; rows of the result
    n: i64; columns of the result
    src_stride: i64; units of 64 bytes from a block of 16 columns to the next in L0C
    dst_stride: i64; elements from row to row (nz2dn: column, nz2nz: block)
    dst_split: which half of the result each vector core has; none, split_m, split_n; none
        unless said
    unit_flag: whether it waits until the tile is published, and frees it; none, check_only,
        check_and_clear; none unless said
    pre_quant_mode: what is made of what, and how it is scaled; none, f32_f16, f32_bf16,
        qf322hif8_pre_vec, qf322hif8_pre_scalar, deqs32_int_vec, deqs32_int_scalar, req8_vec,
        req8_scalar, deqf16_vec, deqf16_scalar, qf322fp8_pre_vec, qf322fp8_pre_scalar,
        qf322f32_pre_vec, qf322f32_pre_scalar, qf162b8_pre_vec, qf162b8_pre_scalar,
        qf322b8_pre_vec, qf322b8_pre_scalar, deqs16_vec, deqs16_scalar, qf162s16_pre_vec,
        qf162s16_pre_scalar, qf322f16_pre_vec, qf322f16_pre_scalar, qf322bf16_pre_vec,
        qf322bf16_pre_scalar, qs322bf16_pre_vec, qs322bf16_pre_scalar, qf322hif8_pre_hybrid_vec,
        qf322hif8_pre_hybrid_scalar, qf162s4_pre_vec, qf162s4_pre_scalar, qf322s4_pre_vec,
        qf322s4_pre_scalar, req4_vec, req4_scalar; none unless said
    pre_relu_mode: what becomes of negative numbers; none, no_relu, normal_relu, scalar_relu,
        vector_relu; none unless said
    layout: how the result lies in the destination; none, nz2nd, nz2dn, nz2nz; none unless said
    sat: what becomes of numbers beyond the format; none, sat, nosat, sat_preserve_nan; none
    dst_mode: (sub_blockid)
    pre_quant: (scale)
    pre_relu: (alpha)
    clip: (clip)
    nz2dn: (loop0_src_stride)
    nz2nz: (split)
    loop3: (count, src_stride3, dst_stride3)
    T: f32, i32, si32
    U: f16, bf16, hif8, i8, si8, ui8, f8e4m3, f8e5m2, f32, i32, si32, i16, si16
    P: f32, f16, bf16
    Targets: a5.

        pto.mte_l0c_ub(src, dst, m, n, src_stride, dst_stride)
    """

def get_ctrl() -> i64:
    """Reads the control register.

        result = CTRL
    Targets: cpu, a2a3, a5.

        result = pto.get_ctrl()
    """

def set_ctrl(value: Integer | int) -> None:
    """Writes the control register.

        CTRL = value

    value: i64
    Targets: cpu, a2a3, a5.

        pto.set_ctrl(value)
    """

def set_atomic_add() -> None:
    """Later atomic stores leave the sum of what is in GM and what is stored.

        CTRL[10:9] = 0
    Targets: cpu, a2a3, a5.

        pto.set_atomic_add()
    """

def set_atomic_max() -> None:
    """Later atomic stores leave the greater of what is in GM and what is stored.

        CTRL[10:9] = 1
    Targets: cpu, a2a3, a5.

        pto.set_atomic_max()
    """

def set_atomic_min() -> None:
    """Later atomic stores leave the lesser of what is in GM and what is stored.

        CTRL[10:9] = 2
    Targets: cpu, a2a3, a5.

        pto.set_atomic_min()
    """

def set_atomic_f32() -> None:
    """Makes later stores to GM atomic, of f32 elements.

        CTRL[8:6] = 1
    Targets: cpu, a2a3, a5.

        pto.set_atomic_f32()
    """

def set_atomic_f16() -> None:
    """Makes later stores to GM atomic, of f16 elements.

        CTRL[8:6] = 2
    Targets: cpu, a2a3, a5.

        pto.set_atomic_f16()
    """

def set_atomic_s16() -> None:
    """Makes later stores to GM atomic, of s16 elements.

        CTRL[8:6] = 3
    Targets: cpu, a2a3, a5.

        pto.set_atomic_s16()
    """

def set_atomic_s32() -> None:
    """Makes later stores to GM atomic, of s32 elements.

        CTRL[8:6] = 4
    Targets: cpu, a2a3, a5.

        pto.set_atomic_s32()
    """

def set_atomic_s8() -> None:
    """Makes later stores to GM atomic, of s8 elements.

        CTRL[8:6] = 5
    Targets: cpu, a2a3, a5.

        pto.set_atomic_s8()
    """

def set_atomic_bf16() -> None:
    """Makes later stores to GM atomic, of bf16 elements.

        CTRL[8:6] = 6
    Targets: cpu, a2a3, a5.

        pto.set_atomic_bf16()
    """

def set_atomic_none() -> None:
    """Makes later stores to GM plain again.

        CTRL[8:6] = 0
    Targets: cpu, a2a3, a5.

        pto.set_atomic_none()
    """

def set_flag(
    src: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    dst: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event: Literal["EVENT_ID0", "EVENT_ID1", "EVENT_ID2", "EVENT_ID3", "EVENT_ID4", "EVENT_ID5", "EVENT_ID6", "EVENT_ID7"] | Integer | int,
) -> None:
    """Signals an event from one pipe to another, after what the first pipe did so far.

        flag[src, dst, event] += 1

    src: the pipe that signals; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M,
        PIPE_FIX
    dst: the pipe that waits; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_FIX
    event: one of 8 events of this pair of pipes; EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3,
        EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7
    event: i64 or i32 or index; the event's number, 0 to 7
    Targets: cpu, a2a3, a5.

        pto.set_flag("PIPE_S", "PIPE_S", "EVENT_ID0")
        pto.set_flag("PIPE_S", "PIPE_S", event)
    """

def wait_flag(
    src: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    dst: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event: Literal["EVENT_ID0", "EVENT_ID1", "EVENT_ID2", "EVENT_ID3", "EVENT_ID4", "EVENT_ID5", "EVENT_ID6", "EVENT_ID7"] | Integer | int,
) -> None:
    """Holds the second pipe until the event is signalled, and consumes it.

        wait until flag[src, dst, event] > 0; flag[src, dst, event] -= 1

    src: the pipe that signals; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M,
        PIPE_FIX
    dst: the pipe that waits; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_FIX
    event: one of 8 events of this pair of pipes; EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3,
        EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7
    event: i64 or i32 or index; the event's number, 0 to 7
    Targets: cpu, a2a3, a5.

        pto.wait_flag("PIPE_S", "PIPE_S", "EVENT_ID0")
        pto.wait_flag("PIPE_S", "PIPE_S", event)
    """

def set_flag_dyn(
    src: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    dst: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event: Integer | int,
) -> None:
    """Signals an event from one pipe to another, after what the first pipe did so far.

        flag[src, dst, event] += 1

    src: the pipe that signals; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M,
        PIPE_FIX
    dst: the pipe that waits; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_FIX
    event: i64 or i32 or index; the event's number, 0 to 7
    Targets: cpu, a2a3, a5.

        pto.set_flag_dyn("PIPE_S", "PIPE_S", event)
    """

def wait_flag_dyn(
    src: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    dst: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event: Integer | int,
) -> None:
    """Holds the second pipe until the event is signalled, and consumes it.

        wait until flag[src, dst, event] > 0; flag[src, dst, event] -= 1

    src: the pipe that signals; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M,
        PIPE_FIX
    dst: the pipe that waits; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M, PIPE_FIX
    event: i64 or i32 or index; the event's number, 0 to 7
    Targets: cpu, a2a3, a5.

        pto.wait_flag_dyn("PIPE_S", "PIPE_S", event)
    """

@overload
def get_buf(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    id: int | Integer,
    mode: int | Integer = 0,
) -> None:
    """Acquires a buffer id for a pipe; in mode 0 after all earlier releases of it.

        mode 0: wait until every earlier rls_buf of id has happened

    pipe: the pipe that uses the buffer; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
        PIPE_M, PIPE_FIX
    id: one of 32 buffer ids; 0 to 31
    mode: 0: wait for earlier releases; 1: legacy, without waiting; 0 to 1; 0 unless said
    id: i64 or i32 or index; buffer id, 0 to 31
    mode: i64 or i32 or index; 0 or 1
    Targets: cpu, a2a3, a5.

        pto.get_buf("PIPE_S", 0)
        pto.get_buf("PIPE_S", id, mode)
        pto.get_buf(id, "PIPE_S", mode)
    """
@overload
def get_buf(
    id: Integer | int,
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    mode: Integer | int,
) -> None: ...

@overload
def rls_buf(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    id: int | Integer,
    mode: int | Integer = 0,
) -> None:
    """Releases a buffer id that the pipe has acquired; in mode 1 after all pipes that hold it.

        mode 1: wait until every pipe that holds id has done what precedes; release id

    pipe: the pipe that uses the buffer; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
        PIPE_M, PIPE_FIX
    id: one of 32 buffer ids; 0 to 31
    mode: 0: wait for earlier releases; 1: legacy, without waiting; 0 to 1; 0 unless said
    id: i64 or i32 or index; buffer id, 0 to 31
    mode: i64 or i32 or index; 0 or 1
    Targets: cpu, a2a3, a5.

        pto.rls_buf("PIPE_S", 0)
        pto.rls_buf("PIPE_S", id, mode)
        pto.rls_buf(id, "PIPE_S", mode)
    """
@overload
def rls_buf(
    id: Integer | int,
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    mode: Integer | int,
) -> None: ...

def barrier(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX", "PIPE_ALL"] = "PIPE_ALL",
) -> None:
    """Waits until a pipe, or with PIPE_ALL every pipe, has finished.

        wait until the pipe is idle

    pipe: the pipe, or PIPE_ALL; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M,
        PIPE_FIX, PIPE_ALL; PIPE_ALL unless said
    Targets: cpu, a2a3, a5.

        pto.barrier()
    """

def pipe_barrier(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX", "PIPE_ALL"] = "PIPE_ALL",
) -> None:
    """Waits until a pipe has finished what was issued to it.

        wait until the pipe is idle

    pipe: the pipe, or PIPE_ALL; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_M,
        PIPE_FIX, PIPE_ALL; PIPE_ALL unless said
    Targets: cpu, a2a3, a5.

        pto.pipe_barrier()
    """

def mem_bar(
    type: Literal["VV_ALL", "VST_VLD", "VLD_VST", "VST_VST", "VS_ALL", "VST_LD", "VLD_ST", "VST_ST", "SV_ALL", "ST_VLD", "LD_VST", "ST_VST"],
) -> None:
    """Orders accesses to UB inside a vecscope: those of a kind before it and those after it.

        accesses before it complete before those after it

    type: which accesses, before and after; VV_ALL, VST_VLD, VLD_VST, VST_VST, VS_ALL, VST_LD,
        VLD_ST, VST_ST, SV_ALL, ST_VLD, LD_VST, ST_VST
    Targets: cpu, a2a3, a5.

        pto.mem_bar("VV_ALL")
    """

def set_cross_core(core_id: Integer | int, event_id: Integer | int) -> None:
    """Signals the other cores of the cluster.

        semaphore[receiver, number] += 1

    core_id: i64; without effect: no document says which is which
    event_id: i64; the number of the semaphore
    Targets: a2a3.

        pto.set_cross_core(core_id, event_id)
    """

@overload
def wait_flag_dev(core_id: Integer | int, event_id: Integer | int) -> None:
    """Waits for the others of the cluster.

        wait until semaphore[this core, number] > 0; semaphore[this core, number] -= 1

    core_id: i64; without effect: no document says which is which
    event_id: i64; the number of the semaphore
    Targets: a2a3.

        pto.wait_flag_dev(core_id, event_id)
        pto.wait_flag_dev(event_id)
    """
@overload
def wait_flag_dev(event_id: Integer | int) -> None: ...

@overload
def set_intra_block(block_id: Integer | int, event_id: Integer | int) -> None:
    """Signals another core of the cluster.

        semaphore[receiver, number] += 1

    block_id: i64; without effect: no document says which is which
    event_id: i64; the number of the semaphore
    pipe: the pipe that signals or is held; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
        PIPE_M, PIPE_FIX
    Targets: a5.

        pto.set_intra_block(block_id, event_id)
        pto.set_intra_block("PIPE_S", event_id)
    """
@overload
def set_intra_block(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event_id: Integer | int,
) -> None: ...

@overload
def wait_intra_core(block_id: Integer | int, event_id: Integer | int) -> None:
    """Waits for another core of the cluster.

        wait until semaphore[this core, number] > 0; semaphore[this core, number] -= 1

    block_id: i64; without effect: no document says which is which
    event_id: i64; the number of the semaphore
    pipe: the pipe that signals or is held; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
        PIPE_M, PIPE_FIX
    Targets: a5.

        pto.wait_intra_core(block_id, event_id)
        pto.wait_intra_core("PIPE_S", event_id)
    """
@overload
def wait_intra_core(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event_id: Integer | int,
) -> None: ...

def sync_set(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event: int | Integer,
    *,
    ffts_mode: int = 2,
) -> None:
    """Signals another core of the cluster, after what the pipe did so far.

        semaphore[receiver, number] += 1

    pipe: the pipe that signals or is held; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
        PIPE_M, PIPE_FIX
    event: the number of the semaphore; 0 to 31
    ffts_mode: which cores of A2/A3 get the signal; 0 to 2; 2 unless said
    event: index or i64 or i32; the number of the semaphore
    Targets: a2a3, a5.

        pto.sync_set("PIPE_S", 0)
        pto.sync_set("PIPE_S", event)
    """

def sync_wait(
    pipe: Literal["PIPE_S", "PIPE_V", "PIPE_MTE1", "PIPE_MTE2", "PIPE_MTE3", "PIPE_M", "PIPE_FIX"],
    event: int | Integer,
) -> None:
    """Holds a pipe until another core of the cluster signals.

        wait until semaphore[this core, number] > 0; semaphore[this core, number] -= 1

    pipe: the pipe that signals or is held; PIPE_S, PIPE_V, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3,
        PIPE_M, PIPE_FIX
    event: the number of the semaphore; 0 to 31
    event: index or i64 or i32; the number of the semaphore
    Targets: a2a3, a5.

        pto.sync_wait("PIPE_S", 0)
        pto.sync_wait("PIPE_S", event)
    """

@overload
def castptr(source: Integer | int | Pointer[Any]) -> i64:
    """Reinterprets an address: an integer as a pointer, a pointer as another or as an integer.

        result = (type)source

    source: i64 or i32 or index or !pto.ptr<U, space>; byte address or pointer
    dtype: the element type of the result, as in pto.f32
    space: the memory of the pointer: ub unless said
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    U: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.castptr(source)
    """
@overload
def castptr(
    source: Integer | int | Pointer[Any],
    *,
    dtype: type[U],
    space: Literal["ub", "gm"] | None = None,
) -> Pointer[U]: ...

def addptr(ptr: Pointer[T], offset: Integer | int) -> Pointer[T]:
    """Advances a pointer by a number of elements.

        result = ptr + offset

    ptr: !pto.ptr<T, space>; the base
    offset: index or i64 or i32; displacement in elements
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, f8e4m3,
        f8e5m2, hif8, f4e1m2, f4e2m1
    Targets: cpu, a2a3, a5.

        result = pto.addptr(ptr, offset)
    """

def load_scalar(ptr: Pointer[T], offset: Integer | int) -> T:
    """Loads one element.

        result = ptr[offset]

    ptr: !pto.ptr<T, gm or ub>; the base
    offset: index or i64 or i32; displacement in elements
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        result = pto.load_scalar(ptr, offset)
    """

def store_scalar(value: T | float, ptr: Pointer[T], offset: Integer | int) -> None:
    """Stores one element.

        ptr[offset] = value

    value: T; the element
    ptr: !pto.ptr<T, gm or ub>; the base
    offset: index or i64 or i32; displacement in elements
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        pto.store_scalar(value, ptr, offset)
    """

def ld_dev(ptr: Pointer[T], offset: Integer | int) -> T:
    """Loads one integer from GM past the first cache.

        result = ptr[offset]

    ptr: !pto.ptr<T, gm>; the base
    offset: index; displacement in elements
    T: i8, i16, i32, i64
    Targets: cpu, a5.

        result = pto.ld_dev(ptr, offset)
    """

def st_dev(value: T | float, ptr: Pointer[T], offset: Integer | int) -> None:
    """Stores one integer to GM past the first cache.

        ptr[offset] = value

    value: T; the element
    ptr: !pto.ptr<T, gm>; the base
    offset: index; displacement in elements
    T: i8, i16, i32, i64
    Targets: cpu, a5.

        pto.st_dev(value, ptr, offset)
    """

def get_block_idx() -> i64:
    """Which block of the launch this is, from 0.

        result = block_idx
    Targets: cpu, a2a3, a5.

        result = pto.get_block_idx()
    """

def get_block_num() -> i64:
    """How many blocks were launched.

        result = block_num
    Targets: cpu, a2a3, a5.

        result = pto.get_block_num()
    """

def get_subblock_idx() -> i64:
    """Which subblock of the block this is.

        result = subblock_idx
    Targets: cpu, a2a3, a5.

        result = pto.get_subblock_idx()
    """

def get_subblock_num() -> i64:
    """How many subblocks a block has.

        result = subblock_num
    Targets: cpu, a2a3, a5.

        result = pto.get_subblock_num()
    """

def in_section(core: Literal["cube", "vector"]) -> i1:
    """Whether this core executes the sections of a kind. What a section holds is executed where it
    is: pto.section.cube and pto.section.vector are read as a branch on it.

        result = this core is of that kind

    core: the kind of core; cube, vector
    Targets: cpu, a2a3, a5.

        result = pto.in_section("cube")
    """

def sbitset0(value: Integer | int, position: Integer | int) -> i64:
    """Sets one bit of a number to 0.

        result = value with bit position = 0

    value: i64
    position: i64; 0 to 63
    Targets: cpu, a2a3, a5.

        result = pto.sbitset0(value, position)
    """

def sbitset1(value: Integer | int, position: Integer | int) -> i64:
    """Sets one bit of a number to 1.

        result = value with bit position = 1

    value: i64
    position: i64; 0 to 63
    Targets: cpu, a2a3, a5.

        result = pto.sbitset1(value, position)
    """

@overload
def absi(x: T, signedness: Literal["signed", "unsigned"]) -> T:
    """The absolute value of an integer.

        result = |x|

    x: i32 or i16 or i8 or i64 or index or i1
    signedness: whether the number has a sign; signed, unsigned
    dtype: the element type of the result, as in pto.f32
    T: i32, i16, i8, i64, index, i1
    Targets: cpu, a2a3, a5.

        result = pto.absi(x, "signed")
    """
@overload
def absi(x: Scalar | float, signedness: Literal["signed", "unsigned"], *, dtype: type[T]) -> T: ...

@overload
def sqrt(x: T) -> T:
    """The square root of a scalar.

        result = the root of x

    x: f32 or f16
    dtype: the element type of the result, as in pto.f32
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.sqrt(x)
    """
@overload
def sqrt(x: float) -> f32: ...
@overload
def sqrt(x: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def exp(x: T) -> T:
    """The exponential of a scalar.

        result = e ** x

    x: f32 or f16
    dtype: the element type of the result, as in pto.f32
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.exp(x)
    """
@overload
def exp(x: float) -> f32: ...
@overload
def exp(x: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def log(x: T) -> T:
    """The natural logarithm of a scalar.

        result = ln(x)

    x: f32 or f16
    dtype: the element type of the result, as in pto.f32
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.log(x)
    """
@overload
def log(x: float) -> f32: ...
@overload
def log(x: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def pow(base: T | float, exponent: T | float) -> T:
    """The power of a scalar.

        result = base ** exponent

    base: f32 or f16
    exponent: f32 or f16
    dtype: the element type of the result, as in pto.f32
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.pow(base, exponent)
    """
@overload
def pow(base: Scalar | float, exponent: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def fma(lhs: T | float, rhs: T | float, acc: T | float) -> T:
    """The product of two scalars and their sum with a third.

        result = lhs * rhs + acc, rounded once

    lhs: f32 or f16 or bf16
    rhs: f32 or f16 or bf16
    acc: f32 or f16 or bf16
    dtype: the element type of the result, as in pto.f32
    T: f32, f16, bf16
    Targets: cpu, a2a3, a5.

        result = pto.fma(lhs, rhs, acc)
    """
@overload
def fma(lhs: Scalar | float, rhs: Scalar | float, acc: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def absf(x: T) -> T:
    """The absolute value of a scalar.

        result = |x|

    x: f32 or f16
    dtype: the element type of the result, as in pto.f32
    T: f32, f16
    Targets: cpu, a2a3, a5.

        result = pto.absf(x)
    """
@overload
def absf(x: float) -> f32: ...
@overload
def absf(x: Scalar | float, *, dtype: type[T]) -> T: ...

def print(format: str, value: Scalar | float | Vector[Any] | Mask) -> None:
    """Prints a value, every lane of a vector or mask, as its format says.

        printf(format, value)

    format: as for C's printf, with one conversion at most; %f, %d, %x, %g,
    value: f32 or f16 or bf16 or f64 or i8 or si8 or ui8 or i16 or si16 or ui16 or i32 or si32
        or ui32 or i64 or si64 or ui64 or i1 or index or !pto.vreg<NxT> or !pto.mask<G>; what is
        printed
    U: f32, f16, bf16, f64, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64, i1,
        index
    T: f32, f16, bf16, i8, si8, ui8, i16, si16, ui16, i32, si32, ui32, i64, si64, ui64
    Targets: cpu, a2a3, a5.

        pto.print("%f", value)
    """

def trap() -> None:
    """Stops the kernel: a fault at this line.

        stop
    Targets: cpu, a2a3, a5.

        pto.trap()
    """

@overload
def addi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs + rhs, wrapping

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.addi(lhs, rhs)
    """
@overload
def addi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def subi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs - rhs, wrapping

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.subi(lhs, rhs)
    """
@overload
def subi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def muli(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs * rhs, wrapping

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.muli(lhs, rhs)
    """
@overload
def muli(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def divsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs / rhs, cut toward zero

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.divsi(lhs, rhs)
    """
@overload
def divsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def divui(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        unsigned lhs / rhs

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.divui(lhs, rhs)
    """
@overload
def divui(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def floordivsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs / rhs, rounded down

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.floordivsi(lhs, rhs)
    """
@overload
def floordivsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def ceildivsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs / rhs, rounded up

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.ceildivsi(lhs, rhs)
    """
@overload
def ceildivsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def ceildivui(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        unsigned lhs / rhs, rounded up

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.ceildivui(lhs, rhs)
    """
@overload
def ceildivui(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def remsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs - rhs * (lhs / rhs)

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.remsi(lhs, rhs)
    """
@overload
def remsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def remui(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        unsigned remainder

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.remui(lhs, rhs)
    """
@overload
def remui(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def andi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs & rhs

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.andi(lhs, rhs)
    """
@overload
def andi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def ori(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs | rhs

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.ori(lhs, rhs)
    """
@overload
def ori(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def xori(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs ^ rhs

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.xori(lhs, rhs)
    """
@overload
def xori(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def shli(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs << rhs

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.shli(lhs, rhs)
    """
@overload
def shli(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def shrsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs >> rhs, arithmetic

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.shrsi(lhs, rhs)
    """
@overload
def shrsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def shrui(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        lhs >> rhs, logical

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.shrui(lhs, rhs)
    """
@overload
def shrui(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def maxsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        the greater, signed

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.maxsi(lhs, rhs)
    """
@overload
def maxsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def minsi(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        the lesser, signed

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.minsi(lhs, rhs)
    """
@overload
def minsi(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def maxui(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        the greater, unsigned

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.maxui(lhs, rhs)
    """
@overload
def maxui(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def minui(lhs: T | int, rhs: T | int) -> T:
    """Scalar operation of the shared arith dialect.

        the lesser, unsigned

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.minui(lhs, rhs)
    """
@overload
def minui(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def addf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        lhs + rhs

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.addf(lhs, rhs)
    """
@overload
def addf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def subf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        lhs - rhs

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.subf(lhs, rhs)
    """
@overload
def subf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def mulf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        lhs * rhs

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.mulf(lhs, rhs)
    """
@overload
def mulf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def divf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        lhs / rhs

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.divf(lhs, rhs)
    """
@overload
def divf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def remf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        fmod(lhs, rhs)

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.remf(lhs, rhs)
    """
@overload
def remf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def maximumf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        the greater; NaN if either is; -0 < +0

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.maximumf(lhs, rhs)
    """
@overload
def maximumf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def minimumf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        the lesser; NaN if either is; -0 < +0

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.minimumf(lhs, rhs)
    """
@overload
def minimumf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def maxnumf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        the greater; the number if one is NaN

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.maxnumf(lhs, rhs)
    """
@overload
def maxnumf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def minnumf(lhs: T | float, rhs: T | float) -> T:
    """Scalar operation of the shared arith dialect.

        the lesser; the number if one is NaN

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.minnumf(lhs, rhs)
    """
@overload
def minnumf(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> T: ...

def cmpi(
    lhs: T | int,
    rhs: T | int,
    *,
    predicate: Literal["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"],
) -> i1:
    """Scalar operation of the shared arith dialect.

        result = lhs predicate rhs

    lhs: i1 or i8 or i16 or i32 or i64 or index
    rhs: i1 or i8 or i16 or i32 or i64 or index
    predicate: eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
    Targets: cpu, a2a3, a5.

        result = pto.cmpi(lhs, rhs, predicate="eq")
    """

def cmpf(
    lhs: T | float,
    rhs: T | float,
    *,
    predicate: Literal["false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"],
) -> i1:
    """Scalar operation of the shared arith dialect.

        result = lhs predicate rhs

    lhs: f16 or bf16 or f32 or f64
    rhs: f16 or bf16 or f32 or f64
    predicate: false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true
    Targets: cpu, a2a3, a5.

        result = pto.cmpf(lhs, rhs, predicate="false")
    """

def select(condition: i1 | bool, yes: T | float | Pointer[T], no: T | float | Pointer[T]) -> Any:
    """Scalar operation of the shared arith dialect.

        condition ? yes : no

    condition: i1
    yes: f32 or f16 or bf16 or f64 or i8 or si8 or ui8 or i16 or si16 or ui16 or i32 or si32 or
        ui32 or i64 or si64 or ui64 or i1 or index or !pto.ptr<T, space>
    no: f32 or f16 or bf16 or f64 or i8 or si8 or ui8 or i16 or si16 or ui16 or i32 or si32 or
    Targets: cpu, a2a3, a5.

        result = pto.select(condition, yes, no)
    """

@overload
def negf(operand: T) -> T:
    """Scalar operation of the shared arith dialect.

        -operand

    operand: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.negf(operand)
    """
@overload
def negf(operand: float) -> f32: ...
@overload
def negf(operand: Scalar | float, *, dtype: type[T]) -> T: ...

@overload
def addui_extended(lhs: T | int, rhs: T | int) -> tuple[T, i1]:
    """Scalar operation of the shared arith dialect.

        the exact result in two parts

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        low, high = pto.addui_extended(lhs, rhs)
    """
@overload
def addui_extended(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> tuple[T, i1]: ...

@overload
def mului_extended(lhs: T | int, rhs: T | int) -> tuple[T, T]:
    """Scalar operation of the shared arith dialect.

        the exact result in two parts

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        low, high = pto.mului_extended(lhs, rhs)
    """
@overload
def mului_extended(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> tuple[T, T]: ...

@overload
def mulsi_extended(lhs: T | int, rhs: T | int) -> tuple[T, T]:
    """Scalar operation of the shared arith dialect.

        the exact result in two parts

    lhs: i8 or i16 or i32 or i64 or index
    rhs: i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        low, high = pto.mulsi_extended(lhs, rhs)
    """
@overload
def mulsi_extended(lhs: Scalar | float, rhs: Scalar | float, *, dtype: type[T]) -> tuple[T, T]: ...

def index_cast(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        by sign

    operand: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.index_cast(operand, dtype=pto.f32)
    """

def index_castui(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        without sign

    operand: i1 or i8 or i16 or i32 or i64 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.index_castui(operand, dtype=pto.f32)
    """

def extsi(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        wider, by sign

    operand: i1 or i8 or i16 or i32 or i64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.extsi(operand, dtype=pto.f32)
    """

def extui(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        wider, with zeros

    operand: i1 or i8 or i16 or i32 or i64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.extui(operand, dtype=pto.f32)
    """

def trunci(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        the low bits

    operand: i1 or i8 or i16 or i32 or i64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.trunci(operand, dtype=pto.f32)
    """

def extf(operand: Float | float, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        wider, exact

    operand: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.extf(operand, dtype=pto.f32)
    """

def truncf(
    operand: Float | float,
    *,
    roundingmode: Literal["to_nearest_even", "downward", "upward", "toward_zero", "to_nearest_away"] = "to_nearest_even",
    dtype: type[U],
) -> U:
    """Scalar operation of the shared arith dialect.

        narrower, rounded

    operand: f16 or bf16 or f32 or f64
    roundingmode: which number near it; to_nearest_even, downward, upward, toward_zero,
        to_nearest_away; to_nearest_even unless said
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.truncf(operand, dtype=pto.f32)
    """

def sitofp(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        nearest, ties to even

    operand: i1 or i8 or i16 or i32 or i64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.sitofp(operand, dtype=pto.f32)
    """

def uitofp(operand: Integer | int, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        nearest, ties to even

    operand: i1 or i8 or i16 or i32 or i64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.uitofp(operand, dtype=pto.f32)
    """

def fptosi(operand: Float | float, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        toward zero

    operand: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.fptosi(operand, dtype=pto.f32)
    """

def fptoui(operand: Float | float, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        toward zero

    operand: f16 or bf16 or f32 or f64
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.fptoui(operand, dtype=pto.f32)
    """

def bitcast(operand: Scalar | float, *, dtype: type[U]) -> U:
    """Scalar operation of the shared arith dialect.

        the same bits

    operand: f32 or f16 or bf16 or f64 or i8 or si8 or ui8 or i16 or si16 or ui16 or i32 or si32
        or ui32 or i64 or si64 or ui64 or i1 or index
    dtype: the element type of the result, as in pto.f32
    Targets: cpu, a2a3, a5.

        result = pto.bitcast(operand, dtype=pto.f32)
    """
