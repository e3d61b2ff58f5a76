// The panels beside the moment, one at a time. A panel that is not seen is not kept up to date.
//
// For tests: #tab-NAME and #NAME for each of TABS; the tab that is open has aria-selected=true.

import { State, byId, make } from "./state.js";

/** The panels: their ids. A digit opens the one of its number. */
export const TABS = ["registers", "memory", "findings", "path"];

/** @type {Map<string, () => void>} */
const renders = new Map();

/**
 * Shows a panel and hides the others.
 * @param {string} chosen
 */
export function openTab(chosen) {
  for (const name of TABS) {
    const tab = byId(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === chosen));
    tab.tabIndex = name === chosen ? 0 : -1;
    byId(name).hidden = name !== chosen;
  }
  renders.get(chosen)?.();
}

/**
 * Has a panel drawn whenever it is seen and the state has changed.
 * @param {State} state
 * @param {string} name
 * @param {() => void} render
 */
export function keepShown(state, name, render) {
  /** @type {import("./state.js").Shown | null} */
  let drawn = null;
  const draw = () => {
    if (byId(name).hidden || drawn === state.shown) return;
    drawn = state.shown;
    render();
  };
  renders.set(name, draw);
  state.addEventListener("change", draw);
  draw();
}

/** The tabs, by mouse and keys. */
export function showTabs() {
  TABS.forEach((name, number) => {
    const title = name[0].toUpperCase() + name.slice(1);
    const tab = make("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": name,
      title: `${title} (${number + 1})` }, title);
    byId(name).setAttribute("aria-labelledby", tab.id);
    tab.addEventListener("click", () => openTab(name));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.stopPropagation();
      const next = TABS[(number + by + TABS.length) % TABS.length];
      openTab(next);
      byId(`tab-${next}`).focus();
    });
    byId("tabs").append(tab);
  });
  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, select, textarea, dialog")) return;
    const chosen = TABS[Number(event.key) - 1];
    if (chosen) openTab(chosen);
  });
  openTab(TABS[0]);
}
