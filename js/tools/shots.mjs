// `npm run shots [FOLDER]` builds the demo page and takes its picture in every look.
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { buildDemo } from "../build.mjs";
import { Chromium } from "./chromium.mjs";

const LOOKS = { light: 1600, dark: 1600, 360: 1600, "dark-360": 1600, none: 1600 };

const folder = process.argv[2] ?? path.join(tmpdir(), "nbharness-shots");
await mkdir(folder, { recursive: true });
const page = pathToFileURL(await buildDemo());
const browser = await Chromium.start();
for (const [look, width] of Object.entries(LOOKS)) {
  page.hash = look;
  await browser.open(page.href, { width, condition: "document.body?.dataset.ready === 'true'" });
  const file = path.join(folder, `${look}.png`);
  await writeFile(file, await browser.screenshot(width));
  process.stdout.write(`${file}\n`);
}
await browser.close();
