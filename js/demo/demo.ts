/** A page without a notebook that shows every state; `#dark`, `#360` and `#none` change theme, width and host variables. */

import { mountTurn, ReplayTransport } from "../src/index";
import type { PageMessage } from "../src/transport/messages";
import { UndoControl } from "../src/undo";
import { Recording } from "./recording";
import { type Scene, scenes } from "./scenes";

const ACT_MS = 1000;

function cell(scene: Scene): HTMLElement {
  const article = document.createElement("article");
  const title = document.createElement("h2");
  const input = document.createElement("pre");
  const output = document.createElement("div");
  article.id = scene.id;
  title.textContent = scene.title;
  input.textContent = `%coder ${scene.input}`;
  article.append(title, input, output);
  const transport = new ReplayTransport(scene.envelopes);
  mountTurn(output, transport, new UndoControl(scene.id, takesBack));
  if (scene.link)
    transport.connected?.link({ state: "live", detached: false, heardAt: Date.now(), ...scene.link });
  return article;
}

/** A kernel that takes every turn back. */
async function takesBack(message: PageMessage): Promise<unknown> {
  if (message.kind === "look") return { kind: "looked", secret: "demo", undo: "undo" };
  return { status: "ok", undo: { restored: ["a", "b"], removed: ["c"] } };
}

/** Does what the scene says a person does, one act after the other. */
async function perform({ id, acts = [] }: Scene): Promise<void> {
  for (const act of acts) {
    await new Promise((resolve) => setTimeout(resolve, ACT_MS));
    const [, selector = act, text] = /^(textarea|input[^=]*)=(.*)$/.exec(act) ?? [];
    const target = document.querySelector<HTMLInputElement>(`#${id} ${selector}`);
    if (text === undefined) target?.click();
    else if (target) {
      target.value = text;
      target.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
}

// For programs that drive the page: tests, the benchmark, and the curious.
Object.assign(globalThis, { nbharness: { mountTurn, ReplayTransport, Recording } });

/** Takes theme, width and host variables from the hash. */
function look(): void {
  const { dataset } = document.body;
  dataset.jpThemeLight = String(!location.hash.includes("dark"));
  dataset.width = location.hash.includes("360") ? "360" : "720";
  dataset.host = location.hash.includes("none") ? "none" : "jupyter";
}

look();
addEventListener("hashchange", look);
const only = new URLSearchParams(location.search).get("scene");
const shown = scenes().filter(({ id }) => only?.split(",").includes(id) ?? true);
document.querySelector("main")?.append(...shown.map(cell));
Promise.all(shown.map(perform)).then(() => {
  // Who looks at the page by a program waits for this.
  document.body.dataset.ready = "true";
});
