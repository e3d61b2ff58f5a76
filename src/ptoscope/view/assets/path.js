// The critical path: what the cycles of the run are spent on, one after the other.
//
// For tests: #path has a row for each step of the path, with a button of data-line.

import { counted } from "./format.js";
import { State, byId, make } from "./state.js";
import { keepShown } from "./tabs.js";

/** @param {State} state */
export function showPath(state) {
  const pane = byId("path");
  let shown = -1;
  keepShown(state, "path", () => {
    if (shown === state.shown.run) return;
    shown = state.shown.run;
    const { data } = state.run;
    if (!data.timing) {
      pane.replaceChildren(make("p", {}, "This run has no cycles."));
      return;
    }
    const cluster = data.cores.length > 1;
    const rows = data.timing.path.map(([line, pipe, what, cycles, core]) => {
      const button = make("button", { type: "button", class: "link", "data-line": String(line) }, `line ${line}`);
      button.addEventListener("click", () => state.show({ line }));
      return make("tr", {}, make("td", {}, line ? button : ""), ...(cluster ? [make("td", {}, core)] : []), make("td", {}, pipe), make("td", {}, what),
        make("td", { class: "figure" }, cycles.toLocaleString("en")), make("td", {}, make("code", {}, line ? data.source[line - 1].trim() : "")));
    });
    const head = ["Line", ...(cluster ? ["Core"] : []), "Pipe", "What", "Cycles", "Text"].map((text) => make("th", { scope: "col" }, text));
    pane.replaceChildren(make("p", {}, `What ${counted(data.timing.total, "cycle")} are spent on, as one way through the run.`),
      make("table", { class: "path" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
  });
}
