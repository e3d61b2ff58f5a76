// Memory after a step: a map of who wrote what, and a selection of it as elements.
//
// For tests: #memory-space, #memory-mode, #memory-range, #memory-selection, #memory-type, #memory-follow; the moves
// #memory-writer, #memory-reader, #memory-next, about the chosen byte, which #memory-cell describes and the element
// .chosen has; see memory_map.js, memory_table.js.

import { FATES } from "./cells.js";
import { MAP_MODES, MemoryMap } from "./memory_map.js";
import { MEMORY_TYPES, memoryTable } from "./memory_table.js";
import { State, byId, make } from "./state.js";
import { keepShown } from "./tabs.js";

/** Keys while the memory is open. */
export const MEMORY_KEYS = [
  ["w", "previous writer of the chosen byte"],
  ["r", "previous reader of it"],
  ["x", "next access to it"],
  ["z", "zoom the map to the selection"],
  ["o", "zoom out: all that the run uses"],
];

/** @param {{begin: number, end: number}} range */
function rangeText({ begin, end }) {
  return `0x${begin.toString(16)}..0x${end.toString(16)}`;
}

/**
 * A range as people write it: `0x100..0x140`, or one byte.
 * @param {string} text
 * @param {number} size
 * @returns {{begin: number, end: number} | null}
 */
export function readRange(text, size) {
  const found = text.trim().match(/^(0x[0-9a-f]+|\d+)(?:\s*(?:\.\.|-)\s*(0x[0-9a-f]+|\d+))?$/i);
  if (!found) return null;
  const begin = Number(found[1]);
  const end = found[2] ? Number(found[2]) : begin + 1;
  return begin < end && end <= size ? { begin, end } : null;
}

/**
 * Shows the memory; gives a function that shows a byte of a memory.
 * @param {State} state
 * @returns {(number: number, byte: number) => void}
 */
export function showMemory(state) {
  const pane = byId("memory");
  const map = new MemoryMap(state);
  const seen = { number: 0, range: { begin: 0, end: 0 }, selection: { begin: 0, end: 0 }, byte: 0, run: -1 };
  /** Where a selection began. */
  let anchor = 0;

  /** @param {string} id @param {Record<string, string>} options */
  const chooser = (id, options) => /** @type {HTMLSelectElement} */ (make("select", { id },
    ...Object.entries(options).map(([value, text]) => make("option", { value }, text))));
  const space = chooser("memory-space", {});
  const mode = chooser("memory-mode", MAP_MODES);
  const type = chooser("memory-type", Object.fromEntries(MEMORY_TYPES.map((name) => [name, name])));
  type.value = "f32";
  const field = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (make("input", { id, size: "16", spellcheck: "false" }));
  const [range, selected] = [field("memory-range"), field("memory-selection")];
  const follow = /** @type {HTMLInputElement} */ (make("input", { id: "memory-follow", type: "checkbox" }));
  follow.checked = true;
  /** @param {string} id @param {string} text @param {string} key @param {() => void} act */
  const move = (id, text, key, act) => {
    const button = make("button", { type: "button", id, title: `${text} (${key})` }, text);
    button.addEventListener("click", act);
    return button;
  };
  const legend = make("div", { id: "memory-legend" });
  const about = make("p", { id: "memory-cell", role: "status", "aria-live": "polite" });
  const table = make("div", {});
  pane.append(
    make("div", { class: "panel-tools" }, make("label", {}, "Memory ", space), make("label", {}, "Colours ", mode),
      make("label", {}, "Map of ", range), move("memory-zoom", "Zoom", "z", () => zoom(seen.selection)),
      move("memory-used", "All used", "o", () => zoom(usedRange()))),
    map.canvas, legend,
    make("div", { class: "panel-tools" }, make("label", {}, "Selection ", selected), make("label", {}, "as ", type),
      make("label", {}, follow, " follows the moment"),
      move("memory-writer", "Previous writer", "w", () => access(true)),
      move("memory-reader", "Previous reader", "r", () => access(false)),
      move("memory-next", "Next access", "x", () => access(null))),
    about, table,
  );

  const sizeOf = () => state.run.space(seen.number).size;

  /** The range that the run touches, or all if it touches nothing. */
  const usedRange = () => {
    const { run } = state;
    const [spaces, start] = [run.column("access_space"), run.column("access_start")];
    let [begin, end] = [Infinity, 0];
    for (let row = 0; row < spaces.length; row++) {
      if (spaces[row] !== seen.number) continue;
      begin = Math.min(begin, start[row]);
      const stretch = (run.column("access_count")[row] - 1) * run.column("access_stride")[row];
      end = Math.max(end, start[row] + stretch + run.column("access_length")[row]);
    }
    if (begin >= end) return { begin: 0, end: sizeOf() };
    return { begin: Math.floor(begin / 256) * 256, end: Math.min(sizeOf(), Math.ceil(end / 256) * 256) };
  };

  /** @param {number} number */
  const chooseSpace = (number) => {
    seen.number = number;
    space.value = String(number);
    seen.range = usedRange();
    select(seen.range.begin, Math.min(seen.range.begin + 256, seen.range.end));
  };

  /** @param {{begin: number, end: number}} to */
  const zoom = (to) => {
    seen.range = to;
    render();
  };

  /** @param {number} begin @param {number} end */
  const select = (begin, end) => {
    const size = sizeOf();
    seen.selection = { begin: Math.max(0, Math.min(begin, size - 1)), end: Math.max(1, Math.min(end, size)) };
    seen.byte = seen.selection.begin;
  };

  /** Somebody selects: what the run does next does not move it. @param {number} begin @param {number} end */
  const selectByHand = (begin, end) => {
    follow.checked = false;
    select(begin, end);
    render();
  };

  /** @param {boolean | null} writes null: either, after this step */
  const access = (writes) => {
    const { run, step } = state;
    const { byte } = seen;
    follow.checked = false;
    // The step that is shown has been found: what was before it is wanted.
    const found = writes === null ? run.nextAccess(seen.number, byte, step) : run.lastAccess(seen.number, byte, step - 1, writes);
    if (found >= 0) state.go(found);
    else about.textContent = `Byte 0x${byte.toString(16)} has no ${writes === null ? "next access" : writes ? "writer before this moment" : "reader before this moment"}${run.space(seen.number).own ? " in this block" : ""}.`;
  };

  /** Goes along with what the step writes, or reads. */
  const followStep = () => {
    const { run, step } = state;
    const rows = run.accessesOf(step).filter((row) => run.data.run.spaces.some((one) => one.number === run.column("access_space")[row]));
    const row = rows.find((one) => run.column("access_writes")[one]) ?? rows[0];
    if (row === undefined) return;
    const number = run.column("access_space")[row];
    if (number !== seen.number) chooseSpace(number);
    const start = run.column("access_start")[row];
    const end = start + (run.column("access_count")[row] - 1) * run.column("access_stride")[row] + run.column("access_length")[row];
    select(start, end);
    if (start < seen.range.begin || end > seen.range.end) seen.range = usedRange();
    const place = run.placeOf(step);
    const shape = place.operands.map((slot) => run.data.slots.shapes[slot])
      .find((one) => one.kind === "pointer" && run.seenAt(one.space ?? number, step) === number);
    const wanted = shape?.to?.replace(/^i(?=\d)/, "si");
    if (wanted && MEMORY_TYPES.includes(wanted)) type.value = wanted;
  };

  /** What is known of a byte, in words. @param {number} byte */
  const known = (byte) => {
    const { run, step } = state;
    const { cells } = map;
    const [wrote, read] = [run.lastAccess(seen.number, byte, step, true), run.lastAccess(seen.number, byte, step, false)];
    const next = run.nextAccess(seen.number, byte, step);
    /** @param {number} at */
    const moment = (at) => `line ${run.placeOf(at).line} at moment ${at}`;
    const parts = [wrote < 0 ? "not written yet" : `written by ${moment(wrote)}`];
    if (read >= 0) parts.push(`read by ${moment(read)}`);
    if (next >= 0) parts.push(`next accessed by ${moment(next)}`);
    const cell = cells ? Math.floor((byte - cells.begin) / cells.size) : -1;
    if (cells && cell >= 0 && cell < cells.count && (wrote >= 0 || !cells.own)) parts.push(`its cell is ${FATES[cells.fate(cell, step)]}`);
    return `${run.space(seen.number).name} byte 0x${byte.toString(16)}: ${parts.join("; ")}.`;
  };

  /** Chooses a byte of the selection. @param {number} byte */
  const chooseByte = (byte) => {
    seen.byte = byte;
    table.querySelector(".chosen")?.classList.remove("chosen");
    table.querySelector(`[data-byte="${byte}"]`)?.classList.add("chosen");
    about.textContent = known(byte);
  };

  const sayLegend = () => {
    const { run } = state;
    const cells = map.cells;
    if (!cells) return;
    /** @type {(Node | string)[]} */
    const parts = [`${cells.size} bytes a cell. `];
    if (mode.value === "writer")
      for (const line of map.lines) {
        const button = make("button", { type: "button", class: "link", "data-line": String(line) }, `line ${line}`);
        button.addEventListener("click", () => state.show({ line }));
        const swatch = make("i", { class: "swatch" });
        swatch.style.background = `var(${map.colourOf(line)})`;
        parts.push(make("span", { class: "key", title: run.data.source[line - 1].trim() }, swatch, button));
      }
    else if (mode.value === "fate") parts.push("Full: live, read later. Half: kept for the caller. A line: dead. ");
    else {
      const kind = mode.value === "reads" ? "reads" : "writes";
      parts.push(`The stronger the colour, the more ${kind}: at most ${map.most(kind)} of a cell. `);
    }
    if (mode.value === "writer" || mode.value === "fate") parts.push("Hatched: undefined. ");
    parts.push("Boxes: written (solid) or read (dashed) at this moment.");
    legend.replaceChildren(...parts);
  };

  const render = () => {
    const { run, step } = state;
    if (!run.data.run.spaces.length || step < 0) return;
    if (seen.run !== state.shown.run) {
      seen.run = state.shown.run;
      space.replaceChildren(...run.data.run.spaces.map((one) => make("option", { value: String(one.number) }, `${one.name} (${one.size} bytes)`)));
      const ub = run.data.run.spaces.find((one) => one.name === "ub");
      chooseSpace((ub || run.data.run.spaces[0]).number);
    }
    if (follow.checked) followStep();
    map.choose(seen.number, seen.range.begin, seen.range.end);
    map.draw(/** @type {import("./memory_map.js").MapMode} */ (mode.value), seen.selection);
    range.value = rangeText(seen.range);
    selected.value = rangeText(seen.selection);
    sayLegend();
    const focused = table.contains(document.activeElement);
    table.replaceChildren(memoryTable(state, seen.number, seen.selection.begin, seen.selection.end, type.value));
    if (focused) byId("memory-table").focus();
    chooseByte(seen.byte);
  };

  space.addEventListener("change", () => {
    follow.checked = false;
    chooseSpace(Number(space.value));
    render();
  });
  for (const input of [mode, type, follow]) input.addEventListener("change", render);
  range.addEventListener("change", () => {
    const wanted = readRange(range.value, sizeOf());
    if (wanted) zoom(wanted);
    else about.textContent = `'${range.value}' is no range of bytes 0 to ${sizeOf() - 1}: write 0x100..0x140.`;
  });
  selected.addEventListener("change", () => {
    const wanted = readRange(selected.value, sizeOf());
    if (wanted) selectByHand(wanted.begin, wanted.end);
    else about.textContent = `'${selected.value}' is no range of bytes 0 to ${sizeOf() - 1}: write 0x100..0x140.`;
  });

  /** From the cell at which the selection began to another. @param {number} cell @param {boolean} extend */
  const selectCell = (cell, extend) => {
    const cells = map.cells;
    if (!cells) return;
    const at = Math.min(cells.count - 1, Math.max(0, cell));
    if (!extend) anchor = at;
    cursor = at;
    const [low, high] = [Math.min(anchor, at), Math.max(anchor, at)];
    selectByHand(cells.begin + low * cells.size, Math.min(cells.end, cells.begin + (high + 1) * cells.size));
  };
  let cursor = 0;
  map.canvas.addEventListener("pointerdown", (event) => {
    map.canvas.setPointerCapture(event.pointerId);
    selectCell(map.cellAt(event.clientX, event.clientY), event.shiftKey);
  });
  map.canvas.addEventListener("pointermove", (event) => {
    const cell = map.cellAt(event.clientX, event.clientY);
    if (event.buttons & 1) selectCell(cell, true);
    else if (map.cells) map.canvas.title = known(map.cells.begin + cell * map.cells.size);
  });
  table.addEventListener("click", (event) => {
    const found = /** @type {HTMLElement} */ (event.target).closest(".element");
    if (!(found instanceof HTMLElement) || String(getSelection())) return;
    follow.checked = false;
    chooseByte(Number(found.dataset.byte));
  });
  table.addEventListener("keydown", (event) => {
    const shown = /** @type {HTMLElement[]} */ ([...table.querySelectorAll(".element")]);
    const row = Number(byId("memory-table").dataset.columns);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -row, ArrowDown: row }[event.key];
    if (!by || !shown.length) return;
    event.preventDefault();
    event.stopPropagation();
    follow.checked = false;
    const at = shown.findIndex((one) => Number(one.dataset.byte) === seen.byte);
    chooseByte(Number(shown[Math.min(shown.length - 1, Math.max(0, at + by))].dataset.byte));
  });
  map.canvas.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -map.columns, ArrowDown: map.columns }[event.key];
    if (!by || !map.cells) return;
    event.preventDefault();
    event.stopPropagation();
    selectCell(cursor + by, event.shiftKey);
  });
  map.canvas.addEventListener("focus", () => {
    if (map.cells) cursor = Math.max(0, Math.floor((seen.selection.begin - map.cells.begin) / map.cells.size));
  });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (pane.hidden || event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog, #timeline-pane")) return;
    const act = { w: () => access(true), r: () => access(false), x: () => access(null),
      z: () => zoom(seen.selection), o: () => zoom(usedRange()) }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  addEventListener("theme", () => render());
  addEventListener("resize", () => {
    if (!pane.hidden) render();
  });
  keepShown(state, "memory", render);
  return (number, byte) => {
    if (number !== seen.number) chooseSpace(number);
    selectByHand(byte, byte + 256);
  };
}
