import { ANALYSIS_PHASES } from "../items/analysis-status.ts";

/** Texts of a folder by relative path, with forward slashes. */
export type FolderTexts = ReadonlyMap<string, string>;

export type Format = "spec-kit" | "openspec" | "kiro";

/** A document of the item, and the source files it was made from. */
export type MappedDocument = { readonly from: readonly string[]; readonly to: string; readonly text: string };

export type ImportedItem = {
  readonly format: Format;
  readonly title: string;
  readonly documents: readonly MappedDocument[];
  /** Analysis phases covered by these documents, in order. */
  readonly phases: readonly string[];
  /** Source documents without a place in the item. */
  readonly left: readonly string[];
};

type Shape = {
  /** Required file of the format. */
  readonly main: string;
  /** Companion files. With `needsBeside`, at least one must exist. */
  readonly beside: readonly string[];
  readonly needsBeside: boolean;
  /** Further requirements, added to the main document. */
  readonly more: RegExp;
  /** Design document. */
  readonly design: string;
  /** Research, added to the design. */
  readonly research: RegExp;
  /** Generic start of a heading, removed from the title. */
  readonly heading: RegExp;
};

const SHAPES: Readonly<Record<Format, Shape>> = {
  "spec-kit": {
    main: "spec.md",
    beside: ["plan.md", "tasks.md"],
    needsBeside: false,
    more: /^(?:clarifications|quickstart)\.md$/,
    design: "plan.md",
    research: /^(?:research|data-model)\.md$|^contracts\/[^/]+\.md$/,
    heading: /^feature specification\s*:?\s*/i,
  },
  openspec: {
    main: "proposal.md",
    beside: ["tasks.md", "design.md", "specs"],
    needsBeside: true,
    more: /^specs\/(?:[^/]+\/)*spec\.md$/,
    design: "design.md",
    research: /^$/,
    heading: /^(?:change|proposal|change proposal)\s*:?\s*/i,
  },
  kiro: {
    main: "requirements.md",
    beside: ["design.md", "tasks.md"],
    needsBeside: false,
    more: /^$/,
    design: "design.md",
    research: /^$/,
    heading: /^requirements(?: document)?\s*:?\s*/i,
  },
};

/** Returns the formats that match a folder, normally one. */
export function detectFormats(texts: FolderTexts): Format[] {
  const names = [...texts.keys()];
  const has = (name: string): boolean => names.some((one) => one === name || one.startsWith(`${name}/`));
  return (Object.keys(SHAPES) as Format[]).filter((format) => {
    const { main, beside, needsBeside } = SHAPES[format];
    return texts.has(main) && (!needsBeside || beside.some(has));
  });
}

/** Maps a folder of another tool to an item. Text is copied as it is, under a comment with its source. */
export function mapFolder(format: Format, texts: FolderTexts, folder: string): ImportedItem {
  const { main, more, design, research, heading } = SHAPES[format];
  const wanted = [main, ...matching(texts, more)];
  const built = texts.has(design) ? [design, ...matching(texts, research)] : [];
  const tasks = texts.has("tasks.md") ? ["tasks.md"] : [];
  const used = new Set([...wanted, ...built, ...tasks]);
  const documents = [
    pointing("quick-scan.md", wanted, "requirements-spec.md"),
    whole("requirements-spec.md", wanted, texts),
    ...(built.length === 0
      ? []
      : [
          pointing("impact-analysis.md", built, "architecture-overview.md"),
          whole("architecture-overview.md", built, texts),
          withTasks(pointing("module-design.md", built, "architecture-overview.md"), texts.get("tasks.md")),
        ]),
    ...tasks.map((name) => ({ from: [name], to: "tasks.md", text: texts.get(name) ?? "" })),
  ];
  return {
    format,
    title: findTitle(texts.get(main) ?? "", heading) ?? folder.replaceAll(/[-_]+/g, " ").trim(),
    documents,
    phases: ANALYSIS_PHASES.slice(0, built.length === 0 ? 2 : ANALYSIS_PHASES.length),
    left: [...texts.keys()].filter((name) => !used.has(name)),
  };
}

const matching = (texts: FolderTexts, pattern: RegExp): string[] =>
  [...texts.keys()].filter((name) => pattern.test(name)).toSorted();

function whole(to: string, from: readonly string[], texts: FolderTexts): MappedDocument {
  const parts = from.map((name) => `<!-- imported from ${name} -->\n\n${(texts.get(name) ?? "").trimEnd()}\n`);
  return { from, to, text: parts.join("\n") };
}

/** Later phases expect every document. If the source combines several in one, the others point to it. */
const pointing = (to: string, from: readonly string[], place: string): MappedDocument => ({
  from,
  to,
  text: `# Imported\n\nThe source has this in one document with others: see [${place}](${place}), imported from ${from.join(", ")}.\n`,
});

/** Adds the tasks to the design, because the implementing agent reads the design. */
function withTasks(document: MappedDocument, tasks: string | undefined): MappedDocument {
  if (tasks === undefined) return document;
  const text = `${document.text}\n<!-- imported from tasks.md -->\n\n${tasks.trimEnd()}\n`;
  return { ...document, from: [...document.from, "tasks.md"], text };
}

/** Returns the first heading if it names the work; null if it is only the template's own heading. */
function findTitle(text: string, form: RegExp): string | null {
  const heading = /^#[ \t]+(\S.*)$/m.exec(text)?.[1] ?? "";
  const title = heading.replace(form, "").replaceAll(/[`*_]/g, "").trim();
  return title === "" || /^\[.*\]$/.test(title) ? null : title;
}
