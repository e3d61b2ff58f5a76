// Two runs beside each other: which of them the page looks at, and the cycles of each line.
//
// For tests: #run-chooser has the numbers of the runs as values; #compare has a row for each pair
// of lines that takes cycles, with the lines as data-first and data-second (0: none).

import { Run } from "./data.js";
import { counted } from "./format.js";
import { State, byId, make } from "./state.js";

/** What the runs are called. */
export const RUN_NAMES = ["A", "B"];

/**
 * Looks at a line of a run, or at its first moment: at the first execution, if there is one.
 * @param {State} state
 * @param {number} number
 * @param {number} line 0 for none
 */
function lookAt(state, number, line) {
  const run = state.runs[number];
  const next = run.onLine(line, -1, false);
  const other = number === state.shown.run ? state.step : Math.min(0, run.steps - 1);
  const step = next >= 0 ? next : other;
  state.show({ run: number, step, line: line || (step < 0 ? 0 : run.placeOf(step).line), slice: -1 });
}

/**
 * Shows what a page of two runs has more than that of one.
 * @param {State} state
 */
export function showCompare(state) {
  const [first, second] = state.runs;
  const pairs = second.data.beside || [];
  showChooser(state, pairs);
  const pane = byId("compare");
  const times = [first, second].map((run) => run.data.timing);
  if (!times[0] || !times[1]) {
    pane.replaceChildren(make("p", {}, `${RUN_NAMES[times[0] ? 1 : 0]} has no cycles to compare.`));
    return;
  }
  const heads = ["A: line", "A: cycles", "B: line", "B: cycles", "B \u2212 A", "Text"];
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)));
  const all = times.map((timing) => (timing ? timing.total : 0));
  pane.replaceChildren(
    make("p", {}, summary(all[0], all[1])),
    make("table", { class: "compared" }, make("thead", {}, head), make("tbody", {}, ...comparedRows(state, pairs))),
  );
}

/**
 * The cycles of two runs, in words.
 * @param {number} first
 * @param {number} second
 */
function summary(first, second) {
  if (first === second) return `A and B take ${counted(first, "cycle")} each.`;
  const share = Math.abs(second / Math.max(1, first) - 1).toLocaleString("en", { style: "percent", maximumFractionDigits: 1 });
  return `A takes ${counted(first, "cycle")}, B ${second.toLocaleString("en")}: ${share} ${second < first ? "fewer" : "more"}.`;
}

/**
 * A row for each pair of lines of which one takes cycles.
 * @param {State} state
 * @param {[number, number][]} pairs
 */
function comparedRows(state, pairs) {
  const cycles = /** @param {number} run @param {number} line */ (run, line) => {
    const { timing } = state.runs[run].data;
    const timed = timing ? timing.lines[line] : undefined;
    return timed ? timed[0] : 0;
  };
  const most = Math.max(1, ...pairs.flat().map((line, at) => cycles(at % 2, line)));
  return pairs.filter(([a, b]) => cycles(0, a) || cycles(1, b)).map((pair) => {
    const cells = pair.flatMap((line, run) => {
      if (!line) return [make("td"), make("td")];
      const button = make("button", { type: "button", class: "link", "aria-label": `line ${line} of ${RUN_NAMES[run]}` }, String(line));
      button.addEventListener("click", () => lookAt(state, run, line));
      const bar = make("i", { class: "busy", "aria-hidden": "true" });
      bar.style.width = `${(60 * cycles(run, line)) / most}px`;
      const figure = make("span", {}, cycles(run, line).toLocaleString("en"));
      return [make("td", { class: "figure" }, button), make("td", { class: "figure" }, make("div", {}, bar, figure))];
    });
    const more = cycles(1, pair[1]) - cycles(0, pair[0]);
    const texts = pair.map((line, run) => (line ? state.runs[run].data.source[line - 1].trim() : ""));
    const text = make("td", {}, ...[...new Set(texts)].filter(Boolean).map((one) => make("code", {}, one)));
    const sign = more > 0 ? "+" : more < 0 ? "\u2212" : "";
    return make("tr", { "data-first": String(pair[0]), "data-second": String(pair[1]) }, ...cells,
      make("td", { class: "figure" }, `${sign}${Math.abs(more).toLocaleString("en")}`), text);
  });
}

/**
 * Which of the runs the other panes show.
 * @param {State} state
 * @param {[number, number][]} pairs
 */
function showChooser(state, pairs) {
  const chooser = /** @type {HTMLSelectElement} */ (make("select", { id: "run-chooser" }));
  state.runs.forEach((run, number) => chooser.append(make("option", { value: String(number) }, runTitle(run, number))));
  chooser.addEventListener("change", () => {
    const [to, from] = [Number(chooser.value), state.shown.run];
    const pair = pairs.find((lines) => lines[from] === state.shown.line);
    lookAt(state, to, pair ? pair[to] : 0);
  });
  state.addEventListener("change", () => (chooser.value = String(state.shown.run)));
  byId("tools").prepend(make("label", {}, "Run ", chooser));
}

/**
 * The name of a run of two.
 * @param {Run} run
 * @param {number} number
 */
export function runTitle(run, number) {
  return `${RUN_NAMES[number]}: ${run.data.title}`;
}
