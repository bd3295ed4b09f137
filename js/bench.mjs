// `npm run bench` measures the view in a real browser: how soon a long turn appears, and how a fast stream feels. It records,
// and judges nothing: times on a shared machine are no test.

import { pathToFileURL } from "node:url";
import { buildDemo } from "./build.mjs";
import { Chromium } from "./tools/chromium.mjs";

const GOALS = {
  "10,000 events to first frame, ms": 150,
  "500 deltas/s: p50 frame, ms": 17,
  "500 deltas/s: p99 frame, ms": 34,
  "500 deltas/s: longest task, ms": 50,
};

const MOUNT = `(async () => {
  const { mountTurn, ReplayTransport, Recording } = nbharness;
  document.querySelector("main").replaceChildren();
  const turn = new Recording(600);
  for (let i = 0; turn.envelopes.length < 10_000; i += 1) {
    turn.say("I look at **file " + i + "** and then at \`module_" + i + "\`.").say(" It is fine.").say("\\n\\n- one\\n- two");
    turn.tool("bash", { command: "pytest -q tests/test_" + i + ".py" }, { output: "ok\\n".repeat(5) });
    if (i % 20 === 0) turn.think("hm", 1);
  }
  const host = document.querySelector("main").appendChild(document.createElement("div"));
  const start = performance.now();
  const transport = new ReplayTransport(turn.envelopes);
  mountTurn(host, transport);
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  Object.assign(globalThis, { turn, transport });
  return performance.now() - start;
})()`;

const STREAM = `(async () => {
  const frames = [];
  const tasks = [0];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  let running = true;
  let last = performance.now();
  requestAnimationFrame(function frame(now) {
    frames.push(now - last);
    last = now;
    if (running) requestAnimationFrame(frame);
  });
  for (let step = 0; step < 150; step += 1) {
    const before = turn.envelopes.length;
    for (let i = 0; i < 17; i += 1) turn.say("word ");
    if (step % 30 === 29) turn.say("\\n\\n");
    transport.push(...turn.envelopes.slice(before));
    await new Promise((done) => setTimeout(done, 33));
  }
  running = false;
  frames.sort((a, b) => a - b);
  const at = (share) => frames[Math.floor(frames.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), task: Math.max(...tasks) };
})()`;

const page = pathToFileURL(await buildDemo()).href;
const browser = await Chromium.start();
await browser.open(`${page}?scene=starting`, { condition: "document.body?.dataset.ready === 'true'" });
const mount = await browser.evaluate(MOUNT);
await browser.evaluate("new Promise((done) => setTimeout(done, 2000))");
const { p50, p99, task } = await browser.evaluate(STREAM);
await browser.close();

const measured = [mount, p50, p99, task];
for (const [i, [what, goal]] of Object.entries(GOALS).entries()) {
  process.stdout.write(
    `${what.padEnd(36)} goal ${String(goal).padStart(4)}   measured ${(measured[i] ?? 0).toFixed(0).padStart(5)}\n`,
  );
}
