// Bytes of a memory as elements of a type.
//
// For tests: #memory-table has a .element for each, with data-byte, its text and a title; classes undefined, written
// and read say what this step did to it.

import { brief, exact, textOf, widthOf } from "./format.js";
import { viewOf } from "./lane_grid.js";
import { State, make } from "./state.js";

/** Types that memory can be seen as; "hex" is bytes. */
export const MEMORY_TYPES = ["hex", "f32", "f16", "bf16", "si8", "si16", "si32", "si64", "ui8", "ui16", "ui32", "ui64",
  "f64", "f8e4m3", "f8e5m2", "hif8", "f4e1m2", "f4e2m1"];
const MOST_ELEMENTS = 1024;

/**
 * The elements of a range.
 * @param {State} state
 * @param {number} number
 * @param {number} begin
 * @param {number} end
 * @param {string} type
 * @returns {HTMLElement}
 */
export function memoryTable(state, number, begin, end, type) {
  const { run, step } = state;
  const { data, undefined: lost } = run.memory(number, step);
  const element = type === "hex" ? "ui8" : type;
  const width = widthOf(element);
  const inRow = type === "hex" ? 16 : width === 1 ? 16 : 8;
  const count = Math.floor((end - begin) / width);
  const shown = Math.min(count, MOST_ELEMENTS);
  const accesses = (step < 0 ? [] : run.accessesOf(step)).filter((row) => run.column("access_space")[row] === number);
  const [writes, reads] = [1, 0].map((kind) => accesses.filter((row) => run.column("access_writes")[row] === kind));
  const table = make("div", { class: "lanes", id: "memory-table", role: "group", tabindex: "0",
    "aria-label": `bytes ${begin} to ${end - 1} as ${type}: arrows choose a byte`, "aria-describedby": "memory-cell",
    "data-keys": "arrows", "data-columns": String(inRow) });
  table.style.setProperty("--in-row", String(inRow));
  const view = viewOf(data);
  const cells = [];
  for (let k = 0; k < shown; k++) {
    const at = begin + k * width;
    if (k % inRow === 0) cells.push(make("span", { class: "first-lane" }, `0x${at.toString(16)}`));
    const gone = lost.subarray(at, at + width).some(Boolean);
    const written = writes.some((row) => run.touches(row, at));
    const read = reads.some((row) => run.touches(row, at));
    const more = `${gone ? ", undefined" : ""}${written ? ", written now" : ""}${read ? ", read now" : ""}`;
    const title = `byte ${at}: ${textOf(view, at, element, "value", exact)} (0x${textOf(view, at, element, "hex")})${more}`;
    const text = textOf(view, at, element, type === "hex" ? "hex" : "value", (value) => brief(value, gone ? 7 : 8));
    cells.push(make("span", { class: `lane element${gone ? " undefined" : ""}${written ? " written" : ""}${read ? " read" : ""}`,
      "data-byte": String(at), title }, gone ? `?${text}` : text));
  }
  table.append(...cells);
  if (shown === count) return table;
  return make("div", {}, table, make("p", { class: "quiet" }, `The first ${shown} of ${count} elements of the selection.`));
}
