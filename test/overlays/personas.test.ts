import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadPersona } from "../../src/adapters/project-files/definitions.ts";
import { createTrustStore } from "../../src/adapters/files/trust-store.ts";
import { openProject, type LocalProject } from "../../src/compose/project.ts";
import { personaSource, repositoryOverlay } from "../../src/compose/workflows.ts";
import type { Overlay } from "../../src/schema/overlay.ts";

function projectWith(overlay: Overlay, own: Overlay = {}): LocalProject {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-personas-")));
  onTestFinished(() => rmSync(base, { recursive: true }));
  mkdirSync(join(base, "tree/.isdlc"), { recursive: true });
  const env = { HOME: base, XDG_CONFIG_HOME: join(base, "config"), XDG_STATE_HOME: join(base, "state") };
  const project = openProject(join(base, "tree"), env);
  ship(project, overlay);
  writeFileSync(join(project.folders.config, "workflows.json"), JSON.stringify(own));
  return project;
}

const ship = (project: LocalProject, overlay: Overlay): void =>
  writeFileSync(join(project.own, "workflows.json"), JSON.stringify(overlay));

function trust(project: LocalProject): void {
  const digest = repositoryOverlay(project)?.digest ?? "";
  createTrustStore(project.folders.state, project.root, project.files).trust(digest);
}

const overlay: Overlay = {
  personas: { reviewer: { append: "More to look at." }, "own-one": "Of our own." },
  workflows: { change: { rules: { plan: { reviewer: "own-one" } } } },
};

describe("prompt of a persona in a run", () => {
  test("is the shipped one until the repository's text is trusted, and again after a change", () => {
    const project = projectWith(overlay);
    expect(personaSource(project)("reviewer")).toBe(loadPersona("reviewer"));
    trust(project);
    expect(personaSource(project)("reviewer")).toBe(`${loadPersona("reviewer").trimEnd()}\n\nMore to look at.`);
    expect(personaSource(project)("own-one")).toBe("Of our own.");
    ship(project, { personas: { reviewer: "Approve." } });
    expect(personaSource(project)("reviewer")).toBe(loadPersona("reviewer"));
  });

  test("causes a problem if it is missing or no longer trusted", () => {
    const project = projectWith(overlay);
    trust(project);
    ship(project, { ...overlay, personas: { "own-one": "Something else." } });
    expect(() => personaSource(project)("own-one")).toThrow("not trusted any more");
  });

  test("is the shipped one if the repository's file is invalid", () => {
    const project = projectWith(overlay);
    writeFileSync(join(project.own, "workflows.json"), "{");
    expect(personaSource(project)("reviewer")).toBe(loadPersona("reviewer"));
  });

  test("follows the user's text without trust, after the repository's", () => {
    const project = projectWith(overlay, { personas: { reviewer: { append: "And mine." }, planner: "Mine." } });
    expect(personaSource(project)("planner")).toBe("Mine.");
    expect(personaSource(project)("reviewer")).toBe(`${loadPersona("reviewer").trimEnd()}\n\nAnd mine.`);
    trust(project);
    expect(personaSource(project)("reviewer")).toMatch(/\n\nMore to look at\.\n\nAnd mine\.$/);
  });
});

test("trusts a persona in this worktree only", () => {
  const [here, there] = [projectWith(overlay), projectWith(overlay)];
  trust(here);
  expect(here.workflows.resolve("change").refused).toEqual([]);
  expect(there.workflows.resolve("change").refused).toHaveLength(3);
});
