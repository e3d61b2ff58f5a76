// The timeline by mouse, touchpad and keys, its switches, and what its colours mean.

import { make } from "./state.js";
import { causeClass } from "./source.js";
import { Timeline } from "./timeline.js";
import { hasHeadings } from "./timeline_rows.js";

/** Keys of the timeline while it has the focus. */
export const TIMELINE_KEYS = [
  ["ArrowLeft or ArrowRight", "timeline: move in time"],
  ["ArrowUp or ArrowDown", "timeline: slice of the lane above or below"],
  ["+ or -", "timeline: zoom in or out"],
  ["0", "timeline: all of it"],
  ["z", "timeline: zoom to the slice"],
  ["] or Enter", "timeline: next slice of the lane"],
  ["[ or Shift+Enter", "timeline: previous slice of the lane"],
];

/**
 * Makes a timeline move, and gives what stands above it: buttons, switches, legend.
 * @param {Timeline} timeline
 * @returns {HTMLElement}
 */
export function timelineTools(timeline) {
  listenToPointer(timeline);
  timeline.canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !press(timeline, event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  const bar = make("div", { class: "timeline-tools" });
  /** @param {string} label @param {string} title @param {() => void} action */
  const button = (label, title, action) => {
    const made = make("button", { type: "button", title, "aria-label": title }, label);
    made.addEventListener("click", action);
    bar.append(made);
  };
  button("+", "zoom in", () => timeline.zoom(2));
  button("\u2212", "zoom out", () => timeline.zoom(0.5));
  button("All", "show all of the time", () => timeline.fit());
  if (timeline.state.runs.some(hasHeadings)) {
    const what = timeline.state.runs.some((run) => run.data.cores.length > 1) ? "cores" : "blocks";
    button("Open", `open all ${what}`, () => timeline.rows.openAll(true));
    button("Close", `close all ${what}`, () => timeline.rows.openAll(false));
  }
  /** @param {string} id @param {string} label @param {boolean} on @param {(on: boolean) => void} action */
  const check = (id, label, on, action) => {
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", id }));
    box.checked = on;
    box.addEventListener("change", () => {
      action(box.checked);
      timeline.redraw();
    });
    bar.append(make("label", {}, box, ` ${label}`));
  };
  check("all-arrows", "all arrows", timeline.arrows, (on) => (timeline.arrows = on));
  check("critical-path", "critical path", timeline.path, (on) => (timeline.path = on));
  bar.append(legend(timeline));
  return bar;
}

/** The colours that occur. @param {Timeline} timeline */
function legend(timeline) {
  const list = make("ul", { class: "legend", "aria-label": "Colours" });
  /** @param {string} name @param {string} text */
  const add = (name, text) => list.append(make("li", {}, make("i", { class: name, "aria-hidden": "true" }), text));
  /** @type {Set<string>} */
  const stalls = new Set();
  let instructions = false;
  for (const lanes of timeline.runs) {
    if (!lanes) continue;
    for (const number of new Set(lanes.stall)) stalls.add(lanes.timing.stalls[number]);
    instructions = instructions || lanes.timing.tracks.some(([, , track]) => track >= 100);
  }
  stalls.delete("");
  add("busy", "work");
  add("issue", "issue");
  if (instructions) add("instruction", "vector instruction");
  for (const stall of stalls) add(causeClass(stall), stall);
  add("critical", "critical path");
  return list;
}

/** @param {Timeline} timeline */
function listenToPointer(timeline) {
  const { canvas, view } = timeline;
  const tip = make("div", { class: "tip", "aria-hidden": "true" });
  tip.hidden = true;
  document.body.append(tip);
  /** @type {{x: number, y: number, from: number, top: number, moved: boolean} | null} */
  let held = null;
  const at = /** @param {MouseEvent} event @returns {[number, number]} */ (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const leave = () => {
    tip.hidden = true;
    timeline.hover = [-1, -1];
    timeline.redraw();
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held = { x: event.clientX, y: event.clientY, from: timeline.range.from, top: view.scrollTop, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held) {
      const [x, y] = [event.clientX - held.x, event.clientY - held.y];
      held.moved = held.moved || Math.abs(x) + Math.abs(y) > 3;
      if (!held.moved) return;
      leave();
      timeline.move(held.from - x / timeline.range.scale, timeline.cycles);
      view.scrollTop = held.top - y;
      return;
    }
    const hit = timeline.sliceAt(...at(event));
    const lanes = hit[1] >= 0 ? timeline.runs[hit[0]] : null;
    tip.hidden = !lanes;
    if (lanes) {
      if (String(hit) !== String(timeline.hover)) tip.textContent = lanes.described(hit[1]);
      const right = innerWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(8, Math.min(right, event.clientX + 12))}px`;
      const below = event.clientY + 16;
      tip.style.top = `${below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 8 : below}px`;
    }
    if (String(hit) !== String(timeline.hover)) timeline.redraw();
    timeline.hover = hit;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) timeline.select(...timeline.sliceAt(...at(event)));
    held = null;
  });
  canvas.addEventListener("pointercancel", () => (held = null));
  canvas.addEventListener("pointerleave", leave);
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 16 : 1;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    // A touchpad's pinch is a wheel with the control key, in small steps.
    if (event.ctrlKey || (!event.shiftKey && Math.abs(y) >= Math.abs(x)))
      timeline.zoom(Math.exp(-y * (event.ctrlKey ? 0.01 : 0.002)), at(event)[0]);
    else timeline.move(timeline.range.from + (x || y) / timeline.range.scale, timeline.cycles);
    leave();
  }, { passive: false });
}

/**
 * A key of the timeline; false if it is none.
 * @param {Timeline} timeline
 * @param {KeyboardEvent} event
 */
function press(timeline, event) {
  const { range, cycles } = timeline;
  const run = timeline.state.shown.run;
  switch (event.key) {
    case "ArrowLeft":
      timeline.move(range.from - cycles / 8, cycles);
      return true;
    case "ArrowRight":
      timeline.move(range.from + cycles / 8, cycles);
      return true;
    case "+":
    case "=":
      timeline.zoom(1.5, middleOfCurrent(timeline));
      return true;
    case "-":
      timeline.zoom(1 / 1.5, middleOfCurrent(timeline));
      return true;
    case "0":
      timeline.fit();
      return true;
    case "z":
      timeline.zoomTo(run, timeline.current());
      return true;
    case "ArrowUp":
    case "ArrowDown":
      timeline.select(...ofLaneBeside(timeline, event.key === "ArrowUp" ? -1 : 1));
      return true;
    case "]":
    case "[":
    case "Enter": {
      const back = event.key === "[" || (event.key === "Enter" && event.shiftKey);
      const [lanes, slice] = [timeline.runs[run], timeline.current()];
      if (lanes && slice >= 0) timeline.select(run, lanes.beside(slice, back ? -1 : 1));
      else timeline.select(...ofLaneBeside(timeline, 1));
      return true;
    }
  }
  return false;
}

/** Where the slice that is shown is, if it is in view. @param {Timeline} timeline */
function middleOfCurrent(timeline) {
  const slice = timeline.current();
  const box = slice >= 0 ? timeline.sliceBox(timeline.state.shown.run, slice) : null;
  return box ? box.left + box.width / 2 : undefined;
}

/**
 * The slice of the nearest lane above or below that is nearest in time: its run and number.
 * @param {Timeline} timeline
 * @param {number} by
 * @returns {[number, number]}
 */
function ofLaneBeside(timeline, by) {
  const { all, rowOf } = timeline.rows;
  const { run } = timeline.state.shown;
  const [slice, lanes] = [timeline.current(), timeline.runs[run]];
  const known = lanes !== null && slice >= 0;
  const time = known ? lanes.start[slice] + lanes.length[slice] / 2 : timeline.range.from;
  let row = known ? rowOf[run][lanes.laneOf[slice]] + by : 0;
  while (row >= 0 && row < all.length && all[row].lane < 0) row += by;
  const mine = all[row] ? timeline.runs[all[row].run] : null;
  return mine ? [all[row].run, mine.sliceAt(all[row].lane, time, Infinity)] : [-1, -1];
}
