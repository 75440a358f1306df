import { ANALYSIS_PHASES } from "../items/analysis-status.ts";

/** Texts of a folder by their path in it, with forward slashes. */
export type FolderTexts = ReadonlyMap<string, string>;

export type Format = "spec-kit" | "openspec" | "kiro";

/** One document of the item, and what of the source it was made from. */
export type MappedDocument = { readonly from: readonly string[]; readonly to: string; readonly text: string };

export type ImportedItem = {
  readonly format: Format;
  readonly title: string;
  readonly documents: readonly MappedDocument[];
  /** Phases of the analysis that these documents cover, in order. */
  readonly phases: readonly string[];
  /** Documents of the source that have no place in an item. */
  readonly left: readonly string[];
};

type Shape = {
  /** Without it the folder is not of this format. */
  readonly main: string;
  /** At least one of these beside it, or the main document alone where that is enough. */
  readonly beside: readonly string[];
  readonly needsBeside: boolean;
  /** What is wanted, added to the main document. */
  readonly more: RegExp;
  /** How it is to be built. */
  readonly design: string;
  /** Added to the design. */
  readonly research: RegExp;
  /** Headings that say nothing about this very work. */
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

/** The formats a folder may be in; one is the right number. */
export function detectFormats(texts: FolderTexts): Format[] {
  const names = [...texts.keys()];
  const has = (name: string): boolean => names.some((one) => one === name || one.startsWith(`${name}/`));
  return (Object.keys(SHAPES) as Format[]).filter((format) => {
    const { main, beside, needsBeside } = SHAPES[format];
    return texts.has(main) && (!needsBeside || beside.some(has));
  });
}

/** What a folder of another tool becomes as an item. Text is taken as it is; where it came from is said above it. */
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

/** Later phases ask for every document; one that the source does not tell apart points to where it is. */
const pointing = (to: string, from: readonly string[], place: string): MappedDocument => ({
  from,
  to,
  text: `# Imported\n\nThe source has this in one document with others: see [${place}](${place}), imported from ${from.join(", ")}.\n`,
});

/** Whoever implements reads the design: the tasks stand there, too. */
function withTasks(document: MappedDocument, tasks: string | undefined): MappedDocument {
  if (tasks === undefined) return document;
  const text = `${document.text}\n<!-- imported from tasks.md -->\n\n${tasks.trimEnd()}\n`;
  return { ...document, from: [...document.from, "tasks.md"], text };
}

/** The first heading that names the work; null where it is a heading of the form itself. */
function findTitle(text: string, form: RegExp): string | null {
  const heading = /^#[ \t]+(\S.*)$/m.exec(text)?.[1] ?? "";
  const title = heading.replace(form, "").replaceAll(/[`*_]/g, "").trim();
  return title === "" || /^\[.*\]$/.test(title) ? null : title;
}
