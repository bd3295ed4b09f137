// @vitest-environment node
/** Whose code the bundle contains, and that their licences go with it. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { common } from "../build.mjs";

const ROOT = path.resolve(import.meta.dirname, "..");

/** Names the packages that a bundle is made of. */
async function bundled(entry: string): Promise<string[]> {
  const { metafile } = await build({ ...common, entryPoints: [entry], write: false, metafile: true });
  const names = Object.entries(metafile.outputs).flatMap(([, { inputs }]) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      // The plugin that takes marked apart names its files by itself.
      .map(([file]) =>
        file.startsWith("marked:") ? "marked" : /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1],
      ),
  );
  return [...new Set(names)].filter((name) => name !== undefined).sort();
}

it("carries the licence of every package that is in it", async () => {
  const packages = await bundled("src/index.ts");
  expect(packages).toEqual(["@preact/signals", "@preact/signals-core", "marked", "preact"]);
  const carried = readFileSync(path.join(ROOT, "THIRD-PARTY-LICENSES"), "utf8");
  for (const name of packages) {
    const text = readFileSync(path.join(ROOT, "node_modules", name, "LICENSE"), "utf8").trim();
    expect(carried, name).toContain(`\n${name}\n`);
    expect(carried, name).toContain(text);
  }
  expect(await bundled("src/loader.ts")).toEqual([]);
});
