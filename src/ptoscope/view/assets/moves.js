// Moves through the run: buttons, keys, and the line that says where it is.

import { HAS_NAN, HAS_UNDEFINED } from "./data.js";
import { short } from "./format.js";
import { State, byId, make } from "./state.js";

/**
 * @typedef {{id: string, label: string, keys: string[], title: string,
 *   to: (state: State) => number}} Move
 */

/** @type {Move[]} */
export const MOVES = [
  { id: "first", label: "First", keys: ["Home"], title: "first moment", to: () => 0 },
  { id: "back", label: "Back", keys: ["ArrowLeft", "b"], title: "one moment back", to: (s) => s.step - 1 },
  { id: "step", label: "Step", keys: ["ArrowRight", "s"], title: "one moment on", to: (s) => s.step + 1 },
  { id: "last", label: "Last", keys: ["End"], title: "last moment", to: (s) => s.run.steps - 1 },
  { id: "previous-here", label: "Previous here", keys: ["p"], title: "previous execution of this line",
    to: (s) => s.run.again(s.shown.line, s.step, true) },
  { id: "next-here", label: "Next here", keys: ["n"], title: "next execution of this line",
    to: (s) => s.run.again(s.shown.line, s.step, false) },
  { id: "nan", label: "Next NaN", keys: ["a"], title: "next moment that makes a NaN",
    to: (s) => s.run.nextMade(s.step, HAS_NAN) },
  { id: "undefined", label: "Next undefined", keys: ["u"], title: "next moment that makes undefined bits",
    to: (s) => s.run.nextMade(s.step, HAS_UNDEFINED) },
  { id: "difference", label: "First difference", keys: ["d"], title: "first difference from what was expected",
    to: (s) => (s.run.data.difference ? s.run.data.difference.step : -1) },
];

/**
 * Shows the moves and where the run is.
 * @param {State} state
 */
export function showMoves(state) {
  const bar = byId("moves");
  for (const move of MOVES) {
    if (move.id === "difference" && !state.runs.some((run) => run.data.difference)) continue;
    const button = make("button", { type: "button", id: `move-${move.id}`,
      title: `${move.title} (${move.keys.join(" or ")})` }, move.label);
    button.addEventListener("click", () => take(state, move));
    bar.append(button);
  }
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    const move = MOVES.find((one) => one.keys.includes(event.key));
    if (!move || (target.closest("[data-keys~=arrows]") && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    take(state, move);
  });
  const say = () => {
    byId("moment").replaceChildren(...where(state));
  };
  state.addEventListener("change", say);
  say();
}

/** @param {State} state @param {Move} move */
function take(state, move) {
  const step = move.to(state);
  if (step >= 0 && step < state.run.steps) state.go(step);
  else byId("moment").replaceChildren(...where(state), ` (there is no ${move.title})`);
}

/**
 * Where the run is, in words.
 * @param {State} state
 * @returns {(Node | string)[]}
 */
function where(state) {
  const { run, step } = state;
  if (step < 0) return [`Before the first of ${run.steps} moments.`];
  const place = run.placeOf(step);
  const loops = run.iterationsOf(run.eventOf(step)).map(([name, value]) => `${name} = ${short(value)}`);
  const block = run.data.grid > 1 ? [`block ${run.blockOf(step)}`] : [];
  const core = run.coreName(step) ? [run.coreName(step)] : [];
  const around = [`moment ${step} of ${run.steps}`, ...block, ...core, place.pipe, `line ${place.line}`, ...loops];
  const { difference } = run.data;
  const why = difference && difference.step === step ? [make("strong", {}, ` ${difference.text}`)] : [];
  const piece = place.piece ? [" in ", make("code", {}, place.piece)] : [];
  return [make("code", {}, place.name), ...piece, ` ${around.join(", ")}`, ...why];
}
