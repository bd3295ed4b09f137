// Drives a Chromium over a pair of pipes with its own protocol, so that screenshots, the page tests and the benchmark need no
// package of their own. The browser is the system's: on PATH, or named by NBH_CHROMIUM.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--hide-scrollbars",
  "--remote-debugging-pipe",
];

/** Returns the path of a Chromium, or `null` when this machine has none. */
export function findChromium() {
  const folders = (process.env.PATH ?? "").split(path.delimiter);
  const places = [
    process.env.NBH_CHROMIUM ?? "",
    ...folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))),
  ];
  return places.find((place) => place !== "" && isProgram(place)) ?? null;
}

/** @param {string} place */
function isProgram(place) {
  try {
    accessSync(place, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A running browser with one page. */
export class Chromium {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #lastId = 0;
  #profile = mkdtempSync(path.join(tmpdir(), "nbh-chromium-"));
  #process;
  #session = "";

  /** @param {string} program */
  constructor(program) {
    this.#process = spawn(program, [...FLAGS, `--user-data-dir=${this.#profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    let text = "";
    this.#process.stdio[4]?.on("data", (chunk) => {
      const parts = (text + chunk).split("\0");
      text = parts.pop() ?? "";
      for (const part of parts) this.#receive(JSON.parse(part));
    });
    this.#process.on("exit", () => {
      for (const { reject } of this.#waiting.values()) reject(new Error("the browser has ended"));
    });
  }

  /** Starts a browser. @param {string | null} program */
  static async start(program = findChromium()) {
    if (!program) throw new Error("no Chromium on PATH; install one, or name it in NBH_CHROMIUM");
    const browser = new Chromium(program);
    const { targetId } = await browser.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    browser.#session = sessionId;
    await browser.send("Page.enable");
    await browser.send("Runtime.enable");
    return browser;
  }

  /**
   * Sends a command of the DevTools protocol and returns its result.
   * @param {string} method
   * @param {object} params
   * @returns {Promise<any>}
   */
  send(method, params = {}) {
    this.#lastId += 1;
    const message = { id: this.#lastId, method, params, ...(this.#session && { sessionId: this.#session }) };
    return new Promise((resolve, reject) => {
      this.#waiting.set(message.id, { resolve, reject });
      /** @type {import("node:stream").Writable} */ (this.#process.stdio[3]).write(
        `${JSON.stringify(message)}\0`,
      );
    });
  }

  /**
   * Opens an address and returns once `condition`, an expression in the page, holds.
   * @param {string} url
   * @param {{ width?: number, height?: number, condition?: string }} options
   */
  async open(url, { width = 1280, height = 900, condition = "document.readyState === 'complete'" } = {}) {
    await this.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url });
    await this.until(condition);
  }

  /** Waits in the page, frame by frame, until an expression is true there. @param {string} condition */
  async until(condition) {
    const wait = `new Promise((done) => { (function look() { (${condition}) ? done(true) : setTimeout(look, 20); })(); })`;
    await this.evaluate(wait);
  }

  /** Returns the value of an expression in the page; a promise is awaited. @param {string} expression */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Returns a PNG of the whole page, laid out as tall as it is, since what is out of sight is not drawn. @param {number} width */
  async screenshot(width) {
    for (let i = 0; i < 2; i += 1) {
      const { cssContentSize } = await this.send("Page.getLayoutMetrics");
      const height = Math.ceil(cssContentSize.height);
      await this.send("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      });
      await this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    }
    const { data } = await this.send("Page.captureScreenshot");
    return Buffer.from(data, "base64");
  }

  /** Ends the browser and removes its profile. */
  async close() {
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.send("Browser.close").catch(() => undefined);
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 3 });
  }

  /** @param {any} message */
  #receive(message) {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }
}
