// Lanes as a grid: values, masks and bytes.
//
// For tests: .lanes has data-writing; each lane is a .lane with data-lane, its text, and a title with its value in
// full, its bits in hexadecimal and what is special about it. Classes: inactive, undefined, changed; of a mask on, off.

import { brief, exact, maskLanes, textOf, widthOf } from "./format.js";
import { make } from "./state.js";

/**
 * @typedef {import("./format.js").Writing} Writing
 * @typedef {{bytes: Uint8Array, undefined: Uint8Array | null}} Value
 * @typedef {{element: string, lanes: number, writing: Writing, active: boolean[] | null,
 *   before: Value | null, label: string}} GridOptions
 */

/** Lanes in a row of the grid, by how wide their text is. @param {string} element @param {Writing} writing */
function lanesInRow(element, writing) {
  if (writing === "bits") return Math.max(1, 8 / widthOf(element));
  return widthOf(element) === 1 && !element.startsWith("f4") ? 16 : 8;
}

/** @param {Uint8Array} bytes */
export function viewOf(bytes) {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * The grid of a vector.
 * @param {Value} value
 * @param {GridOptions} options
 */
export function laneGrid(value, { element, lanes, writing, active, before, label }) {
  const row = lanesInRow(element, writing);
  const grid = make("div", { class: "lanes", role: "group", "aria-label": label, "data-writing": writing });
  grid.style.setProperty("--in-row", String(row));
  const view = viewOf(value.bytes);
  const width = widthOf(element);
  const cells = [];
  for (let lane = 0; lane < lanes; lane++) {
    if (lane % row === 0) cells.push(make("span", { class: "first-lane", "aria-hidden": "true" }, String(lane)));
    const at = lane * width;
    const lost = value.undefined !== null && value.undefined[lane] !== 0;
    const off = active !== null && !active[lane];
    const changed = before !== null && differs(value.bytes, before.bytes, at, width);
    const about = `${textOf(view, at, element, "value", exact)} (0x${textOf(view, at, element, "hex")})`;
    const more = `${lost ? ", undefined" : ""}${off ? ", inactive" : ""}${changed ? ", changed" : ""}`;
    const classes = `lane${lost ? " undefined" : ""}${off ? " inactive" : ""}${changed ? " changed" : ""}`;
    const text = textOf(view, at, element, writing, (value) => brief(value, lost ? 7 : 8));
    cells.push(make("span", { class: classes, "data-lane": String(lane), title: `lane ${lane}: ${about}${more}` }, lost ? `?${text}` : text));
  }
  grid.append(...cells);
  return grid;
}

/** @param {Uint8Array} a @param {Uint8Array} b @param {number} at @param {number} width */
function differs(a, b, at, width) {
  for (let byte = at; byte < at + width; byte++) if (a[byte] !== b[byte]) return true;
  return false;
}

/**
 * The grid of a mask, with how many lanes are on.
 * @param {Value} value
 * @param {number} lanes
 * @param {string} label
 */
export function maskGrid(value, lanes, label) {
  const on = maskLanes(value.bytes, lanes);
  const lost = value.undefined ? maskLanes(value.undefined, lanes) : null;
  const grid = make("div", { class: "lanes mask", role: "group", "aria-label": `${label}, ${on.filter(Boolean).length} on` });
  const cells = [];
  for (let lane = 0; lane < lanes; lane++) {
    if (lane % 32 === 0) cells.push(make("span", { class: "first-lane", "aria-hidden": "true" }, String(lane)));
    const unsure = lost !== null && lost[lane];
    const title = `lane ${lane}: ${on[lane] ? "on" : "off"}${unsure ? ", undefined" : ""}`;
    cells.push(make("span", { class: `lane ${on[lane] ? "on" : "off"}${unsure ? " undefined" : ""}`, "data-lane": String(lane), title },
      unsure ? "?" : on[lane] ? "1" : "0"));
  }
  grid.append(...cells);
  return grid;
}

/**
 * Which of a value's lanes a mask lets take part: null where their lanes do not go with each other.
 * @param {boolean[]} mask
 * @param {number} lanes
 * @returns {boolean[] | null}
 */
export function activeLanes(mask, lanes) {
  if (mask.length === lanes) return mask;
  // A lane of 64 bits is governed by the first of a pair.
  return mask.length === 2 * lanes && lanes === 32 ? mask.filter((_, lane) => lane % 2 === 0) : null;
}
