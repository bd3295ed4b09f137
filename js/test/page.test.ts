// @vitest-environment node
/** The page of every state in a real browser: what needs layout, colours and a network. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildDemo } from "../build.mjs";
import { Chromium, findChromium } from "../tools/chromium.mjs";

const AXE = readFileSync(path.resolve(import.meta.dirname, "../node_modules/axe-core/axe.min.js"), "utf8");
const READY = "document.body?.dataset.ready === 'true'";

interface Violation {
  readonly id: string;
  readonly targets: readonly string[];
}

let browser: Chromium;
let page: string;

describe.skipIf(findChromium() === null)("the page", { timeout: 60_000 }, () => {
  beforeAll(async () => {
    page = pathToFileURL(await buildDemo()).href;
    browser = await Chromium.start();
  }, 60_000);
  afterAll(() => browser?.close());

  describe("with every scene", () => {
    beforeAll(async () => {
      await browser.open(page, { width: 1700, height: 5000, condition: READY });
      await browser.evaluate(`${AXE}; undefined`);
    }, 60_000);

    it.each(["light", "dark", "360", "none"])("is accessible and fits: %s", async (look) => {
      await browser.evaluate(`new Promise((done) => {
        addEventListener("hashchange", () => requestAnimationFrame(() => requestAnimationFrame(done)), { once: true });
        location.hash = "${look}";
      })`);
      const violations: Violation[] = await browser.evaluate(`
        axe.run(".nbh", { resultTypes: ["violations"] }).then(({ violations }) =>
          violations.map(({ id, nodes }) => ({ id, targets: nodes.map(({ html, any }) => html.slice(0, 200) + JSON.stringify(any[0]?.data)) })))`);
      expect(violations).toEqual([]);
      const wide: string[] = await browser.evaluate(`
        [...document.querySelectorAll(".nbh, .nbh-ask, .nbh-status, .nbh-diff")]
          .filter((each) => each.scrollWidth > each.clientWidth + 1)
          .map((each) => each.closest("article").id + " " + each.className)`);
      expect(wide).toEqual([]);
    });

    it("gives every class the prefix, and touches nothing outside", async () => {
      const odd: string[] = await browser.evaluate(`
        [...document.querySelectorAll(".nbh *")].flatMap((each) => [...each.classList]).filter((name) => !name.startsWith("nbh-"))`);
      expect(odd).toEqual([]);
      const outside: string[] = await browser.evaluate(`
        document.adoptedStyleSheets.flatMap((sheet) => [...sheet.cssRules])
          .flatMap((rule) => rule.cssRules ? [...rule.cssRules] : [rule])
          .map((rule) => rule.selectorText ?? "").filter((text) => text !== "" && !/(^|[ )(])\\.nbh\\b/.test(text) && !/%|^to$/.test(text))`);
      expect(outside).toEqual([]);
    });
  });

  it("is loaded by the loader, once for all views, and tried again after a failure", async () => {
    const { outputFiles } = await build({
      entryPoints: [path.resolve(import.meta.dirname, "../src/loader.ts")],
      bundle: true,
      format: "esm",
      write: false,
    });
    await browser.open(`${page}?scene=starting`, { condition: READY });
    const shown: string[] = await browser.evaluate(`(async () => {
      const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
      const { default: widget } = await import(blob(${JSON.stringify(outputFiles[0]?.text)}));
      const source = "globalThis.evaluated = (globalThis.evaluated ?? 0) + 1; export function mount({ el }) { el.textContent = 'view ' + evaluated; }";
      const packed = await new Response(new Blob([source]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
      const assets = { get: () => new DataView(packed) };
      const model = { get: (name) => (name === "gz" ? undefined : name), widget_manager: { get_model: () => Promise.resolve(assets) } };
      const show = async (context) => {
        const el = document.createElement("div");
        await widget.render({ el, model, ...context });
        return el.textContent;
      };
      const broken = await show({ host: { getModel: () => Promise.reject(new Error("no model")) } });
      const both = await Promise.all([show({ host: { getModel: () => Promise.resolve(assets) } }), show({})]);
      return [broken, ...both];
    })()`);
    expect(shown).toEqual([
      "nbharness: the view could not be loaded, run the cell again (Error: no model)",
      "view 1",
      "view 1",
    ]);
  });

  it("fetches nothing that an agent names, and runs nothing", async () => {
    await browser.open(`${page}?scene=prose`, { condition: READY });
    const fetched: string[] = await browser.evaluate(
      `performance.getEntriesByType("resource").map(({ name }) => name)`,
    );
    expect(fetched.filter((name) => !name.startsWith("file:"))).toEqual([]);
    expect(await browser.evaluate(`document.querySelectorAll(".nbh img, .nbh script").length`)).toBe(0);
  });

  it("keeps the focus when what had it is gone, also where the host would take it", async () => {
    await browser.open(`${page}?scene=edit`, { condition: READY });
    await browser.evaluate(`(() => {
      const article = document.querySelector("article");
      article.tabIndex = -1;
      article.addEventListener("focusout", ({ relatedTarget }) => relatedTarget ?? article.focus());
    })()`);
    const approve = `document.querySelector('[data-nbh="approve"]')`;
    await browser.until(`${approve}.getAttribute("aria-disabled") === "false"`);
    await browser.evaluate(`${approve}.focus(); ${approve}.click()`);
    const isKept = `document.activeElement.getAttribute("aria-label") === "Approval sent"`;
    await browser.until(isKept);
    await browser.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await browser.evaluate(isKept)).toBe(true);
  });

  const GROW = `(async () => {
    const { mountTurn, ReplayTransport, Recording } = nbharness;
    document.querySelector("main").replaceChildren();
    const host = document.createElement("div");
    document.querySelector("main").append(host);
    const turn = new Recording(1);
    for (let i = 0; i < 100; i += 1) turn.tool("bash", { command: "echo " + i });
    const transport = new ReplayTransport(turn.envelopes);
    mountTurn(host, transport);
    globalThis.more = () => {
      const before = turn.envelopes.length;
      for (let i = 0; i < 5; i += 1) turn.tool("bash", { command: "later " + i });
      transport.push(...turn.envelopes.slice(before));
      return new Promise((done) => setTimeout(done, 150));
    };
  })()`;
  // The rows above the newest are drawn in idle moments; until then the page may grow at the top.
  const WHOLE = `document.querySelectorAll(".nbh-log > *").length >= 100`;
  const BELOW = `Math.round(document.querySelector(".nbh").getBoundingClientRect().bottom - innerHeight)`;

  it("follows the end for a reader who is there", async () => {
    await browser.open(`${page}?scene=starting`, { width: 900, height: 600, condition: READY });
    await browser.evaluate(GROW);
    await browser.until(WHOLE);
    await browser.evaluate(
      `scrollTo(0, document.querySelector(".nbh").getBoundingClientRect().bottom + scrollY - innerHeight)`,
    );
    const before = await browser.evaluate("scrollY");
    await browser.evaluate("more()");
    expect(await browser.evaluate("scrollY")).toBeGreaterThan(before);
    expect(await browser.evaluate(BELOW)).toBeLessThanOrEqual(1);
    expect(await browser.evaluate(`document.querySelector(".nbh-new")`)).toBeNull();
  });

  it("leaves the others where they are, and offers the way", async () => {
    await browser.open(`${page}?scene=starting`, { width: 900, height: 600, condition: READY });
    await browser.evaluate(GROW);
    await browser.until(WHOLE);
    await browser.evaluate("scrollTo(0, 300)");
    await browser.evaluate("new Promise((done) => setTimeout(done, 100))");
    await browser.evaluate("more()");
    expect(await browser.evaluate("scrollY")).toBe(300);
    await browser.evaluate(`document.querySelector(".nbh-new").click()`);
    await browser.until(`!document.querySelector(".nbh-new")`);
    expect(await browser.evaluate(BELOW)).toBeLessThanOrEqual(1);
  });
});
