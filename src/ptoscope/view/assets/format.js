// Numbers as people read them.

const WIDTHS = /** @type {Record<string, number>} */ ({ i1: 1, index: 8 });

/**
 * The element type of a value's type: of `!pto.vreg<64xf32>` it is `f32`, of a mask `mask`.
 * @param {string} type
 */
export function elementOf(type) {
  if (type.startsWith("!pto.mask")) return "mask";
  const vector = type.match(/^!pto\.vreg<\d+x(\w+)>$/);
  if (vector) return vector[1];
  if (type.startsWith("!pto.align")) return "align";
  return type.startsWith("!pto.ptr") || type.startsWith("!pto.vaddr") ? "index" : type;
}

/**
 * Bytes of an element.
 * @param {string} element
 */
export function widthOf(element) {
  const bits = element.match(/(\d+)/);
  return WIDTHS[element] || (bits ? Math.max(1, Number(bits[1]) >> 3) : 1);
}

/**
 * Floats of few bits: sign, exponent and fraction, as numbers.
 * @param {number} bits
 * @param {number} exponent
 * @param {number} fraction
 * @param {boolean} infinite whether the highest exponent means infinities and NaN
 */
function small(bits, exponent, fraction, infinite) {
  const sign = bits >> (exponent + fraction) ? -1 : 1;
  const top = (1 << exponent) - 1;
  const e = (bits >> fraction) & top;
  const f = bits & ((1 << fraction) - 1);
  if (e === top && infinite) return f ? NaN : sign * Infinity;
  if (e === top && !infinite && f === (1 << fraction) - 1) return NaN;
  const bias = (1 << (exponent - 1)) - 1;
  return e ? sign * 2 ** (e - bias) * (1 + f / 2 ** fraction) : sign * 2 ** (1 - bias - fraction) * f;
}

/**
 * One element of bytes: a number, or a BigInt of 64 bits.
 * @param {DataView} view
 * @param {number} at
 * @param {string} element
 * @returns {number | bigint}
 */
export function element(view, at, element) {
  switch (element) {
    case "f32":
      return view.getFloat32(at, true);
    case "f64":
      return view.getFloat64(at, true);
    case "f16":
      return small(view.getUint16(at, true), 5, 10, true);
    case "bf16":
      return small(view.getUint16(at, true), 8, 7, true);
    case "f8E4M3FN":
      return small(view.getUint8(at), 4, 3, false);
    case "f8E5M2":
      return small(view.getUint8(at), 5, 2, true);
    case "index":
    case "i64":
    case "si64":
      return view.getBigInt64(at, true);
    case "ui64":
      return view.getBigUint64(at, true);
  }
  const unsigned = element.startsWith("ui") || element === "i1" || element === "mask";
  switch (widthOf(element)) {
    case 1:
      return unsigned ? view.getUint8(at) : view.getInt8(at);
    case 2:
      return unsigned ? view.getUint16(at, true) : view.getInt16(at, true);
    case 4:
      return unsigned ? view.getUint32(at, true) : view.getInt32(at, true);
    default:
      return unsigned ? view.getBigUint64(at, true) : view.getBigInt64(at, true);
  }
}

/**
 * The elements of bytes.
 * @param {Uint8Array} bytes
 * @param {string} type
 * @returns {(number | bigint)[]}
 */
export function elements(bytes, type) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const width = widthOf(type);
  const found = [];
  for (let at = 0; at + width <= bytes.byteLength; at += width) found.push(element(view, at, type));
  return found;
}

/**
 * The lanes of a mask: of its 256 bits, one for each lane.
 * @param {Uint8Array} bytes
 * @param {string} type
 * @returns {boolean[]}
 */
export function maskLanes(bytes, type) {
  const bits = Number((type.match(/b(\d+)/) || ["", "8"])[1]);
  const lanes = 2048 / bits;
  const stride = Math.max(1, bytes.length / lanes);
  return Array.from({ length: lanes }, (_, lane) => bytes[lane * stride] !== 0);
}

/**
 * A number in few characters.
 * @param {number | bigint} value
 */
export function short(value) {
  if (typeof value === "bigint" || Number.isInteger(value)) {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  const text = value.toPrecision(6);
  return text.includes("e") ? text : String(Number(text));
}

/**
 * Bytes in hexadecimal.
 * @param {Uint8Array} bytes the lowest first
 */
export function hex(bytes) {
  return [...bytes].reverse().map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * A count with its noun.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
