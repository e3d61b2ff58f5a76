// A run as the page has it: columns of numbers, and the questions that views ask of them.

/**
 * @typedef {{line: number, name: string, pipe: string, operands: number[], results: number[],
 *   doc: string, index: string, mask: number, lanewise: boolean, piece: string}} Place
 * @typedef {{kind: "vector" | "mask" | "pointer" | "align" | "address" | "scalar", element: string,
 *   lanes: number, space?: number | null, to?: string, width?: number}} Shape how to read a value
 * @typedef {{base: number, name: string, number: number, element: string}} GmArray
 * @typedef {{number: number, name: string, size: number, own: boolean, before: boolean}} Space
 * @typedef {{code: string, severity: string, line: number, column: number, length: number,
 *   message: string, hint: string, found?: string, expected?: string, fix?: object[]}} Finding
 * @typedef {{model: string, total: number, slices: number, left_out: number, kinds: string[],
 *   stalls: string[], tracks: [number, number, number, string][],
 *   lines: Record<string, [number, number, boolean]>,
 *   line_stalls: Record<string, [string, number, number][]>,
 *   path: [number, string, string, number, string][], assumed: number}} Timing
 * @typedef {{width: number, block: number, step: number}} Axis where the indices of a dimension lie
 * @typedef {{step: number, role: string, space: number, begin: number, rows: number, columns: number, element: string,
 *   down: Axis, along: Axis, layout: string, writes: boolean}} Tile a matrix that an instruction reads or writes
 * @typedef {{title: string, file: string, kernel: string, target: string, revision: string,
 *   grid: number, cores: string[], ubs: number[], version: string, source: string[], findings: Finding[], places: Place[],
 *   slots: {names: string[], types: string[], shapes: Shape[]}, arrays: GmArray[],
 *   difference?: {step: number, text: string, links: [number, string][]}, times: Record<string, number>,
 *   run: {steps: number, left_out: number, blocks: number[],
 *     signals: [number, number, Record<string, number>, Record<string, number>][], spaces: Space[], tiles: Tile[]},
 *   timing: Timing | null, beside?: [number, number][], columns: Record<string, [string, number, number]>, blob: string}} PageData
 * @typedef {Uint8Array | Int32Array | Float64Array} Column
 */

/**
 * The runs of the page.
 * @returns {Promise<Run[]>}
 */
export async function openRuns() {
  const element = /** @type {HTMLElement} */ (document.getElementById("data"));
  const all = /** @type {PageData[]} */ (JSON.parse(element.textContent || "[]"));
  element.remove();
  return Promise.all(all.map(openRun));
}

/**
 * @param {PageData} data
 * @returns {Promise<Run>}
 */
async function openRun(data) {
  const text = atob(data.blob);
  data.blob = "";
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  /** @type {Record<string, Column>} */
  const columns = {};
  for (const [name, [kind, begin, size]] of Object.entries(data.columns)) {
    if (kind === "u1") columns[name] = new Uint8Array(buffer, begin, size);
    else if (kind === "i4") columns[name] = new Int32Array(buffer, begin, size);
    else columns[name] = new Float64Array(buffer, begin, size);
  }
  return new Run(data, columns);
}

/**
 * The first position in a rising column whose number is above a value.
 * @param {ArrayLike<number>} column
 * @param {number} value
 * @param {number} low
 * @param {number} high
 * @returns {number}
 */
export function above(column, value, low = 0, high = column.length) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (/** @type {number} */ (column[middle]) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const CHECKPOINT = 4096;
/** The number of UB, which stands for that of the core that an instruction runs on. */
const UB = -1;

/** What `value_marks` says of a value: its step's instruction made it, it has a NaN, undefined bits. */
const MADE = 1;
export const HAS_NAN = 2;
export const HAS_UNDEFINED = 4;

/** @typedef {{data: Uint8Array, undefined: Uint8Array}} Contents not to be written to */

/** One run, to be asked. A step is the number of an execution, in the order of execution. */
export class Run {
  /**
   * @param {PageData} data
   * @param {Record<string, Column>} columns
   */
  constructor(data, columns) {
    this.data = data;
    this._columns = columns;
    this.steps = data.run.steps;
    /** @type {Map<number, number[]>} notes of values by slot and core */
    this._notes = new Map();
    /** @type {Map<number, number[]>} those of values that the instruction of their step made */
    this._made = new Map();
    const marks = this.column("value_marks");
    const cores = this.column("value_core");
    this.column("value_slot").forEach((slot, note) => {
      listed(this._notes, this._key(slot, cores[note]), note);
      if (marks[note] & MADE) listed(this._made, this._key(slot, cores[note]), note);
    });
    /** @type {Map<number, number[]>} steps by line */
    this._lines = new Map();
    const executed = this.column("executed");
    /** @type {Int32Array} step by event, or -1 */
    this._stepOf = new Int32Array(this.column("event_place").length).fill(-1);
    for (let step = 0; step < this.steps; step++) {
      this._stepOf[executed[step]] = step;
      listed(this._lines, this.placeOf(step).line, step);
    }
    /** @type {Map<string, Contents>} */
    this._states = new Map();
    /** @type {Map<number, {step: number, begin: number, state: Contents}>} what was asked for last */
    this._latest = new Map();
    /** Of each core the flags and buffers after some steps. */
    this._signals = data.cores.map((_, core) => data.run.signals.filter((one) => one[1] === core));
    this._signalSteps = this._signals.map((mine) => mine.map((one) => one[0]));
    /** @type {Map<number, Tile[]>} by step */
    this._tiles = new Map();
    for (const tile of data.run.tiles) {
      const mine = this._tiles.get(tile.step);
      if (mine) mine.push(tile);
      else this._tiles.set(tile.step, [tile]);
    }
  }

  /** Values are those of a core. @param {number} slot @param {number} core */
  _key(slot, core) {
    return slot * this.data.cores.length + core;
  }

  /**
   * @param {string} name
   * @returns {Column}
   */
  column(name) {
    const found = this._columns[name];
    if (!found) throw new Error(`no column ${name}`);
    return found;
  }

  /** @param {number} step */
  eventOf(step) {
    return this.column("executed")[step];
  }

  /** @param {number} event */
  stepOf(event) {
    return this._stepOf[event];
  }

  /** @param {number} step */
  placeOf(step) {
    return this.data.places[this.column("event_place")[this.eventOf(step)]];
  }

  /** @param {number} step */
  blockOf(step) {
    return this.column("event_block")[this.eventOf(step)];
  }

  /** @param {number} step */
  coreOf(step) {
    return this.column("event_core")[this.eventOf(step)];
  }

  /** Which core of its block executes a step, in words; empty where a block has one. @param {number} step */
  coreName(step) {
    return this.data.cores.length > 1 ? this.data.cores[this.coreOf(step)] : "";
  }

  /**
   * The memory of a number as a core sees it: each vector core has a UB of its own.
   * @param {number} number
   * @param {number} step
   */
  seenAt(number, step) {
    return number === UB && step >= 0 ? this.data.ubs[this.coreOf(step)] : number;
  }

  /** The tiles that a step reads and writes. @param {number} step @returns {Tile[]} */
  tilesOf(step) {
    return this._tiles.get(step) || [];
  }

  /**
   * The tile that was written last to a memory, up to a step; null if none was in its block.
   * @param {number} space
   * @param {number} step
   * @returns {Tile | null}
   */
  lastTile(space, step) {
    const { tiles } = this.data.run;
    const begin = this.beginOf(step);
    for (let at = tiles.length - 1; at >= 0 && tiles[at].step >= begin; at--)
      if (tiles[at].step <= step && tiles[at].space === space && tiles[at].writes) return tiles[at];
    return null;
  }

  /**
   * The first step of the block of a step.
   * @param {number} step
   */
  beginOf(step) {
    const { blocks } = this.data.run;
    const block = above(blocks, step);
    return block ? blocks[block - 1] : 0;
  }

  /**
   * The first step after the block of a step.
   * @param {number} step
   */
  endOf(step) {
    const { blocks } = this.data.run;
    return blocks[above(blocks, step)] || 0;
  }

  /**
   * The loops around an event, outermost first: names and values.
   * @param {number} event
   * @returns {[string, number][]}
   */
  iterationsOf(event) {
    /** @type {[string, number][]} */
    const found = [];
    let at = this.column("event_iteration")[event];
    while (at >= 0) {
      const loop = this.data.places[this.column("iteration_loop")[at]];
      found.unshift([loop.index || loop.name, this.column("iteration_value")[at]]);
      at = this.column("iteration_parent")[at];
    }
    return found;
  }

  /**
   * The steps of a line, rising.
   * @param {number} line
   * @returns {number[]}
   */
  stepsOf(line) {
    return this._lines.get(line) || [];
  }

  /**
   * The step of the same line after a step, or before it; -1 if there is none.
   * @param {number} line
   * @param {number} step
   * @param {boolean} back
   */
  onLine(line, step, back) {
    const mine = this.stepsOf(line);
    const at = back ? above(mine, step - 1) - 1 : above(mine, step);
    return at >= 0 && at < mine.length ? mine[at] : -1;
  }

  /**
   * The step at which a line is executed again after a step, or was before it; -1 if there is none. Of a line with
   * several instructions the same one is meant.
   * @param {number} line
   * @param {number} step
   * @param {boolean} back
   */
  again(line, step, back) {
    const here = step >= 0 ? this.placeOf(step) : null;
    let found = this.onLine(line, step, back);
    if (!here || here.line !== line) return found;
    while (found >= 0 && this.placeOf(found) !== here) found = this.onLine(line, found, back);
    return found;
  }

  /**
   * Which of the values a slot has after a step on a core, by default that of the step; -1 if none was made in its
   * block.
   * @param {number} slot
   * @param {number} step
   * @param {number} core
   */
  noteOf(slot, step, core = this.coreOf(step)) {
    const mine = this._notes.get(this._key(slot, core));
    if (!mine) return -1;
    const steps = this.column("value_step");
    let low = 0;
    let high = mine.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (steps[mine[middle]] <= step) low = middle + 1;
      else high = middle;
    }
    const note = low ? mine[low - 1] : -1;
    return note >= 0 && steps[note] >= this.beginOf(step) ? note : -1;
  }

  /**
   * The step that made what a slot holds, or -1: a loop or the launch did. What a vecscope takes in was made before.
   * @param {number} slot
   * @param {number} step
   */
  makerOf(slot, step) {
    const note = this.noteOf(slot, step);
    const made = this._made.get(this._key(slot, this.coreOf(step)));
    if (note < 0 || !made) return -1;
    const steps = this.column("value_step");
    const { bytes } = this.value(note);
    const begin = this.beginOf(step);
    for (let at = above(made, note) - 1; at >= 0 && steps[made[at]] >= begin; at--) {
      const other = this.value(made[at]).bytes;
      if (made[at] === note || bytes.every((byte, k) => byte === other[k])) return steps[made[at]];
    }
    return -1;
  }

  /**
   * The bytes of a value, and of each lane whether it has undefined bits (null: none has).
   * @param {number} note
   * @returns {{bytes: Uint8Array, undefined: Uint8Array | null}}
   */
  value(note) {
    const at = this.column("value_at")[note];
    const size = this.column("value_size")[note];
    const bytes = /** @type {Uint8Array} */ (this.column("value_bytes"));
    const lost = this.column("value_undefined_at")[note];
    const marks = /** @type {Uint8Array} */ (this.column("value_undefined"));
    const shape = this.data.slots.shapes[this.column("value_slot")[note]];
    const lanes = shape.kind === "mask" ? size : shape.lanes;
    return {
      bytes: bytes.subarray(at, at + size),
      undefined: lost < 0 ? null : marks.subarray(lost, lost + lanes),
    };
  }

  /** Slots that have a value after a step. @param {number} step @returns {number[]} */
  alive(step) {
    const count = this.data.cores.length;
    const slots = [...this._notes.keys()].filter((key) => key % count === this.coreOf(step)).map((key) => Math.floor(key / count));
    return slots.filter((slot) => this.noteOf(slot, step) >= 0).sort((a, b) => a - b);
  }

  /**
   * Flags that are set and buffers that are held after a step, on its core.
   * @param {number} step
   * @returns {{flags: Record<string, number>, held: Record<string, number>}}
   */
  signals(step) {
    const core = this.coreOf(step);
    const at = above(this._signalSteps[core], step) - 1;
    if (at < 0 || this._signalSteps[core][at] < this.beginOf(step)) return { flags: {}, held: {} };
    const [, , flags, held] = this._signals[core][at];
    return { flags, held };
  }

  /** @param {number} number @returns {Space} */
  space(number) {
    const found = this.data.run.spaces.find((s) => s.number === number);
    if (!found) throw new Error(`no memory ${number}`);
    return found;
  }

  /**
   * The first step after one whose instruction made a value with a mark; -1 if there is none.
   * @param {number} step
   * @param {number} mark
   */
  nextMade(step, mark) {
    const marks = this.column("value_marks");
    const steps = this.column("value_step");
    for (let note = above(steps, step); note < marks.length; note++)
      if (marks[note] & MADE && marks[note] & mark) return steps[note];
    return -1;
  }

  /**
   * Memory after a step (-1: before the run): its bytes, and of each whether it is undefined.
   * @param {number} number
   * @param {number} step
   * @returns {Contents} good until the next call for this memory
   */
  memory(number, step) {
    const space = this.space(number);
    const begin = space.own ? this.beginOf(step) : 0;
    const last = this._latest.get(number);
    if (last && last.begin === begin && last.step <= step && step - last.step < CHECKPOINT) {
      this._replay(number, last.step + 1, step + 1, last.state);
      last.step = step;
      return last.state;
    }
    let from = begin + Math.floor((step - begin + 1) / CHECKPOINT) * CHECKPOINT;
    while (from > begin && !this._states.has(`${number} ${from}`)) from -= CHECKPOINT;
    const known = from > begin ? this._states.get(`${number} ${from}`) : null;
    const state = copied(known || this._before(space));
    for (; from + CHECKPOINT <= step + 1; from += CHECKPOINT) {
      this._replay(number, from, from + CHECKPOINT, state);
      this._states.set(`${number} ${from + CHECKPOINT}`, copied(state));
    }
    this._replay(number, from, step + 1, state);
    this._latest.set(number, { step, begin, state });
    return state;
  }

  /** @param {Space} space */
  _before(space) {
    if (space.before)
      return {
        data: /** @type {Uint8Array} */ (this.column(`before_${space.number}`)),
        undefined: /** @type {Uint8Array} */ (this.column(`before_undefined_${space.number}`)),
      };
    return {
      data: new Uint8Array(space.size),
      undefined: new Uint8Array(space.size).fill(space.own ? 1 : 0),
    };
  }

  /**
   * Does again what the steps from one to before another wrote.
   * @param {number} number
   * @param {number} first
   * @param {number} end
   * @param {Contents} state
   */
  _replay(number, first, end, state) {
    const steps = this.column("access_step");
    const [space, writes] = [this.column("access_space"), this.column("access_writes")];
    const [start, length] = [this.column("access_start"), this.column("access_length")];
    const [count, stride] = [this.column("access_count"), this.column("access_stride")];
    const at = this.column("access_data");
    const written = /** @type {Uint8Array} */ (this.column("written"));
    const marks = /** @type {Uint8Array} */ (this.column("written_undefined"));
    for (let row = above(steps, first - 1); row < steps.length && steps[row] < end; row++) {
      if (!writes[row] || space[row] !== number) continue;
      for (let k = 0; k < count[row]; k++) {
        const from = at[row] + k * length[row];
        const to = start[row] + k * stride[row];
        state.data.set(written.subarray(from, from + length[row]), to);
        state.undefined.set(marks.subarray(from, from + length[row]), to);
      }
    }
  }

  /**
   * The accesses of a step: rows of the columns `access_*`.
   * @param {number} step
   * @returns {number[]}
   */
  accessesOf(step) {
    const steps = this.column("access_step");
    const found = [];
    for (let row = above(steps, step - 1); row < steps.length && steps[row] === step; row++)
      found.push(row);
    return found;
  }

  /**
   * Whether an access touches a byte.
   * @param {number} row
   * @param {number} byte
   */
  touches(row, byte) {
    const offset = byte - this.column("access_start")[row];
    const stride = this.column("access_stride")[row];
    const number = stride > 0 ? Math.floor(offset / stride) : 0;
    if (offset < 0 || number >= this.column("access_count")[row]) return false;
    return offset - number * stride < this.column("access_length")[row];
  }

  /**
   * The last step up to one that wrote, or read, a byte; -1 if none did.
   * @param {number} number
   * @param {number} byte
   * @param {number} step
   * @param {boolean} writes
   */
  lastAccess(number, byte, step, writes) {
    const steps = this.column("access_step");
    const spaces = this.column("access_space");
    const kinds = this.column("access_writes");
    const first = this.space(number).own ? this.beginOf(step) : 0;
    for (let row = above(steps, step) - 1; row >= 0 && steps[row] >= first; row--) {
      if (spaces[row] === number && Boolean(kinds[row]) === writes && this.touches(row, byte))
        return steps[row];
    }
    return -1;
  }

  /**
   * The first step after one that writes or reads a byte; -1 if none does.
   * @param {number} number
   * @param {number} byte
   * @param {number} step
   */
  nextAccess(number, byte, step) {
    const steps = this.column("access_step");
    const spaces = this.column("access_space");
    const begin = this.beginOf(step);
    for (let row = above(steps, step); row < steps.length; row++) {
      if (spaces[row] !== number || !this.touches(row, byte)) continue;
      return !this.space(number).own || this.beginOf(steps[row]) === begin ? steps[row] : -1;
    }
    return -1;
  }
}

/**
 * Adds a number to the list of a key.
 * @param {Map<number, number[]>} lists
 * @param {number} key
 * @param {number} number
 */
function listed(lists, key, number) {
  const mine = lists.get(key);
  if (mine) mine.push(number);
  else lists.set(key, [number]);
}

/** @param {Contents} state @returns {Contents} */
function copied(state) {
  return { data: state.data.slice(), undefined: state.undefined.slice() };
}
