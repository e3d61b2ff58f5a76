// The rows of the timeline: headings of runs, blocks and their cores, and lanes, with their names beside the canvas.

import { runTitle } from "./compare.js";
import { Run } from "./data.js";
import { Lanes } from "./lanes.js";
import { make } from "./state.js";
import { AXIS } from "./timeline_draw.js";

const LANE = 18;
const HEADING = 22;
/** With more blocks than this the others are closed at first. */
const OPEN_BLOCKS = 2;

/**
 * A lane, or a heading (its `lane` is -1), which shows the lanes of its block from `first` on while
 * that is closed.
 * @typedef {{top: number, height: number, run: number, lane: number, first: number,
 *   count: number}} Row
 */

/** Whether lanes stand below the name of their block or core. @param {Run} run */
export function hasHeadings(run) {
  return run.data.grid > 1 || run.data.cores.length > 1;
}

/** Which lanes are where, from the top of all rows. */
export class Rows {
  /**
   * @param {Run[]} runs
   * @param {(Lanes | null)[]} lanes of the runs that have times
   * @param {() => void} changed called when a block is opened or closed
   */
  constructor(runs, lanes, changed) {
    this.runs = runs;
    this.lanes = lanes;
    this.changed = changed;
    this.names = make("div", { class: "gutter" });
    /** @type {Row[]} from above */
    this.all = [];
    /** @type {Int32Array[]} by run and lane the number of the row that shows it */
    this.rowOf = [];
    /** @type {Set<string>} blocks that are closed */
    this.closed = new Set();
    if (runs.some((run) => run.data.grid > OPEN_BLOCKS)) this._close((block) => block > 0);
    this.layOut();
  }

  /** @param {(block: number) => boolean} wanted */
  _close(wanted) {
    this.lanes.forEach((lanes, run) => {
      if (!hasHeadings(this.runs[run])) return;
      for (const { block, core } of lanes ? lanes.lanes : []) if (wanted(block)) this.closed.add(`${run} ${block} ${core}`);
    });
  }

  /** Opens or closes all blocks. @param {boolean} open */
  openAll(open) {
    this.closed.clear();
    if (!open) this._close(() => true);
    this.layOut();
    this.changed();
  }

  /** Headings and lanes, one below the other. */
  layOut() {
    this.all = [];
    this.names.replaceChildren(make("div", { class: "axis" }, "cycle"));
    let top = AXIS;
    /** @param {number} height @param {number} run @param {number} lane @param {HTMLElement} name */
    const add = (height, run, lane, name) => {
      const row = { top, height, run, lane, first: 0, count: 0 };
      this.all.push(row);
      name.style.height = `${height}px`;
      this.names.append(name);
      top += height;
      return row;
    };
    this.rowOf = this.lanes.map((lanes) => new Int32Array(lanes ? lanes.lanes.length : 0));
    this.runs.forEach((run, number) => {
      if (this.runs.length > 1) add(HEADING, number, -1, make("div", { class: "run" }, runTitle(run, number) + (this.lanes[number] ? "" : " (no cycles)")));
      const lanes = this.lanes[number];
      let last = "";
      lanes?.lanes.forEach((one, lane) => {
        const { name } = one;
        const key = `${number} ${one.block} ${one.core}`;
        if (key !== last && hasHeadings(run)) add(HEADING, number, -1, this._heading(key, lanes.unitOf(one).join(", "))).first = lane;
        last = key;
        if (!this.closed.has(key))
          add(LANE, number, lane, make("div", { class: "track", title: name }, name));
        this.rowOf[number][lane] = this.all.length - 1;
        this.all[this.all.length - 1].count++;
      });
    });
  }

  /** @param {string} key @param {string} title */
  _heading(key, title) {
    const open = !this.closed.has(key);
    const button = make("button", { type: "button", class: "block", "aria-expanded": String(open), "data-block": key },
      `${open ? "\u25be" : "\u25b8"} ${title}`);
    button.addEventListener("click", () => {
      if (open) this.closed.add(key);
      else this.closed.delete(key);
      this.layOut();
      this.changed();
      const again = this.names.querySelector(`[data-block="${key}"]`);
      if (again instanceof HTMLElement) again.focus();
    });
    return button;
  }

  /**
   * The row that shows a lane.
   * @param {number} run
   * @param {number} lane
   */
  of(run, lane) {
    return this.all[this.rowOf[run][lane]];
  }

  /**
   * Where a lane is. Lanes of a block that is closed share its row.
   * @param {number} run
   * @param {number} lane
   * @returns {{top: number, height: number}}
   */
  boxOf(run, lane) {
    const row = this.of(run, lane);
    if (row.lane >= 0) return { top: row.top + 1, height: row.height - 2 };
    const height = (row.height - 4) / row.count;
    return { top: row.top + 2 + (lane - row.first) * height, height };
  }
}
