// Opens the page: data, views, theme, keys.

import { openRuns } from "./data.js";
import { counted } from "./format.js";
import { MOVES, showMoves } from "./moves.js";
import { showFindings, showSource } from "./source.js";
import { State, byId, make } from "./state.js";
import { showTimeline } from "./timeline.js";
import { TIMELINE_KEYS, timelineTools } from "./timeline_input.js";

/** @param {State} state */
function showFacts(state) {
  const { data } = state.run;
  const facts = [`@${data.kernel}`, data.target, `revision ${data.revision}`, counted(data.grid, "block")];
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

/** The panels beside the moment, one at a time. */
function showTabs() {
  const list = byId("tabs");
  const names = ["findings"];
  /** @param {string} chosen */
  const choose = (chosen) => {
    for (const name of names) {
      const tab = byId(`tab-${name}`);
      tab.setAttribute("aria-selected", String(name === chosen));
      tab.tabIndex = name === chosen ? 0 : -1;
      byId(name).hidden = name !== chosen;
    }
  };
  names.forEach((name, number) => {
    const title = name[0].toUpperCase() + name.slice(1);
    const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": name }, title);
    byId(name).setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => choose(name));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.stopPropagation();
      const next = names[(number + by + names.length) % names.length];
      choose(next);
      byId(`tab-${next}`).focus();
    });
    list.append(tab);
  });
  choose(names[0]);
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
  const keys = [...MOVES.map((move) => [move.keys.join(" or "), move.title]), ["?", "these keys"], ...TIMELINE_KEYS];
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
  showFacts(state);
  showTheme();
  showTabs();
  showSource(state);
  showFindings(state);
  showMoves(state);
  showTimeline(state, timelineTools);
  showHelp();
  state.go(0);
  document.body.dataset.ready = "yes";
});
