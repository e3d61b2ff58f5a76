// Tiles as matrices: those of the instruction of this moment, and what was written last to the other memories.
//
// For tests: each matrix is a .matrix with data-role, data-space and data-layout; its elements are .element with
// data-row, data-column and data-byte, their text and a title. #tiles-row and #tiles-column are where they begin.

import { brief, exact, textOf, widthOf } from "./format.js";
import { viewOf } from "./lane_grid.js";
import { State, byId, make } from "./state.js";
import { keepShown, openTab } from "./tabs.js";

const MOST_ROWS = 32;
const MOST_COLUMNS = 16;

/**
 * @typedef {import("./data.js").Tile} Tile
 * @typedef {import("./data.js").Axis} Axis
 */

/** Where an index of an axis lies. @param {Axis} axis @param {number} index */
function along(axis, index) {
  return Math.floor(index / axis.width) * axis.block + (index % axis.width) * axis.step;
}

/**
 * The byte of an element of a tile.
 * @param {Tile} tile
 * @param {number} row
 * @param {number} column
 */
export function byteOf(tile, row, column) {
  return tile.begin + along(tile.down, row) + along(tile.along, column);
}

/**
 * Shows the tiles.
 * @param {State} state
 * @param {(number: number, byte: number) => void} showMemory
 */
export function showTiles(state, showMemory) {
  const pane = byId("tiles");
  const field = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (
    make("input", { id, type: "number", min: "0", value: "0", style: "width: 5em" }));
  const [row, column] = [field("tiles-row"), field("tiles-column")];
  const body = make("div", { id: "matrices" });
  pane.append(make("div", { class: "panel-tools" }, make("label", {}, "From row ", row), make("label", {}, "column ", column)), body);

  /** @param {Tile} tile @param {boolean} now */
  const matrix = (tile, now) => {
    const { run, step } = state;
    const space = run.space(tile.space);
    const title = `${tile.role}: ${tile.rows} x ${tile.columns} ${tile.element} in ${space.name} from byte 0x${tile.begin.toString(16)}, ${tile.layout}`;
    const from = Math.max(0, Math.min(Number(row.value) || 0, tile.rows - 1));
    const first = Math.max(0, Math.min(Number(column.value) || 0, tile.columns - 1));
    const [end, last] = [Math.min(tile.rows, from + MOST_ROWS), Math.min(tile.columns, first + MOST_COLUMNS)];
    const shown = make("div", { class: "lanes matrix-grid", role: "group", "aria-label": title, tabindex: "0" });
    shown.style.setProperty("--in-row", String(last - first));
    const { data, undefined: lost } = run.memory(tile.space, step);
    const view = viewOf(data);
    const [width, element] = [widthOf(tile.element), tile.element];
    const cells = [make("span", { class: "first-lane", "aria-hidden": "true" })];
    for (let c = first; c < last; c++) cells.push(make("span", { class: "first-lane", "aria-hidden": "true" }, String(c)));
    for (let r = from; r < end; r++) {
      cells.push(make("span", { class: "first-lane", "aria-hidden": "true" }, String(r)));
      for (let c = first; c < last; c++) {
        const at = byteOf(tile, r, c);
        const gone = lost.subarray(at, at + width).some(Boolean);
        const edges = `${c > first && tile.along.width > 1 && c % tile.along.width === 0 ? " left-edge" : ""}`
          + `${r > from && tile.down.width > 1 && r % tile.down.width === 0 ? " top-edge" : ""}`;
        const about = `(${r}, ${c}), ${space.name} byte 0x${at.toString(16)}: ${textOf(view, at, element, "value", exact)}${gone ? ", undefined" : ""}`;
        const text = textOf(view, at, element, "value", (value) => brief(value, gone ? 7 : 8));
        cells.push(make("span", { class: `lane element${gone ? " undefined" : ""}${edges}`, "data-row": String(r),
          "data-column": String(c), "data-byte": String(at), title: about }, gone ? `?${text}` : text));
      }
    }
    shown.append(...cells);
    shown.addEventListener("click", (event) => {
      const found = /** @type {HTMLElement} */ (event.target).closest(".element");
      if (!(found instanceof HTMLElement) || String(getSelection())) return;
      openTab("memory");
      showMemory(tile.space, Number(found.dataset.byte));
    });
    const whole = end - from === tile.rows && last - first === tile.columns;
    const rest = whole ? [] : [make("p", { class: "quiet" }, `Rows ${from} to ${end - 1}, columns ${first} to ${last - 1}.`)];
    const by = now ? [] : [goTo(tile.step)];
    return make("div", { class: `matrix${now ? " now" : ""}`, "data-role": tile.role, "data-space": space.name, "data-layout": tile.layout },
      make("p", {}, make("strong", {}, title), ...by), ...rest, shown);
  };

  /** The moment that wrote a tile. @param {number} step */
  const goTo = (step) => {
    const button = make("button", { type: "button", class: "link", title: "go to the moment that wrote it" },
      ` written by line ${state.run.placeOf(step).line}, moment ${step}`);
    button.addEventListener("click", () => state.go(step));
    return button;
  };

  const render = () => {
    const { run, step } = state;
    if (step < 0) return;
    const mine = run.tilesOf(step);
    const parts = mine.map((tile) => matrix(tile, true));
    if (!parts.length) parts.push(make("p", { class: "quiet" }, "This instruction works on no tiles."));
    const here = new Set(mine.filter((tile) => tile.writes).map((tile) => tile.space));
    const others = run.data.run.spaces.filter((space) => space.own && !here.has(space.number))
      .map((space) => run.lastTile(space.number, step)).filter((tile) => tile !== null);
    if (others.length) parts.push(make("h3", {}, "Written last to the other memories"), ...others.map((tile) => matrix(tile, false)));
    body.replaceChildren(...parts);
  };

  for (const input of [row, column]) input.addEventListener("change", render);
  keepShown(state, "tiles", render);
}
