// Who touches the cells of a range of memory, and when.

import { Run, above } from "./data.js";

/** What becomes of the contents of a cell. */
export const FATES = { live: "read later", dead: "not read again before it is overwritten or lost", kept: "left to the caller" };

/** A range of a memory as cells of the same size, each with its reads and its writes. */
export class Cells {
  /**
   * @param {Run} run
   * @param {number} number the memory
   * @param {number} begin
   * @param {number} end
   * @param {number} size bytes of a cell
   */
  constructor(run, number, begin, end, size) {
    this.run = run;
    this.own = run.space(number).own;
    this.begin = begin;
    this.end = end;
    this.size = size;
    this.count = Math.max(1, Math.ceil((end - begin) / size));
    this.steps = run.column("access_step");
    const mine = [];
    const spaces = run.column("access_space");
    for (let row = 0; row < spaces.length; row++) if (spaces[row] === number) mine.push(row);
    const writes = run.column("access_writes");
    /** Rows of the columns `access_*`, rising, by cell. */
    this.writes = this._lists(mine.filter((row) => writes[row]));
    this.reads = this._lists(mine.filter((row) => !writes[row]));
  }

  /**
   * The cells that a row touches, rising.
   * @param {number} row
   * @param {(cell: number) => void} visit
   */
  touched(row, visit) {
    const { run } = this;
    const [start, length] = [run.column("access_start")[row], run.column("access_length")[row]];
    const [count, stride] = [run.column("access_count")[row], run.column("access_stride")[row]];
    let last = -1;
    for (let k = 0; k < count; k++) {
      const at = start + k * stride - this.begin;
      const first = Math.max(last + 1, Math.floor(at / this.size));
      const end = Math.min(this.count - 1, Math.floor((at + length - 1) / this.size));
      for (let cell = first; cell <= end; cell++) visit(cell);
      last = Math.max(last, end);
    }
  }

  /**
   * @param {number[]} rows
   * @returns {{at: Int32Array, rows: Int32Array}} those of cell c are rows[at[c]] to before rows[at[c + 1]]
   */
  _lists(rows) {
    const at = new Int32Array(this.count + 1);
    for (const row of rows) this.touched(row, (cell) => { at[cell + 1]++; });
    for (let cell = 0; cell < this.count; cell++) at[cell + 1] += at[cell];
    const next = at.slice();
    const found = new Int32Array(at[this.count]);
    for (const row of rows) this.touched(row, (cell) => { found[next[cell]++] = row; });
    return { at, rows: found };
  }

  /**
   * How often a cell was read, or written, in the whole run.
   * @param {{at: Int32Array}} lists
   * @param {number} cell
   */
  times(lists, cell) {
    return lists.at[cell + 1] - lists.at[cell];
  }

  /**
   * The last row up to a step that touches a cell, in the block where the memory is a core's own; -1 if none does.
   * @param {{at: Int32Array, rows: Int32Array}} lists
   * @param {number} cell
   * @param {number} step
   */
  last(lists, cell, step) {
    const limit = above(this.steps, step);
    const at = above(lists.rows, limit - 1, lists.at[cell], lists.at[cell + 1]) - 1;
    if (at < lists.at[cell]) return -1;
    const row = lists.rows[at];
    return this.own && this.steps[row] < this.run.beginOf(step) ? -1 : row;
  }

  /**
   * What becomes of the contents that a cell has after a step: byte by byte, whether one is read before it is
   * overwritten.
   * @param {number} cell
   * @param {number} step
   * @returns {keyof typeof FATES}
   */
  fate(cell, step) {
    const { run, steps, reads, writes } = this;
    const from = above(steps, step);
    const end = this.own ? above(steps, run.endOf(step) - 1) : steps.length;
    let read = above(reads.rows, from - 1, reads.at[cell], reads.at[cell + 1]);
    let write = above(writes.rows, from - 1, writes.at[cell], writes.at[cell + 1]);
    const limit = Math.min(this.size, this.end - this.begin - cell * this.size);
    /** @type {Uint8Array | null} */
    let gone = null;
    for (;;) {
      const nextRead = read < reads.at[cell + 1] ? reads.rows[read] : end;
      const nextWrite = write < writes.at[cell + 1] ? writes.rows[write] : end;
      if (nextRead >= end && (nextWrite >= end || this.own)) return this.own ? "dead" : "kept";
      if (nextRead < nextWrite) {
        if (!gone || this._bytes(nextRead, cell, limit).some((touched, byte) => touched && !gone?.[byte])) return "live";
        read++;
      } else {
        const covered = this._bytes(nextWrite, cell, limit);
        gone = gone ? gone.map((was, byte) => was | covered[byte]) : covered;
        if (gone.every(Boolean)) return "dead";
        write++;
      }
    }
  }

  /**
   * Which bytes of a cell a row touches.
   * @param {number} row
   * @param {number} cell
   * @param {number} limit
   */
  _bytes(row, cell, limit) {
    const { run } = this;
    const [start, length] = [run.column("access_start")[row], run.column("access_length")[row]];
    const [count, stride] = [run.column("access_count")[row], run.column("access_stride")[row]];
    const found = new Uint8Array(limit);
    const base = this.begin + cell * this.size;
    const first = stride > 0 ? Math.max(0, Math.ceil((base - start - length + 1) / stride)) : 0;
    for (let k = first; k < count && start + k * stride < base + limit; k++) {
      const at = start + k * stride - base;
      found.fill(1, Math.max(0, at), Math.max(0, at + length));
    }
    return found;
  }
}
