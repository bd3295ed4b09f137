// Builds the front end into nbharness/notebook/static/: widget.js (the bundle) and loader.js (the `_esm` of every widget).
// `node build.mjs --demo` builds demo/ instead, a page that replays recorded turns without Jupyter, and prints its path.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { markedLexer } from "./tools/marked-lexer.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, "../nbharness/notebook/static");
const demoOut = path.join(here, "node_modules/.cache/nbharness-demo");

const LIMITS = { "widget.js": { bytes: 200_000, gzip: 65_000 }, "loader.js": { bytes: 1024, gzip: 1024 } };

/** `import css from "./x.css"` gives the minified text, imports and nesting resolved, so that one script carries everything. */
/** @type {import("esbuild").Plugin} */
const cssAsText = {
  name: "css-as-text",
  setup(builder) {
    builder.onLoad({ filter: /\.css$/ }, async ({ path: file }) => {
      const built = await build({ entryPoints: [file], bundle: true, minify: true, write: false, target });
      return { contents: built.outputFiles[0]?.text ?? "", loader: "text" };
    });
  },
};

const target = ["es2022", "chrome111", "firefox113", "safari16.4"];
/** @type {import("esbuild").BuildOptions} */
export const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
  target,
  plugins: [cssAsText, markedLexer],
};

async function buildWidget() {
  await mkdir(out, { recursive: true });
  await build({
    ...common,
    format: "esm",
    entryPoints: ["src/index.ts"],
    outfile: path.join(out, "widget.js"),
  });
  await shrink("widget.js");
  await build({
    ...common,
    format: "esm",
    entryPoints: ["src/loader.ts"],
    outfile: path.join(out, "loader.js"),
    // anywidget takes a text without a line break for a file name; the comment makes sure that there is one.
    banner: { js: "// nbharness" },
  });
  await report("widget.js");
  await report("loader.js");
}

/** What esbuild leaves on the table, about 3 % of the gzipped size. @param {keyof typeof LIMITS} name */
async function shrink(name) {
  const file = path.join(out, name);
  const compress = { passes: 2, unsafe_arrows: true, unsafe_methods: true };
  const { code } = await minify(await readFile(file, "utf8"), { module: true, ecma: 2020, compress });
  if (!code) throw new Error(`terser made nothing of ${name}`);
  await writeFile(file, code);
}

/** Prints the size of a built file; throws when it is over its budget. @param {keyof typeof LIMITS} name */
async function report(name) {
  const limit = LIMITS[name];
  const bytes = await readFile(path.join(out, name));
  const gzip = gzipSync(bytes, { level: 9 }).length;
  process.stdout.write(`${name}  ${bytes.length} bytes, ${gzip} gzipped\n`);
  if (bytes.length > limit.bytes || gzip > limit.gzip) {
    throw new Error(`${name} is over its budget of ${limit.bytes} bytes, ${limit.gzip} gzipped`);
  }
}

/** Builds the demo page as one classic script, since a page opened from disk cannot import modules. */
export async function buildDemo() {
  await mkdir(demoOut, { recursive: true });
  await build({
    ...common,
    minify: false,
    format: "iife",
    entryPoints: ["demo/demo.ts"],
    outfile: path.join(demoOut, "demo.js"),
  });
  await copyFile(path.join(here, "demo/index.html"), path.join(demoOut, "index.html"));
  return path.join(demoOut, "index.html");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--demo")) process.stdout.write(`file://${await buildDemo()}\n`);
  else await buildWidget();
}
