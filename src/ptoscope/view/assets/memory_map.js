// The map of a memory: its cells on a canvas.
//
// For tests: #memory-map has data-begin, data-end, data-cell (bytes of a cell) and data-columns.

import { Cells } from "./cells.js";
import { State, make } from "./state.js";

/** What the colours of the map say. */
export const MAP_MODES = /** @type {const} */ ({
  writer: "last writer, by line",
  fate: "live or dead",
  reads: "heat of reads, whole run",
  writes: "heat of writes, whole run",
});
/** @typedef {keyof typeof MAP_MODES} MapMode */

const MOST_CELLS = 1024;
const HEIGHT = 12;
/** Neighbours can be told apart by people who see few colours; lines have their numbers as well. */
const COLOURS = ["--c0", "--c2", "--c5", "--c4", "--c7", "--busy", "--c3", "--c6"];

/**
 * Bytes of a cell, so that a range has not too many of them.
 * @param {number} bytes
 */
export function cellSize(bytes) {
  let size = 4;
  while (bytes / size > MOST_CELLS) size *= 2;
  return size;
}

/** The map of a range. It draws; what is chosen is its owner's business. */
export class MemoryMap {
  /** @param {State} state */
  constructor(state) {
    this.state = state;
    this.canvas = /** @type {HTMLCanvasElement} */ (make("canvas", { id: "memory-map", tabindex: "0", role: "application",
      "data-keys": "arrows", "aria-label": "Map of the memory: arrows move, with Shift they extend the selection", "aria-describedby": "memory-cell" }));
    this.number = 0;
    /** @type {Cells | null} */
    this.cells = null;
    this.columns = 64;
    /** @type {number[]} lines that write, whose places are their colours */
    this.lines = [];
    /** @type {[string, number, number, string][]} labels, which are drawn over all cells */
    this._texts = [];
  }

  /**
   * Another range.
   * @param {number} number
   * @param {number} begin
   * @param {number} end
   */
  choose(number, begin, end) {
    const { run } = this.state;
    const old = this.cells;
    if (old && old.run === run && this.number === number && old.begin === begin && old.end === end) return;
    this.number = number;
    this.cells = new Cells(run, number, begin, end, cellSize(end - begin));
    const { rows } = this.cells.writes;
    const lines = new Set();
    for (const row of rows) lines.add(run.placeOf(this.cells.steps[row]).line);
    this.lines = [...lines].sort((a, b) => a - b);
    Object.assign(this.canvas.dataset, { begin: String(begin), end: String(end), cell: String(this.cells.size) });
  }

  /** The colour of a line. @param {number} line */
  colourOf(line) {
    return COLOURS[this.lines.indexOf(line) % COLOURS.length];
  }

  /**
   * The cell at a point of the window.
   * @param {number} x
   * @param {number} y
   */
  cellAt(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const column = Math.floor(((x - box.left) / box.width) * this.columns);
    const row = Math.floor((y - box.top) / HEIGHT);
    const last = this.cells ? this.cells.count - 1 : 0;
    return Math.min(last, Math.max(0, row * this.columns + Math.min(this.columns - 1, Math.max(0, column))));
  }

  /**
   * Draws the map after a step.
   * @param {MapMode} mode
   * @param {{begin: number, end: number}} selection
   */
  draw(mode, selection) {
    const { canvas, cells, state } = this;
    const { run, step } = state;
    if (!cells || !canvas.clientWidth) return;
    this.columns = canvas.clientWidth >= 512 ? 64 : 32;
    canvas.dataset.columns = String(this.columns);
    const rows = Math.ceil(cells.count / this.columns);
    const scale = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.style.height = `${rows * HEIGHT}px`;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(rows * HEIGHT * scale);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const style = getComputedStyle(canvas);
    /** @param {string} name */
    const colour = (name) => style.getPropertyValue(name).trim();
    const wide = width / this.columns;
    /** @param {number} cell @returns {[number, number]} */
    const corner = (cell) => [(cell % this.columns) * wide, Math.floor(cell / this.columns) * HEIGHT];
    const heat = mode === "reads" || mode === "writes";
    const lists = mode === "reads" ? cells.reads : cells.writes;
    const most = heat ? Math.max(1, this.most(mode)) : 1;
    const { undefined: lost } = run.memory(this.number, step);
    const [raised, accent] = [colour("--raised"), colour("--accent")];
    const [ground, pale] = [colour("--ground"), colour("--undefined")];
    let labelled = -1;
    for (let cell = 0; cell < cells.count; cell++) {
      const [x, y] = corner(cell);
      context.fillStyle = raised;
      context.fillRect(x, y, wide - 1, HEIGHT - 1);
      if (heat) {
        const times = cells.times(lists, cell);
        context.globalAlpha = times ? 0.15 + (0.85 * Math.log1p(times)) / Math.log1p(most) : 0;
        context.fillStyle = mode === "reads" ? accent : colour("--c2");
        context.fillRect(x, y, wide - 1, HEIGHT - 1);
        context.globalAlpha = 1;
        continue;
      }
      const row = cells.last(cells.writes, cell, step);
      if (mode === "writer" && row >= 0) {
        const { line } = run.placeOf(cells.steps[row]);
        context.fillStyle = colour(this.colourOf(line));
        context.fillRect(x, y, wide - 1, HEIGHT - 1);
        if (line !== labelled || cell % this.columns === 0) this._label(cell, x, y, wide, line, String(context.fillStyle));
        labelled = line;
      } else labelled = -1;
      if (mode === "fate" && (row >= 0 || !cells.own)) {
        const fate = cells.fate(cell, step);
        context.fillStyle = fate === "dead" ? colour("--quiet") : accent;
        if (fate === "dead") context.fillRect(x, y + HEIGHT / 2 - 1, wide - 1, 2);
        else context.fillRect(x, y, wide - 1, fate === "kept" ? HEIGHT / 2 : HEIGHT - 1);
      }
      if (this._undefinedIn(lost, cell)) hatch(context, row >= 0 ? ground : pale, x, y, wide - 1, HEIGHT - 1);
    }
    this._outlines(context, corner, wide, colour, selection);
  }

  /** How often the cell is touched that is touched most. @param {"reads" | "writes"} kind */
  most(kind) {
    const cells = /** @type {Cells} */ (this.cells);
    let most = 0;
    for (let cell = 0; cell < cells.count; cell++) most = Math.max(most, cells.times(cells[kind], cell));
    return most;
  }

  /** @param {Uint8Array} lost @param {number} cell */
  _undefinedIn(lost, cell) {
    const { begin, end, size } = /** @type {Cells} */ (this.cells);
    const first = begin + cell * size;
    for (let byte = first; byte < Math.min(end, first + size); byte++) if (lost[byte]) return true;
    return false;
  }

  /**
   * The number of a line at the begin of its region, where there is room for it.
   * @param {number} cell
   * @param {number} x
   * @param {number} y
   * @param {number} wide
   * @param {number} line
   * @param {string} behind
   */
  _label(cell, x, y, wide, line, behind) {
    const cells = /** @type {Cells} */ (this.cells);
    const { run, step } = this.state;
    const needed = Math.ceil((String(line).length * 6 + 4) / wide);
    for (let next = cell + 1; next < cell + needed; next++) {
      const row = next < cells.count && next % this.columns ? cells.last(cells.writes, next, step) : -1;
      if (row < 0 || run.placeOf(cells.steps[row]).line !== line) return;
    }
    this._texts.push([String(line), x, y, behind]);
  }

  /**
   * What this step reads and writes, and the selection.
   * @param {CanvasRenderingContext2D} context
   * @param {(cell: number) => [number, number]} corner
   * @param {number} wide
   * @param {(name: string) => string} colour
   * @param {{begin: number, end: number}} selection
   */
  _outlines(context, corner, wide, colour, selection) {
    const cells = /** @type {Cells} */ (this.cells);
    const { run, step } = this.state;
    context.font = "10px system-ui, sans-serif";
    for (const [text, x, y, behind] of this._texts) {
      context.fillStyle = behind;
      context.fillRect(x, y, context.measureText(text).width + 4, HEIGHT - 1);
      context.fillStyle = colour("--ground");
      context.fillText(text, x + 2, y + HEIGHT - 3);
    }
    this._texts = [];
    context.lineWidth = 2;
    for (const row of step < 0 ? [] : run.accessesOf(step)) {
      if (run.column("access_space")[row] !== this.number) continue;
      context.strokeStyle = colour("--ink");
      context.setLineDash(run.column("access_writes")[row] ? [] : [3, 2]);
      const touched = new Set();
      cells.touched(row, (cell) => touched.add(cell));
      context.beginPath();
      for (const cell of touched) {
        const [x, y] = corner(cell);
        const [right, bottom] = [x + wide - 1, y + HEIGHT - 1];
        const column = cell % this.columns;
        /** @type {[boolean, number, number, number, number][]} */
        const edges = [[column > 0 && touched.has(cell - 1), x, y, x, bottom], [touched.has(cell - this.columns), x, y, right, y],
          [column < this.columns - 1 && touched.has(cell + 1), right, y, right, bottom], [touched.has(cell + this.columns), x, bottom, right, bottom]];
        for (const [inside, x0, y0, x1, y1] of edges) {
          if (inside) continue;
          context.moveTo(x0, y0);
          context.lineTo(x1, y1);
        }
      }
      context.stroke();
    }
    context.setLineDash([]);
    context.fillStyle = colour("--error");
    const first = Math.max(0, Math.floor((selection.begin - cells.begin) / cells.size));
    const last = Math.min(cells.count - 1, Math.floor((selection.end - 1 - cells.begin) / cells.size));
    for (let cell = first; cell <= last; cell++) {
      const [x, y] = corner(cell);
      context.fillRect(x, y + HEIGHT - 2, wide, 2);
    }
  }
}

/**
 * Lines across a rectangle: bytes that are undefined.
 * @param {CanvasRenderingContext2D} context
 * @param {string} ink
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} high
 */
function hatch(context, ink, x, y, wide, high) {
  context.save();
  context.beginPath();
  context.rect(x, y, wide, high);
  context.clip();
  context.beginPath();
  for (let at = x - high; at < x + wide; at += 4) {
    context.moveTo(at, y + high);
    context.lineTo(at + high, y);
  }
  context.strokeStyle = ink;
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}
