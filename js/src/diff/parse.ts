/**
 * Reads unified diffs, also those that git writes and those that an agent gets wrong.
 *
 * A hunk owns exactly as many lines as its header says: that is what tells a removed `-- comment` from a file header. A line
 * that belongs to nothing is kept as a stray row, so that a patch with a lying header cannot hide what it adds.
 */

export type RowKind = "same" | "added" | "removed" | "stray";

export interface DiffRow {
  readonly kind: RowKind;
  /** The line without its sign and line break. */
  readonly text: string;
  /** Number in the old file; `null` for an added line. */
  readonly oldLine: number | null;
  /** Number in the new file; `null` for a removed line. */
  readonly newLine: number | null;
  /** True when the file ends here without a line break. */
  noNewline?: true;
}

export interface Hunk {
  /** What git writes after the second `@@`, normally the function around the change. */
  readonly section: string;
  readonly rows: DiffRow[];
}

export interface FilePatch {
  /** Path after the change, before it when the file is deleted; `""` when the patch names none. */
  path: string;
  /** Facts that are no lines: renamed, mode changed, binary. */
  readonly notes: string[];
  readonly hunks: Hunk[];
}

const HUNK = /^@@+ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@+ ?(.*)$/;
const MAX_LINES = 200_000;

/** Returns the files of a patch in order; none when the text holds no hunk and no git header. */
export function parsePatch(text: string): FilePatch[] {
  return new Parser(text).files;
}

class Parser {
  readonly files: FilePatch[] = [];
  private readonly lines: readonly string[];
  private at = 0;

  constructor(text: string) {
    this.lines = text.split(/\r?\n/, MAX_LINES);
    if (this.lines.at(-1) === "") this.lines = this.lines.slice(0, -1);
    while (this.at < this.lines.length) this.read(this.lines[this.at++] ?? "");
    if (!this.files.some(({ hunks, notes }) => notes.length > 0 || hunks.some(isReal))) this.files.length = 0;
  }

  private read(line: string): void {
    const hunk = HUNK.exec(line);
    if (hunk) this.readHunk(hunk);
    else if (line.startsWith("diff --git ")) this.open(pathOf(line.slice(line.lastIndexOf(" b/") + 1)));
    else if (line.startsWith("--- ") && this.next.startsWith("+++ ")) this.readNames(line);
    else this.readNote(line);
  }

  /** `--- a/x` and `+++ b/x`, which open a file unless a git header just did. */
  private readNames(line: string): void {
    const before = pathOf(line.slice(4));
    const after = pathOf(this.next.slice(4));
    this.at += 1;
    const current = this.files.at(-1);
    const file = current && current.hunks.length === 0 ? current : this.open("");
    file.path = after === "/dev/null" ? before : after;
    if (before === "/dev/null" && !file.notes.includes("new file")) file.notes.push("new file");
    if (after === "/dev/null" && !file.notes.includes("deleted")) file.notes.push("deleted");
  }

  private readNote(line: string): void {
    const note = noteOf(line);
    if (note === "") return;
    const file = this.files.at(-1) ?? this.open("");
    if (note !== null) {
      if (!file.notes.includes(note)) file.notes.push(note);
      return;
    }
    const rows = file.hunks.at(-1)?.rows ?? [];
    if (rows.length === 0) file.hunks.push({ section: "", rows });
    rows.push({ kind: "stray", text: line, oldLine: null, newLine: null });
  }

  private readHunk(header: RegExpExecArray): void {
    const [, oldStart, oldCount = "1", newStart, newCount = "1", section = ""] = header;
    const rows: DiffRow[] = [];
    const file = this.files.at(-1) ?? this.open("");
    file.hunks.push({ section: section.trim(), rows });
    let [oldLine, newLine] = [Number(oldStart), Number(newStart)];
    let [oldLeft, newLeft] = [Number(oldCount), Number(newCount)];
    while ((oldLeft > 0 || newLeft > 0) && this.at < this.lines.length) {
      const line = this.lines[this.at] ?? "";
      const kind = kindOf(line);
      if (kind === null || (kind !== "added" && oldLeft === 0) || (kind !== "removed" && newLeft === 0))
        break;
      this.at += 1;
      const inOld = kind !== "added";
      const inNew = kind !== "removed";
      rows.push({
        kind,
        text: line.slice(1),
        oldLine: inOld ? oldLine : null,
        newLine: inNew ? newLine : null,
      });
      oldLine += Number(inOld);
      newLine += Number(inNew);
      oldLeft -= Number(inOld);
      newLeft -= Number(inNew);
      this.readNoNewline(rows);
    }
  }

  private readNoNewline(rows: DiffRow[]): void {
    const last = rows.at(-1);
    if (!last || !this.next.startsWith("\\")) return;
    last.noNewline = true;
    this.at += 1;
  }

  private get next(): string {
    return this.lines[this.at] ?? "";
  }

  private open(path: string): FilePatch {
    const file: FilePatch = { path, notes: [], hunks: [] };
    this.files.push(file);
    return file;
  }
}

function kindOf(line: string): "same" | "added" | "removed" | null {
  switch (line[0]) {
    case "+":
      return "added";
    case "-":
      return "removed";
    // Some tools drop the blank that stands for an unchanged empty line.
    case " ":
    case undefined:
      return "same";
    default:
      return null;
  }
}

/** Returns what a header line says, `""` for one that says nothing to a reader, `null` for a line that is no header. */
function noteOf(line: string): string | null {
  if (/^(index |similarity index |dissimilarity index |copy from |rename from |GIT binary patch)/.test(line))
    return "";
  const renamed = /^(?:rename|copy) to (.*)$/.exec(line);
  if (renamed) return `renamed to ${renamed[1]}`;
  if (line.startsWith("new file mode ")) return "new file";
  if (line.startsWith("deleted file mode ")) return "deleted";
  const mode = /^new mode (\d+)$/.exec(line);
  if (mode) return `mode ${mode[1]}`;
  if (line.startsWith("old mode ") || line === "") return "";
  return /^Binary files .* differ$/.test(line) ? "binary" : null;
}

/** The path of a `---`, `+++` or `diff --git` line, without the prefix, a quoted form and a time stamp. */
function pathOf(name: string): string {
  const bare = name.replace(/\t.*$/, "").replace(/^"(.*)"$/, "$1");
  return bare === "/dev/null" ? bare : bare.replace(/^[ab]\//, "");
}

function isReal(hunk: Hunk): boolean {
  return hunk.rows.some(({ kind }) => kind !== "stray");
}
