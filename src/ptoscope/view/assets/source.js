// The source: each line with how often it was executed, its cycles, what held it up, and findings.

import { counted } from "./format.js";
import { State, byId, make } from "./state.js";

/** Causes of stalls, each with a colour of its own (see the style): the first come first. */
const CAUSES = ["dependency", "waits for a result", "flag wait", "buffer wait", "barrier",
  "execution port", "load/store port", "DMA bandwidth", "finds no room", "core wait", "unit flag wait"];

/**
 * The class of a cause's colour.
 * @param {string} cause
 */
export function causeClass(cause) {
  const place = CAUSES.indexOf(cause);
  return `cause-${place < 0 ? "other" : place}`;
}

/**
 * Shows the source of the run that is looked at.
 * @param {State} state
 */
export function showSource(state) {
  const pane = byId("source");
  /** @type {HTMLElement[]} */
  let rows = [];

  const build = () => {
    const { data } = state.run;
    const most = Math.max(1, ...Object.values(data.timing ? data.timing.lines : {}).map((l) => l[0]));
    rows = data.source.map((text, index) => row(index + 1, text, most));
    pane.replaceChildren(...rows);
    for (const name of ["times", "cycles"]) {
      const widest = Math.max(name.length, ...rows.map((one) => one.querySelector(`.${name}`)?.textContent?.length || 0));
      byId("source-pane").style.setProperty(`--${name}`, `${widest}ch`);
    }
    mark();
  };

  /**
   * @param {number} line
   * @param {string} text
   * @param {number} most
   */
  const row = (line, text, most) => {
    const { data } = state.run;
    const found = data.findings.filter((f) => f.line === line);
    const times = data.times[line] || 0;
    const timed = data.timing ? data.timing.lines[line] : undefined;
    const element = make("div", { class: "line", role: "option", id: `line-${line}`, "data-line": String(line) });
    if (found.length) element.classList.add(`has-${found[0].severity}`);
    element.append(
      make("span", { class: "number" }, String(line)),
      make("span", { class: "mark", "aria-hidden": "true" }, found.length ? "!" : ""),
      make("span", { class: "times", title: "how often it was executed" }, times ? times.toLocaleString("en") : ""),
      make("span", { class: "cycles", title: "cycles" }, timed ? timed[0].toLocaleString("en") + (timed[2] ? "*" : "") : ""),
      bar(line, timed ? timed[0] : 0, most),
      make("code", {}, text || " "),
    );
    return element;
  };

  /**
   * Cycles as a bar: those in which it was held up in the colours of their causes.
   * @param {number} line
   * @param {number} cycles
   * @param {number} most
   */
  const bar = (line, cycles, most) => {
    const element = make("span", { class: "bar", "aria-hidden": "true" });
    const { timing } = state.run.data;
    if (!timing || !cycles) return element;
    const stalls = timing.line_stalls[line] || [];
    const held = stalls.reduce((sum, stall) => sum + stall[1], 0);
    /** @type {[string, number, string][]} */
    const parts = stalls.map(([cause, count, on]) => [causeClass(cause), count,
      `${cause}${on ? `, for line ${on}` : ""}: ${counted(count, "cycle")}`]);
    parts.unshift(["busy", Math.max(0, cycles - held), `busy: ${counted(Math.max(0, cycles - held), "cycle")}`]);
    for (const [name, count, title] of parts) {
      const part = make("i", { class: name, title });
      part.style.width = `${(60 * count) / Math.max(most, cycles, held)}px`;
      element.append(part);
    }
    return element;
  };

  const mark = () => {
    const { line } = state.shown;
    pane.querySelector(".current")?.classList.remove("current");
    pane.querySelector("[aria-selected=true]")?.removeAttribute("aria-selected");
    const current = rows[line - 1];
    if (!current) return;
    current.classList.add("current");
    current.setAttribute("aria-selected", "true");
    pane.setAttribute("aria-activedescendant", current.id);
    const [top, bottom] = [current.offsetTop - pane.offsetTop, current.offsetHeight];
    if (top < pane.scrollTop || top + bottom > pane.scrollTop + pane.clientHeight)
      pane.scrollTop = top - pane.clientHeight / 2;
  };

  /** @param {number} line */
  const choose = (line) => {
    const { run, step } = state;
    const next = run.onLine(line, Math.max(step, 0) - 1, false);
    const chosen = next >= 0 ? next : run.onLine(line, step, true);
    if (chosen >= 0) state.go(chosen);
    else state.show({ line });
  };

  pane.addEventListener("click", (event) => {
    const target = /** @type {HTMLElement} */ (event.target).closest(".line");
    // Text that is being selected is not a click.
    if (target instanceof HTMLElement && !String(getSelection())) choose(Number(target.dataset.line));
  });
  pane.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const last = state.run.data.source.length;
    choose(Math.min(last, Math.max(1, state.shown.line + by)));
  });
  let shown = -1;
  state.addEventListener("change", () => {
    if (state.shown.run !== shown) build();
    else mark();
    shown = state.shown.run;
  });
  build();
  shown = state.shown.run;
}

/**
 * The findings, with their text and what to do.
 * @param {State} state
 */
export function showFindings(state) {
  const pane = byId("findings");
  const build = () => {
    const { findings, difference } = state.run.data;
    if (!findings.length && !difference) {
      pane.replaceChildren(make("p", {}, "No findings: rules, races and undefined data."));
      return;
    }
    const items = findings.map((finding) => {
      const button = make("button", { type: "button", class: "link" }, `line ${finding.line}`);
      button.addEventListener("click", () => state.show({ line: finding.line }));
      const said = make("div", { class: `finding ${finding.severity}` },
        make("p", {}, make("strong", {}, `${finding.severity} ${finding.code}`), " at ", button, `: ${finding.message}`));
      const more = [["found", finding.found], ["expected", finding.expected], ["hint", finding.hint]];
      for (const [name, text] of more) if (text) said.append(make("p", { class: "more" }, `${name}: ${text}`));
      for (const fix of finding.fix || [])
        said.append(make("p", { class: "more" }, "fix: ", make("code", {}, JSON.stringify(fix))));
      return said;
    });
    pane.replaceChildren(...(difference ? [departed(difference)] : []), ...items);
  };

  /** What differs from what was expected, and what made it. @param {NonNullable<import("./data.js").PageData["difference"]>} difference */
  const departed = (difference) => {
    const made = difference.links.map(([step, text]) => {
      const button = make("button", { type: "button", class: "link", "data-step": String(step) }, `moment ${step}`);
      button.addEventListener("click", () => state.go(step));
      return make("li", {}, ...(step < 0 ? [] : [button, " "]), make("code", {}, text));
    });
    return make("div", { class: "finding error", id: "difference" },
      make("p", {}, make("strong", {}, "First difference"), `: ${difference.text}. What made it, the nearest first:`), make("ol", {}, ...made));
  };
  build();
  let shown = 0;
  state.addEventListener("change", () => {
    if (state.shown.run !== shown) build();
    shown = state.shown.run;
  });
}
