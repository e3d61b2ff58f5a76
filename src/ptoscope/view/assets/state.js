// What the page shows now, and who wants to know when that changes.

import { Run } from "./data.js";

/** @typedef {{run: number, step: number, line: number, slice: number}} Shown */

/** The state of the page. Views listen for `change`; the step is -1 before the first. */
export class State extends EventTarget {
  /** @param {Run[]} runs */
  constructor(runs) {
    super();
    this.runs = runs;
    /** @type {Shown} */
    this.shown = { run: 0, step: -1, line: 0, slice: -1 };
  }

  /** The run that is looked at. */
  get run() {
    return this.runs[this.shown.run];
  }

  get step() {
    return this.shown.step;
  }

  /**
   * Shows something else.
   * @param {Partial<Shown>} what
   */
  show(what) {
    const before = this.shown;
    this.shown = { ...before, ...what };
    this.dispatchEvent(new CustomEvent("change", { detail: before }));
  }

  /**
   * Goes to a step, its line with it; nothing happens where there is none.
   * @param {number} step
   * @param {number} [slice]
   */
  go(step, slice = -1) {
    if (step < 0 || step >= this.run.steps) return;
    this.show({ step, line: this.run.placeOf(step).line, slice });
  }
}

/**
 * The element of an id, which the page has.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page lacks #${id}`);
  return found;
}

/**
 * An element with attributes and content.
 * @param {string} tag
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} content
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}
