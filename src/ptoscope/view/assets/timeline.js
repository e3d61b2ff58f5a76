// The timeline: a lane for each pipe and port of each core of a block, of one run or of two over each other.
//
// `window.ptoscope` is for tests: `sliceBox(slice, run)` says where a slice is in the window (left,
// top, width, height) or null if it is not in view, `showSlice(slice, run)` zooms to it,
// `frames()` gives for each picture since the last call when it began and how long it took to draw,
// in milliseconds, and `range()` the first cycle in view and how many there are.

import { Lanes } from "./lanes.js";
import { State, byId, make } from "./state.js";
import { AXIS, drawArrows, drawAxis, drawLane, readColours } from "./timeline_draw.js";
import { Rows } from "./timeline_rows.js";

/** With so many arrows in view they are no longer drawn all, unless somebody wants that. */
const FEW_ARROWS = 150;

/** The timeline on its canvas. */
export class Timeline {
  /**
   * @param {State} state
   * @param {HTMLElement} view
   */
  constructor(state, view) {
    this.state = state;
    this.view = view;
    /** @type {(Lanes | null)[]} */
    this.runs = state.runs.map((run) => (run.data.timing ? new Lanes(run) : null));
    this.total = Math.max(1, ...state.runs.map((run) => (run.data.timing ? run.data.timing.total : 0)));
    this.rows = new Rows(state.runs, this.runs, () => this.redraw());
    this.canvas = /** @type {HTMLCanvasElement} */ (make("canvas", { id: "timeline-canvas", tabindex: "0",
      role: "application", "aria-label": this._spoken(), "data-keys": "arrows" }));
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d", { alpha: false }));
    view.replaceChildren(this.rows.names, this.canvas);
    this.range = { from: 0, scale: 1, width: 1, height: 1 };
    this.colours = readColours(this._stalls());
    this.path = true;
    this.arrows = false;
    /** @type {[number, number]} run and slice under the pointer */
    this.hover = [-1, -1];
    /** @type {[number, number][]} */
    this.frames = [];
    this._waiting = false;
    this._fitted = true;
    new ResizeObserver(() => this.resize()).observe(view);
    view.addEventListener("scroll", () => this.redraw());
    state.addEventListener("change", () => this.follow());
  }

  _spoken() {
    const said = this.state.runs.map((run) => (run.data.timing
      ? `${run.data.title}: ${run.data.timing.slices} slices in ${run.data.timing.total} cycles`
      : `${run.data.title}: no times`));
    return `Timeline of ${said.join(", and of ")}. Arrows move it, plus and minus zoom, brackets choose slices.`;
  }

  _stalls() {
    const first = this.runs.find((lanes) => lanes !== null);
    return first ? first.timing.stalls : [];
  }

  /** The canvas has another size. */
  resize() {
    const ratio = devicePixelRatio || 1;
    const height = this.view.clientHeight;
    this.canvas.style.height = `${height}px`;
    const width = Math.max(1, this.canvas.clientWidth);
    [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const share = this.range.width;
    Object.assign(this.range, { width, height, scale: (this.range.scale * width) / share });
    if (this._fitted) this.fit();
    this.redraw();
  }

  /** All of the time. */
  fit() {
    this.move(0, this.total);
    this._fitted = true;
  }

  /**
   * Shows some cycles from one on, as far as there are any.
   * @param {number} from
   * @param {number} cycles
   */
  move(from, cycles) {
    const shown = Math.min(this.total, Math.max(8, cycles));
    this.range.scale = this.range.width / shown;
    this.range.from = Math.max(0, Math.min(this.total - shown, from));
    this._fitted = shown === this.total;
    this.redraw();
  }

  /** Cycles in view. */
  get cycles() {
    return this.range.width / this.range.scale;
  }

  /**
   * Zooms in, the cycle at a pixel stays there.
   * @param {number} factor
   * @param {number} x
   */
  zoom(factor, x = this.range.width / 2) {
    const shown = Math.min(this.total, Math.max(8, this.cycles / factor));
    const at = this.range.from + x / this.range.scale;
    this.move(at - (x / this.range.width) * shown, shown);
  }

  /**
   * Shows a slice with as much again on both sides.
   * @param {number} run
   * @param {number} slice
   */
  zoomTo(run, slice) {
    const lanes = this.runs[run];
    if (!lanes || slice < 0) return;
    const shown = Math.max(20, lanes.length[slice] * 3);
    this.move(lanes.start[slice] + lanes.length[slice] / 2 - shown / 2, shown);
  }

  /** The slice that stands for what the page shows, or -1. */
  current() {
    const { state } = this;
    const lanes = this.runs[state.shown.run];
    if (!lanes) return -1;
    if (state.shown.slice >= 0) return state.shown.slice;
    return state.step >= 0 ? lanes.sliceOf[state.run.eventOf(state.step)] : -1;
  }

  /**
   * Goes to the moment of a slice, or to its line where the page lacks the moment.
   * @param {number} run
   * @param {number} slice
   */
  select(run, slice) {
    const lanes = this.runs[run];
    if (!lanes || slice < 0) return;
    const step = lanes.run.stepOf(lanes.event[slice]);
    const other = run === this.state.shown.run ? this.state.step : -1;
    this.state.show({ run, slice, line: lanes.lineOf(slice), step: step >= 0 ? step : other });
  }

  /** The page shows something else: it comes into view. */
  follow() {
    this.reveal(this.state.shown.run, this.current());
    this.redraw();
  }

  /** @param {number} run @param {number} slice */
  reveal(run, slice) {
    const lanes = this.runs[run];
    if (!lanes || slice < 0) return;
    const [start, length] = [lanes.start[slice], lanes.length[slice]];
    const { from } = this.range;
    if (start + length < from || start > from + this.cycles) this.move(start + length / 2 - this.cycles / 2, this.cycles);
    const { top, height } = this.rows.of(run, lanes.laneOf[slice]);
    const { scrollTop, clientHeight } = this.view;
    if (top < scrollTop + AXIS) this.view.scrollTop = top - AXIS;
    else if (top + height > scrollTop + clientHeight) this.view.scrollTop = top + height - clientHeight;
  }

  /**
   * The slice at a point of the canvas: its run and number, -1 for none.
   * @param {number} x
   * @param {number} y
   * @returns {[number, number]}
   */
  sliceAt(x, y) {
    const at = y + this.view.scrollTop;
    const row = this.rows.all.find((one) => at >= one.top && at < one.top + one.height);
    const lanes = row && this.runs[row.run];
    if (!row || !lanes || row.lane < 0 || y < AXIS) return [-1, -1];
    return [row.run, lanes.sliceAt(row.lane, this.range.from + x / this.range.scale, 3 / this.range.scale)];
  }

  /**
   * Where a lane is on the canvas.
   * @param {number} run
   * @param {number} lane
   */
  boxOf(run, lane) {
    const { top, height } = this.rows.boxOf(run, lane);
    return { top: top - this.view.scrollTop, height };
  }

  /**
   * Where a slice is on the canvas; null if it is not in view.
   * @param {number} run
   * @param {number} slice
   */
  sliceBox(run, slice) {
    const lanes = this.runs[run];
    if (!lanes) return null;
    const { from, scale, width, height: whole } = this.range;
    const { top, height } = this.boxOf(run, lanes.laneOf[slice]);
    const left = Math.max(0, (lanes.start[slice] - from) * scale);
    const right = Math.min(width, (lanes.start[slice] + lanes.length[slice] - from) * scale);
    if (right < 0 || left > width || top + height < AXIS || top > whole) return null;
    return { left, top, width: right - left, height };
  }

  /** Draws with the next frame. */
  redraw() {
    if (this._waiting) return;
    this._waiting = true;
    requestAnimationFrame((at) => {
      this._waiting = false;
      const begin = performance.now();
      this.draw();
      this.frames.push([at, performance.now() - begin]);
      if (this.frames.length > 1000) this.frames.shift();
    });
  }

  draw() {
    const { context, range, colours } = this;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, range.width, range.height);
    drawAxis(context, range, colours);
    context.save();
    context.beginPath();
    context.rect(0, AXIS, range.width, range.height - AXIS);
    context.clip();
    this.runs.forEach((lanes, run) => {
      if (!lanes) return;
      for (let lane = 0; lane < lanes.lanes.length; lane++) {
        const box = this.boxOf(run, lane);
        if (box.top > range.height || box.top + box.height < AXIS) continue;
        drawLane(context, range, { lanes, lane, ...box }, colours, this.path);
      }
      this._arrows(run, lanes);
    });
    this._marks();
    context.restore();
  }

  /** @param {number} run @param {Lanes} lanes */
  _arrows(run, lanes) {
    const { start, length, pairs } = lanes;
    const { from } = this.range;
    const until = from + this.cycles;
    const most = this.arrows ? Infinity : FEW_ARROWS;
    /** @type {number[]} */
    let shown = [];
    for (let at = 0; at < pairs.length && shown.length <= most; at += 2) {
      const [source, wait] = [pairs[at], pairs[at + 1]];
      if (start[source] + length[source] > until || start[wait] + length[wait] < from) continue;
      if (this.rows.of(run, lanes.laneOf[wait]).lane >= 0) shown.push(at >> 1);
    }
    if (shown.length > most) shown = [];
    const middle = /** @param {number} slice */ (slice) => {
      const { top, height } = this.boxOf(run, lanes.laneOf[slice]);
      return Math.round(top + height / 2);
    };
    drawArrows(this.context, this.range, lanes, shown, middle, this.colours.ink);
    const mine = run === this.state.shown.run ? lanes.arrowsOf.get(this.current()) : undefined;
    if (mine) drawArrows(this.context, this.range, lanes, mine, middle, this.colours.accent);
  }

  /** The slice that is shown, with its moment over all lanes, and the one under the pointer. */
  _marks() {
    const { context, range, colours } = this;
    const outline = /** @param {number} run @param {number} slice @param {string} colour @param {number} width */
      (run, slice, colour, width) => {
        const box = slice >= 0 && run >= 0 ? this.sliceBox(run, slice) : null;
        if (!box) return;
        context.strokeStyle = colour;
        context.lineWidth = width;
        context.strokeRect(box.left, box.top, Math.max(2, box.width), box.height);
        context.lineWidth = 1;
      };
    const { run } = this.state.shown;
    const [slice, lanes] = [this.current(), this.runs[run]];
    if (slice >= 0 && lanes) {
      context.fillStyle = colours.accent;
      const x = Math.round((lanes.start[slice] - range.from) * range.scale);
      context.fillRect(x, 0, 1, range.height);
    }
    outline(run, slice, colours.accent, 3);
    outline(this.hover[0], this.hover[1], colours.accent, 1.5);
  }

  /** The theme changed. */
  recolour() {
    this.colours = readColours(this._stalls());
    this.redraw();
  }
}

/**
 * Shows the timeline, or says why there is none.
 * @param {State} state
 * @param {(timeline: Timeline) => HTMLElement} tools what is above it
 */
export function showTimeline(state, tools) {
  const pane = byId("timeline");
  if (!state.runs.some((run) => run.data.timing)) {
    const why = state.run.data.target === "cpu" ? "the target cpu has no cycles" : "the run did not end";
    pane.replaceChildren(make("p", {}, `No timeline: ${why}.`));
    return;
  }
  const view = make("div", { class: state.runs.length > 1 ? "lanes-view two" : "lanes-view" });
  const details = make("p", { id: "slice", role: "status", "aria-live": "polite" });
  const timeline = new Timeline(state, view);
  timeline.canvas.setAttribute("aria-describedby", details.id);
  pane.replaceChildren(tools(timeline), view, details);
  const say = () => {
    const [slice, lanes] = [timeline.current(), timeline.runs[state.shown.run]];
    const none = lanes ? "This moment takes no time of its own." : "This run has no cycles.";
    details.textContent = lanes && slice >= 0 ? lanes.described(slice) : none;
  };
  state.addEventListener("change", say);
  say();
  addEventListener("theme", () => timeline.recolour());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => timeline.recolour());
  Object.assign(window, { ptoscope: hooks(timeline) });
}

/** @param {Timeline} timeline */
function hooks(timeline) {
  return {
    /** @param {number} slice @param {number} run */
    sliceBox(slice, run = 0) {
      const box = timeline.sliceBox(run, slice);
      const { left, top } = timeline.canvas.getBoundingClientRect();
      return box && { ...box, left: box.left + left, top: box.top + top };
    },
    /** @param {number} slice @param {number} run */
    showSlice(slice, run = 0) {
      timeline.zoomTo(run, slice);
      timeline.reveal(run, slice);
    },
    frames: () => timeline.frames.splice(0),
    range: () => [timeline.range.from, timeline.cycles],
  };
}
