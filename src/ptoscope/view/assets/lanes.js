// The slices of a run by lane, in the order of time, so that what is in view is found at once.

import { Run, above } from "./data.js";
import { counted, short } from "./format.js";

/**
 * A lane: one track of a core of a block. `ids` are its slices by their start; `reach` is the latest end of
 * a slice and all before it.
 * @typedef {{block: number, core: number, name: string, ids: Int32Array, starts: Float64Array,
 *   ends: Float64Array, reach: Float64Array}} Lane
 */

/** Kinds of slices, as the run numbers them: waiting, and the scalar unit's issue. */
export const WAIT = 1;
const ISSUE = 2;

/** The lanes of a run that has times. */
export class Lanes {
  /** @param {Run} run */
  constructor(run) {
    this.run = run;
    const { timing } = run.data;
    if (!timing) throw new Error("the run has no times");
    this.timing = timing;
    this.kind = run.column("slice_kind");
    this.stall = run.column("slice_stall");
    this.stalled = run.column("slice_stalled");
    this.critical = run.column("slice_critical");
    this.place = run.column("slice_place");
    this.event = run.column("slice_event");
    this.start = run.column("slice_start");
    this.length = run.column("slice_length");
    /** @type {Int32Array} by slice the number of its lane */
    this.laneOf = new Int32Array(timing.slices);
    /** @type {Lane[]} */
    this.lanes = this._lanes();
    /** @type {Int32Array} by event the slice that stands for it, or -1 */
    this.sliceOf = new Int32Array(run.column("event_place").length).fill(-1);
    for (let slice = 0; slice < timing.slices; slice++) {
      const known = this.sliceOf[this.event[slice]];
      const works = this.kind[slice] !== WAIT && this.kind[slice] !== ISSUE;
      if (known < 0 || (works && (this.kind[known] === WAIT || this.kind[known] === ISSUE)))
        this.sliceOf[this.event[slice]] = slice;
    }
    const pairs = run.column("arrows");
    /** @type {Map<number, number[]>} by slice the arrows that leave it or lead to it */
    this.arrowsOf = new Map();
    pairs.forEach((slice, place) => {
      const mine = this.arrowsOf.get(slice);
      if (mine) mine.push(place >> 1);
      else this.arrowsOf.set(slice, [place >> 1]);
    });
    this.pairs = pairs;
  }

  /** @returns {Lane[]} */
  _lanes() {
    const { tracks, slices } = this.timing;
    const cores = this.run.data.cores.length;
    /** @param {number} block @param {number} core @param {number} track */
    const key = (block, core, track) => (block * cores + core) * 1000 + track;
    const numbers = new Map(tracks.map(([block, core, track], lane) => [key(block, core, track), lane]));
    const [block, core, track] = ["block", "core", "track"].map((name) => this.run.column(`slice_${name}`));
    const sizes = new Int32Array(tracks.length);
    for (let slice = 0; slice < slices; slice++) {
      const lane = /** @type {number} */ (numbers.get(key(block[slice], core[slice], track[slice])));
      this.laneOf[slice] = lane;
      sizes[lane]++;
    }
    const members = tracks.map((_, lane) => new Int32Array(sizes[lane]));
    sizes.fill(0);
    for (let slice = 0; slice < slices; slice++) {
      const lane = this.laneOf[slice];
      members[lane][sizes[lane]++] = slice;
    }
    return tracks.map(([ofBlock, ofCore, , name], lane) => this._lane(ofBlock, ofCore, name, members[lane]));
  }

  /**
   * @param {number} block
   * @param {number} core
   * @param {string} name
   * @param {Int32Array} ids
   * @returns {Lane}
   */
  _lane(block, core, name, ids) {
    const { start, length } = this;
    if (ids.some((id, at) => at > 0 && start[ids[at - 1]] > start[id]))
      ids.sort((a, b) => start[a] - start[b] || a - b);
    const [starts, ends, reach] = [0, 0, 0].map(() => new Float64Array(ids.length));
    let latest = 0;
    ids.forEach((id, at) => {
      starts[at] = start[id];
      ends[at] = start[id] + length[id];
      reach[at] = latest = Math.max(latest, ends[at]);
    });
    return { block, core, name, ids, starts, ends, reach };
  }

  /**
   * The slice of a lane at a time, or the nearest one that is no further than `near` cycles; -1.
   * @param {number} lane
   * @param {number} time
   * @param {number} near
   */
  sliceAt(lane, time, near) {
    const { ids, starts, ends, reach } = this.lanes[lane];
    let [found, distance] = [-1, near];
    for (let at = above(reach, time - near); at < ids.length && starts[at] <= time + near; at++) {
      const away = Math.max(0, starts[at] - time, time - ends[at]);
      if (away > distance || (away === distance && away > 0 && found >= 0)) continue;
      [found, distance] = [ids[at], away];
    }
    return found;
  }

  /**
   * The slice of a lane after a slice, or before it; -1 at its end.
   * @param {number} slice
   * @param {number} by
   */
  beside(slice, by) {
    const { ids } = this.lanes[this.laneOf[slice]];
    const at = ids.indexOf(slice) + by;
    return at >= 0 && at < ids.length ? ids[at] : -1;
  }

  /** The block and the core of a lane, as far as there are several. @param {Lane} lane @returns {string[]} */
  unitOf({ block, core }) {
    const { cores, grid } = this.run.data;
    return [...(grid > 1 ? [`block ${block}`] : []), ...(cores.length > 1 ? [cores[core]] : [])];
  }

  /** The line of a slice. @param {number} slice */
  lineOf(slice) {
    return this.run.data.places[this.place[slice]].line;
  }

  /** What a slice is, in few characters. @param {number} slice */
  label(slice) {
    const { name } = this.run.data.places[this.place[slice]];
    if (this.kind[slice] === WAIT) return this.timing.stalls[this.stall[slice]];
    return name.replace(/^pto\./, "");
  }

  /**
   * All that is known of a slice, in words.
   * @param {number} slice
   * @returns {string}
   */
  described(slice) {
    const { run, timing } = this;
    const place = run.data.places[this.place[slice]];
    const lane = this.lanes[this.laneOf[slice]];
    const kind = timing.kinds[this.kind[slice]];
    const parts = [`line ${place.line}`];
    for (const [name, value] of run.iterationsOf(this.event[slice])) parts.push(`${name} = ${short(value)}`);
    parts.push([...this.unitOf(lane), lane.name].join(", "));
    const [first, length] = [this.start[slice], this.length[slice]];
    parts.push(length < 1 ? `in cycle ${Math.floor(first).toLocaleString("en")}`
      : `from cycle ${first.toLocaleString("en")} for ${counted(length, "cycle")}`);
    const reason = this.stall[slice] ? timing.stalls[this.stall[slice]] : "";
    const on = run.column("slice_on")[slice];
    if (reason) parts.push(`${reason}${on >= 0 ? ` (line ${run.data.places[on].line})` : ""}: `
      + `held up ${counted(this.stalled[slice], "cycle")}`);
    if (this.critical[slice]) parts.push("on the critical path");
    const names = /** @param {number[]} slots */ (slots) => slots.map((slot) => run.data.slots.names[slot]).join(", ");
    if (this.kind[slice] !== ISSUE && place.operands.length) parts.push(`reads ${names(place.operands)}`);
    if (this.kind[slice] !== ISSUE && place.results.length) parts.push(`makes ${names(place.results)}`);
    return `${place.name} (${kind}): ${parts.join("; ")}`;
  }
}
