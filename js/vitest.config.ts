import { readFile } from "node:fs/promises";
import { defineConfig } from "vitest/config";

/** As in build.mjs, a style sheet is imported as its text. The tests need none of its rules. */
const cssAsText = {
  name: "css-as-text",
  enforce: "pre" as const,
  async load(id: string) {
    return id.endsWith(".css") ? `export default ${JSON.stringify(await readFile(id, "utf8"))}` : null;
  },
};

// biome-ignore lint/style/noDefaultExport: vitest reads the default export
export default defineConfig({
  plugins: [cssAsText],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  test: {
    environment: "happy-dom",
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    // A page of its own for each file costs more than the tests in it; each test leaves the page as it found it.
    isolate: false,
    // Most of the time passes in waits: for a button that takes no hasty click, for the browser.
    maxWorkers: 2,
  },
});
