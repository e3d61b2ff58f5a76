// Draws the timeline on its canvas: only what is in view; slices that are narrower than a pixel
// become one run of the colour that has most of the pixel.

import { above } from "./data.js";
import { Lanes, WAIT } from "./lanes.js";
import { causeClass } from "./source.js";

/**
 * The part of the time in view, where it is on the canvas, and how many pixels a cycle has.
 * @typedef {{from: number, scale: number, width: number, height: number}} Range
 * Where a lane is on the canvas.
 * @typedef {{lanes: Lanes, lane: number, top: number, height: number}} DrawnLane
 * @typedef {{ground: string, ink: string, quiet: string, rule: string, accent: string,
 *   critical: string, fills: string[], inks: string[]}} Colours
 */

export const AXIS = 20;
/** Slices of at least this many pixels are drawn one by one. */
const WIDE = 2;
/** Colours of slices: kinds first, then reasons of stalls. */
const STALL_FILLS = 4;

/**
 * The colours of the theme, read from the style.
 * @param {string[]} stalls
 * @returns {Colours}
 */
export function readColours(stalls) {
  const style = getComputedStyle(document.documentElement);
  const read = /** @param {string} name */ (name) => style.getPropertyValue(`--${name}`).trim();
  const work = read("busy");
  const causes = stalls.map((stall) => read(causeClass(stall).replace("cause-", "").replace(/^(\d)/, "c$1")));
  const fills = [work, work, read("issue"), read("instruction"), ...causes];
  return { ground: read("ground"), ink: read("ink"), quiet: read("quiet"), rule: read("rule"),
    accent: read("accent"), critical: read("critical"), fills,
    inks: fills.map((fill) => (isDark(fill) ? "#ffffff" : "#000000")) };
}

/** Whether white is easier to read on a colour than black. @param {string} fill */
function isDark(fill) {
  const parts = [1, 3, 5].map((at) => {
    const part = parseInt(fill.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] < 0.179;
}

/** The number of a slice's colour. @param {Lanes} lanes @param {number} slice */
function fillOf(lanes, slice) {
  const kind = lanes.kind[slice];
  return kind === WAIT ? STALL_FILLS + lanes.stall[slice] : kind;
}

/** Narrow slices: what each pixel is made of, joined to runs of one colour. */
class Narrow {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string[]} fills
   * @param {number} top
   * @param {number} height
   */
  constructor(context, fills, top, height) {
    this.context = context;
    this.fills = fills;
    this.top = top;
    this.height = height;
    this.weights = new Float64Array(fills.length);
    /** The pixel that is being added to, and the colour that has most of it. */
    this.pixel = -1;
    this.best = -1;
    /** The run: where it began, and its colour. */
    this.from = 0;
    this.fill = -1;
  }

  /** @param {number} pixel @param {number} fill @param {number} weight */
  add(pixel, fill, weight) {
    if (pixel !== this.pixel) this.next(pixel);
    this.weights[fill] += weight;
    if (this.best < 0 || this.weights[fill] > this.weights[this.best]) this.best = fill;
  }

  /** The pixel is complete. @param {number} pixel the one that comes next, -2 for none */
  next(pixel) {
    const [last, best] = [this.pixel, this.best];
    if (best >= 0 && best !== this.fill) {
      this.flush(last);
      [this.from, this.fill] = [last, best];
    }
    if (pixel !== last + 1) this.flush(last + 1);
    if (best >= 0) this.weights.fill(0);
    [this.pixel, this.best] = [pixel, -1];
  }

  /** @param {number} to */
  flush(to) {
    if (this.fill >= 0) {
      this.context.fillStyle = this.fills[this.fill];
      this.context.fillRect(this.from, this.top, to - this.from, this.height);
    }
    this.fill = -1;
  }
}

/**
 * Draws the slices of a lane.
 * @param {CanvasRenderingContext2D} context
 * @param {Range} range
 * @param {DrawnLane} drawn
 * @param {Colours} colours
 * @param {boolean} path whether the critical path is marked
 */
export function drawLane(context, range, { lanes, lane, top, height }, colours, path) {
  const { ids, starts, ends, reach } = lanes.lanes[lane];
  const { from, scale, width } = range;
  const until = from + width / scale;
  // The lanes of a closed block have no room for what held instructions up.
  const [strip, edge] = [height < 6 ? 0 : Math.floor(height / 5), Math.max(1, Math.floor(height / 7))];
  const bars = new Narrow(context, colours.fills, top, height - strip);
  const strips = new Narrow(context, colours.fills, top + height - strip, strip);
  const marks = new Narrow(context, [colours.critical], top, edge);
  const labelled = height > 12;
  for (let at = above(reach, from); at < ids.length && starts[at] < until; at++) {
    const slice = ids[at];
    const fill = fillOf(lanes, slice);
    const held = lanes.stall[slice] && lanes.kind[slice] !== WAIT ? lanes.stalled[slice] : 0;
    const x = (starts[at] - from) * scale;
    const end = (ends[at] - from) * scale;
    const critical = path && lanes.critical[slice];
    if (end - x < WIDE) {
      const pixel = Math.max(0, Math.floor(x));
      bars.add(pixel, fill, end - x);
      if (held) strips.add(pixel, STALL_FILLS + lanes.stall[slice], held);
      if (critical) marks.add(pixel, 0, 1);
      continue;
    }
    const [left, right] = [Math.max(-2, x), Math.min(width + 2, end)];
    context.fillStyle = colours.fills[fill];
    context.fillRect(left, top, Math.max(1, right - left - 0.5), height - strip);
    if (held) {
      const early = Math.max(-2, (starts[at] - held - from) * scale);
      context.fillStyle = colours.fills[STALL_FILLS + lanes.stall[slice]];
      context.fillRect(early, top + height - strip, Math.max(1, left - early), strip);
    }
    if (critical) {
      context.fillStyle = colours.critical;
      context.fillRect(left, top, right - left - 0.5, edge);
      context.strokeStyle = colours.critical;
      if (right - left > 6) context.strokeRect(left + 0.5, top + 0.5, right - left - 1.5, height - strip - 1);
    }
    if (labelled && right - left > 22) drawLabel(context, lanes.label(slice), left, right, top + (height - strip) / 2, colours.inks[fill]);
  }
  for (const narrow of [bars, strips, marks]) narrow.next(-2);
}

/** @type {Map<string, number>} */
const labelWidths = new Map();

/**
 * A label where there is room for all of it, or for a good part.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} left
 * @param {number} right
 * @param {number} middle
 * @param {string} ink
 */
function drawLabel(context, text, left, right, middle, ink) {
  const room = right - Math.max(0, left) - 6;
  let width = labelWidths.get(text);
  if (width === undefined) labelWidths.set(text, (width = context.measureText(text).width));
  let shown = text;
  if (width > room) {
    const letters = Math.floor((text.length * room) / width) - 1;
    if (letters < 2) return;
    shown = `${text.slice(0, letters)}\u2026`;
  }
  context.fillStyle = ink;
  context.fillText(shown, Math.max(0, left) + 3, middle);
}

/**
 * The axis: cycles, at round numbers, with faint lines over the lanes.
 * @param {CanvasRenderingContext2D} context
 * @param {Range} range
 * @param {Colours} colours
 */
export function drawAxis(context, { from, scale, width, height }, colours) {
  const rough = 90 / scale;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * power).find((size) => size >= rough) || 1);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, AXIS);
  for (let time = Math.ceil(from / step) * step; (time - from) * scale < width; time += step) {
    const x = Math.round((time - from) * scale);
    context.fillStyle = colours.rule;
    context.fillRect(x, AXIS - 5, 1, height);
    context.fillStyle = colours.quiet;
    context.fillText(time.toLocaleString("en"), x + 3, AXIS / 2);
  }
  context.fillStyle = colours.rule;
  context.fillRect(0, AXIS - 1, width, 1);
}

/**
 * Arrows between slices, each from the end of one to the end of a wait. Of those that go from one
 * lane to another side by side, one in a few pixels is drawn.
 * @param {CanvasRenderingContext2D} context
 * @param {Range} range
 * @param {Lanes} lanes
 * @param {Iterable<number>} numbers
 * @param {(slice: number) => number} middleOf of a slice where its lane is
 * @param {string} colour
 */
export function drawArrows(context, { from, scale, width, height }, lanes, numbers, middleOf, colour) {
  const { pairs, start, length, laneOf } = lanes;
  /** @type {Map<number, number>} by pair of lanes where the last arrow ended */
  const ends = new Map();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  for (const number of numbers) {
    const [source, wait] = [pairs[2 * number], pairs[2 * number + 1]];
    const x = Math.round((start[source] + length[source] - from) * scale);
    const to = Math.round((start[wait] + length[wait] - from) * scale);
    const lane = laneOf[source] * lanes.lanes.length + laneOf[wait];
    const last = ends.get(lane);
    if (Math.max(x, to) < 0 || Math.min(x, to) > width || (last !== undefined && Math.abs(last - to) < 6)) continue;
    const [y, down] = [middleOf(source), middleOf(wait)];
    if (Math.max(y, down) < 0 || Math.min(y, down) > height) continue;
    ends.set(lane, to);
    const bend = Math.max(12, Math.min(60, Math.abs(to - x) / 2));
    // Each a path of its own: they are drawn much faster than all of them as one.
    context.beginPath();
    context.moveTo(x, y);
    context.bezierCurveTo(x + bend, y, to - bend, down, to, down);
    context.moveTo(to - 5, down - 3);
    context.lineTo(to, down);
    context.lineTo(to - 5, down + 3);
    context.stroke();
  }
  context.lineWidth = 1;
}
