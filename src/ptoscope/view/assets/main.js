// Opens the page: data, views, theme, keys.

import { showCompare } from "./compare.js";
import { openRuns } from "./data.js";
import { counted, learnCodes } from "./format.js";
import { MEMORY_KEYS, showMemory } from "./memory.js";
import { MOVES, showMoves } from "./moves.js";
import { showPath } from "./path.js";
import { showRegisters } from "./registers.js";
import { showFindings, showSource } from "./source.js";
import { State, byId, make } from "./state.js";
import { TABS, showTabs } from "./tabs.js";
import { showTiles } from "./tiles.js";
import { showTimeline } from "./timeline.js";
import { TIMELINE_KEYS, timelineTools } from "./timeline_input.js";

/** @param {State} state */
function showFacts(state) {
  const { data } = state.run;
  const facts = [`@${data.kernel}`, data.target, `revision ${data.revision}`, counted(data.grid, "block")];
  if (data.cores.length > 1) facts.push(`cores ${data.cores.join(", ")}`);
  if (data.timing)
    facts.push(`${counted(data.timing.total, "cycle")} by the ${data.timing.model} model`);
  byId("facts").textContent = facts.join(" · ");
  const left = [];
  if (data.run.left_out) left.push(`values of the last ${counted(data.run.left_out, "execution")} are left out`);
  if (data.timing && data.timing.left_out)
    left.push(`the last ${counted(data.timing.left_out, "slice")} of the timeline are left out`);
  byId("notice").textContent = left.join("; ");
  byId("notice").hidden = !left.length;
}

/** Light or dark: as the system is, until somebody chooses. */
function showTheme() {
  const button = byId("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const say = () => {
    const now = document.documentElement.dataset.theme || (dark.matches ? "dark" : "light");
    button.textContent = now === "dark" ? "Light" : "Dark";
    return now;
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = say() === "dark" ? "light" : "dark";
    say();
    dispatchEvent(new Event("theme"));
  });
  dark.addEventListener("change", say);
  say();
}

/** The keys, in a dialog. */
function showHelp() {
  const dialog = /** @type {HTMLDialogElement} */ (byId("help"));
  const keys = [...MOVES.map((move) => [move.keys.join(" or "), move.title]),
    ...TABS.map((name, number) => [String(number + 1), name]),
    ...MEMORY_KEYS.map(([key, title]) => [key, `in the memory: ${title}`]), ...TIMELINE_KEYS, ["?", "these keys"]];
  const rows = keys.map(([key, title]) => make("tr", {}, make("th", { scope: "row" }, key), make("td", {}, title)));
  const close = make("button", { type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  dialog.append(make("h2", { id: "help-title" }, "Keys"), make("table", {}, make("tbody", {}, ...rows)), close);
  const open = () => dialog.showModal();
  byId("help-button").addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !dialog.open) open();
  });
}

openRuns().then((runs) => {
  const state = new State(runs);
  learnCodes(runs[0]);
  if (runs.some((run) => run.data.run.tiles.length)) TABS.push("tiles");
  if (runs.length > 1) TABS.push("compare");
  showFacts(state);
  state.addEventListener("change", () => showFacts(state));
  showTheme();
  showTabs();
  showSource(state);
  showFindings(state);
  showMoves(state);
  showTimeline(state, timelineTools);
  if (runs.length > 1) showCompare(state);
  const memory = showMemory(state);
  showRegisters(state, memory);
  if (TABS.includes("tiles")) showTiles(state, memory);
  showPath(state);
  showHelp();
  state.go(0);
  document.body.dataset.ready = "yes";
});
