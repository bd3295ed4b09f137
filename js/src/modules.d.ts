/** A style sheet is imported as its text; see build.mjs. */
declare module "*.css" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: it is what a text import gives
  export default text;
}
