// Numbers as people read them.

const WIDTHS = /** @type {Record<string, number>} */ ({ i1: 1, index: 8 });

/**
 * The numbers that codes of floats of 8 and 4 bits stand for, by type.
 * @type {Record<string, ArrayLike<number>>}
 */
const CODES = {};

/**
 * Learns the numbers of the codes from a run; all runs have the same.
 * @param {{column: (name: string) => ArrayLike<number>}} run
 */
export function learnCodes(run) {
  for (const name of ["f8e4m3", "f8e5m2", "hif8", "f4e1m2", "f4e2m1"]) CODES[name] = run.column(`codes_${name}`);
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
 * A float of 16 bits as a number.
 * @param {number} bits
 * @param {number} exponent
 * @param {number} fraction
 */
function half(bits, exponent, fraction) {
  const sign = bits >> (exponent + fraction) ? -1 : 1;
  const top = (1 << exponent) - 1;
  const e = (bits >> fraction) & top;
  const f = bits & ((1 << fraction) - 1);
  if (e === top) return f ? NaN : sign * Infinity;
  const bias = top >> 1;
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
      return half(view.getUint16(at, true), 5, 10);
    case "bf16":
      return half(view.getUint16(at, true), 8, 7);
    case "f8e4m3":
    case "f8e5m2":
    case "hif8":
      return CODES[element][view.getUint8(at)];
    case "f4e1m2":
    case "f4e2m1":
      return view.getUint8(at);
    case "index":
    case "i64":
    case "si64":
      return view.getBigInt64(at, true);
    case "ui64":
      return view.getBigUint64(at, true);
  }
  const unsigned = element.startsWith("ui") || element === "i1";
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
 * How elements are written: as values, in hexadecimal or as bits.
 * @typedef {"value" | "hex" | "bits"} Writing
 */

/**
 * One element as text.
 * @param {DataView} view
 * @param {number} at
 * @param {string} type
 * @param {Writing} [writing]
 * @param {(value: number | bigint) => string} [number]
 * @returns {string}
 */
export function textOf(view, at, type, writing = "value", number = short) {
  const width = widthOf(type);
  if (writing === "value") {
    if (type === "i1") return view.getUint8(at) ? "true" : "false";
    // Two neighbours share a byte, the first in its low half.
    if (type.startsWith("f4")) return [0, 4].map((by) => number(CODES[type][(view.getUint8(at) >> by) & 15])).join(" ");
    return number(element(view, at, type));
  }
  const bytes = Array.from({ length: width }, (_, k) => view.getUint8(at + width - 1 - k));
  return bytes.map((byte) => (writing === "hex" ? byte.toString(16).padStart(2, "0") : byte.toString(2).padStart(8, "0"))).join("");
}

/**
 * The lanes of a mask, of whose bits the first of each lane counts.
 * @param {Uint8Array} bytes
 * @param {number} lanes
 * @returns {boolean[]}
 */
export function maskLanes(bytes, lanes) {
  const stride = Math.max(1, Math.floor(bytes.length / lanes));
  return Array.from({ length: lanes }, (_, lane) => bytes[lane * stride] !== 0);
}

/**
 * A number with all digits that it needs, of 32 bits no more than those.
 * @param {number | bigint} value
 */
export function exact(value) {
  if (typeof value === "bigint" || Number.isInteger(value) || !Number.isFinite(value)) return short(value);
  for (let digits = 6; digits < 10 && Math.fround(value) === value; digits++) {
    const near = Number(value.toPrecision(digits));
    if (Math.fround(near) === value) return String(near);
  }
  return String(value);
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
 * A number in the width of a lane, integers whole.
 * @param {number | bigint} value
 * @param {number} width
 */
export function brief(value, width = 8) {
  const text = short(value);
  if (text.length <= width || typeof value === "bigint" || Number.isInteger(value)) return text;
  for (let digits = 5; digits > 1; digits--) {
    const fewer = value.toPrecision(digits);
    const plain = fewer.includes("e") ? fewer : String(Number(fewer));
    if (plain.length <= width) return plain;
  }
  return value.toExponential(1);
}

/**
 * A count with its noun.
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
