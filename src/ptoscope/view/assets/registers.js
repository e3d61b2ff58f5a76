// The values that are there after a step: those of its instruction first, then all others.
//
// For tests: each value is a .value with data-slot, data-name and data-role (operand, mask, result or other); its
// button .maker has data-maker, the step that made it. #values-filter, #values-writing, #values-others, #signals.

import { exact, maskLanes, short, textOf } from "./format.js";
import { activeLanes, laneGrid, maskGrid, viewOf } from "./lane_grid.js";
import { State, byId, make } from "./state.js";
import { keepShown, openTab } from "./tabs.js";

/** @typedef {"operand" | "mask" | "result" | "other"} Role */

/**
 * Where a pointer points: the number of its memory (null if it has none), the byte in it, and in words.
 * @param {import("./data.js").Run} run
 * @param {number} step
 * @param {import("./data.js").Shape} shape
 * @param {bigint} address
 * @returns {{number: number | null, byte: number, text: string}}
 */
function pointed(run, step, shape, address) {
  const { data } = run;
  if (typeof shape.space === "number") {
    const number = run.seenAt(shape.space, step);
    const space = data.run.spaces.find((one) => one.number === number);
    const byte = Number(address);
    return { number: space ? space.number : null, byte, text: `${space ? space.name : "memory"} 0x${address.toString(16)} (byte ${byte})` };
  }
  // Each array lies in the middle of its own stretch: the nearest base is its own.
  const away = (/** @type {import("./data.js").GmArray} */ one) => Math.abs(Number(address - BigInt(one.base)));
  const array = data.arrays.reduce((best, one) => (away(one) < away(best) ? one : best), data.arrays[0]);
  if (!array) return { number: null, byte: 0, text: `0x${address.toString(16)}` };
  const byte = Number(address - BigInt(array.base));
  const space = data.run.spaces.find((one) => one.number === array.number);
  return { number: space ? space.number : null, byte, text: `${array.name} + ${byte} bytes (element ${short(byte / (shape.width || 1))})` };
}

/**
 * Shows the registers.
 * @param {State} state
 * @param {(number: number, byte: number) => void} showMemory
 */
export function showRegisters(state, showMemory) {
  const pane = byId("registers");
  /** @type {import("./format.js").Writing} */
  let writing = "value";
  /** Slots of other values whose lanes are seen. @type {Set<number>} */
  const open = new Set();
  let othersOpen = false;

  const select = /** @type {HTMLSelectElement} */ (make("select", { id: "values-writing" },
    make("option", { value: "value" }, "values"), make("option", { value: "hex" }, "hexadecimal"), make("option", { value: "bits" }, "bits")));
  const filter = /** @type {HTMLInputElement} */ (make("input", { id: "values-filter", type: "search", size: "14", placeholder: "%name or type" }));
  const tools = make("div", { class: "panel-tools" },
    make("label", {}, "Lanes as ", select), make("label", {}, "Other values with ", filter));
  const body = make("div", { id: "values" });
  pane.append(tools, body);
  select.addEventListener("change", () => {
    writing = /** @type {import("./format.js").Writing} */ (select.value);
    render();
  });
  filter.addEventListener("input", () => {
    othersOpen = true;
    render();
  });

  /**
   * A value: its head and, where it is long, its lanes.
   * @param {number} slot
   * @param {Role} role
   * @param {boolean[] | null} mask lanes of the mask that governs the instruction
   */
  const showValue = (slot, role, mask) => {
    const { run, step } = state;
    const { names, types, shapes } = run.data.slots;
    const [name, shape] = [names[slot], shapes[slot]];
    const element = make("div", { class: `value ${role}`, "data-slot": String(slot), "data-name": name, "data-role": role });
    const head = make("div", { class: "value-head" }, make("strong", {}, name), make("span", { class: "quiet" }, types[slot]));
    element.append(head);
    const note = run.noteOf(slot, step);
    if (note < 0) {
      head.append(make("span", { class: "quiet" }, "has no value yet"));
      return element;
    }
    const value = run.value(note);
    const now = run.column("value_step")[note] === step;
    if (now) element.classList.add("new");
    head.append(...scalar(slot, note, value), maker(slot, now), ...(role === "mask" ? [make("span", { class: "quiet" }, "which lanes take part")] : []));
    if (shape.kind !== "vector" && shape.kind !== "mask") return element;
    const label = `${shape.lanes} lanes of ${name}`;
    const grid = () => {
      if (shape.kind === "mask") return maskGrid(value, shape.lanes, label);
      const earlier = now ? run.noteOf(slot, step - 1, run.coreOf(step)) : -1;
      const before = earlier >= 0 && run.column("value_step")[earlier] >= run.beginOf(step) ? run.value(earlier) : null;
      const active = mask ? activeLanes(mask, shape.lanes) : null;
      return laneGrid(value, { element: shape.element, lanes: shape.lanes, writing, active, before, label });
    };
    if (role !== "other") element.append(grid());
    else element.append(folded(slot, summary(value, shape), grid));
    return element;
  };

  /**
   * Lanes that are made when somebody wants to see them.
   * @param {number} slot
   * @param {string} text
   * @param {() => HTMLElement} grid
   */
  const folded = (slot, text, grid) => {
    const details = /** @type {HTMLDetailsElement} */ (make("details", {}, make("summary", {}, text)));
    const fill = () => {
      if (details.open && details.children.length === 1) details.append(grid());
    };
    details.open = open.has(slot);
    fill();
    details.addEventListener("toggle", () => {
      if (details.open) open.add(slot);
      else open.delete(slot);
      fill();
    });
    return details;
  };

  /**
   * What stands in the head of a value: of a scalar all that it is.
   * @param {number} slot
   * @param {number} note
   * @param {{bytes: Uint8Array, undefined: Uint8Array | null}} value
   * @returns {HTMLElement[]}
   */
  const scalar = (slot, note, value) => {
    const { run, step } = state;
    const shape = run.data.slots.shapes[slot];
    const lost = value.undefined !== null && value.undefined[0] !== 0;
    if (shape.kind === "mask") {
      const on = maskLanes(value.bytes, shape.lanes).filter(Boolean).length;
      return [make("span", { class: "count" }, `${on} of ${shape.lanes} on`)];
    }
    if (shape.kind === "align") {
      const address = run.column("value_address")[note];
      const held = [...value.bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const text = address < 0 ? "not begun" : `${value.bytes.length} bytes from ub 0x${address.toString(16)}: ${held || "none"}`;
      return [make("code", { class: "number" }, text)];
    }
    if (shape.kind === "vector") return [];
    const view = viewOf(value.bytes);
    const about = `0x${textOf(view, 0, shape.element, "hex")}${lost ? ", undefined" : ""}`;
    const classes = `number${lost ? " undefined" : ""}`;
    if (shape.kind === "pointer") {
      const to = pointed(run, step, shape, view.getBigInt64(0, true));
      const text = make("code", { class: classes, title: about }, to.text);
      if (to.number === null) return [text];
      const button = make("button", { type: "button", class: "link" }, "memory");
      button.addEventListener("click", () => {
        openTab("memory");
        showMemory(/** @type {number} */ (to.number), to.byte);
      });
      return [text, button];
    }
    const text = writing === "value" ? textOf(view, 0, shape.element, "value", exact) : `0x${textOf(view, 0, shape.element, "hex")}`;
    return [make("code", { class: classes, title: about }, lost ? `?${text}` : text)];
  };

  /**
   * The first lanes in a line.
   * @param {{bytes: Uint8Array, undefined: Uint8Array | null}} value
   * @param {import("./data.js").Shape} shape
   */
  const summary = (value, shape) => {
    if (shape.kind === "mask") return `${shape.lanes} lanes`;
    const view = viewOf(value.bytes);
    const width = value.bytes.length / shape.lanes;
    const first = [0, 1, 2, 3].map((lane) => (value.undefined?.[lane] ? "?" : textOf(view, lane * width, shape.element, writing === "bits" ? "hex" : writing)));
    return `${first.join("  ")}  ...`;
  };

  /**
   * Who made a value, as a button that goes there.
   * @param {number} slot
   * @param {boolean} now
   */
  const maker = (slot, now) => {
    const { run, step } = state;
    const made = run.makerOf(slot, step);
    if (made < 0) return make("span", { class: "quiet" }, "from the launch or a loop");
    if (now) return make("span", { class: "fresh" }, "made now");
    const button = make("button", { type: "button", class: "link maker", "data-maker": String(made),
      title: "go to the moment that made it" }, `made by line ${run.placeOf(made).line}, moment ${made}`);
    button.addEventListener("click", () => state.go(made));
    return button;
  };

  /** @param {string} title @param {Record<string, number>} counts */
  const signalRow = (title, counts) => {
    const names = Object.entries(counts).filter(([, count]) => count);
    const text = names.map(([name, count]) => (count > 1 ? `${name} (${count} times)` : name)).join(", ");
    return make("p", {}, make("strong", {}, `${title}: `), text || "none");
  };

  const render = () => {
    const { run, step } = state;
    if (step < 0) return;
    const kept = document.activeElement instanceof HTMLElement && body.contains(document.activeElement) ? document.activeElement : null;
    const again = kept ? [kept.closest(".value")?.getAttribute("data-slot"), kept.tagName] : null;
    const place = run.placeOf(step);
    const { names, types, shapes } = run.data.slots;
    const note = place.mask >= 0 ? run.noteOf(place.mask, step) : -1;
    const mask = note < 0 ? null : maskLanes(run.value(note).bytes, shapes[place.mask].lanes);
    const operands = [...new Set(place.operands)];
    const here = new Set([...operands, ...place.results]);
    const rows = [
      ...place.results.map((slot) => showValue(slot, "result", place.lanewise ? mask : null)),
      ...operands.map((slot) => showValue(slot, slot === place.mask ? "mask" : "operand", mask)),
    ];
    if (!rows.length) rows.push(make("p", { class: "quiet" }, "This instruction takes and makes no values."));
    const wanted = filter.value.trim().toLowerCase();
    const others = run.alive(step).filter((slot) => !here.has(slot));
    const shown = others.filter((slot) => `${names[slot]} ${types[slot]}`.toLowerCase().includes(wanted));
    shown.sort((a, b) => run.noteOf(b, step) - run.noteOf(a, step));
    const count = wanted ? `${shown.length} of ${others.length}` : `${others.length}`;
    const details = /** @type {HTMLDetailsElement} */ (make("details", { id: "values-others" }, make("summary", {}, `Other values (${count}), newest first`)));
    const fill = () => {
      if (details.open && details.children.length === 1) details.append(...shown.map((slot) => showValue(slot, "other", null)));
    };
    details.open = othersOpen;
    fill();
    details.addEventListener("toggle", () => {
      othersOpen = details.open;
      fill();
    });
    const { flags, held } = run.signals(step);
    const signals = make("div", { id: "signals" }, signalRow("Flags set", flags), signalRow("Buffers held", held));
    body.replaceChildren(...rows, details, signals);
    if (again) focusAgain(again[0] || null, again[1] || "");
  };

  /** @param {string | null} slot @param {string} tag */
  const focusAgain = (slot, tag) => {
    const inside = slot === null ? body.querySelector("#values-others") : body.querySelector(`.value[data-slot="${slot}"]`);
    const found = inside?.querySelector(tag.toLowerCase());
    if (found instanceof HTMLElement) found.focus();
  };

  keepShown(state, "registers", render);
}
