/** Folders in the format of each tool, with our own content. */
export type PublishedFolder = {
  readonly name: string;
  readonly format: "spec-kit" | "openspec" | "kiro";
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  /** First phase of a build. */
  readonly begins: "02-impact-analysis" | "05-test-strategy";
};

const kitSpec = (title: string, story: string): string => `# Feature Specification: ${title}

**Feature Branch**: \`001-sample\`
**Created**: 2026-10-01
**Status**: Draft

## User Scenarios & Testing *(mandatory)*

### User Story 1 - ${title} (Priority: P1)

${story}

**Acceptance Scenarios**:

1. **Given** a signed-in person, **When** they try it, **Then** it works

## Requirements *(mandatory)*

### Functional Requirements

- **FR-001**: System MUST do it
- **FR-002**: System MUST refuse what is not allowed

## Success Criteria *(mandatory)*

- **SC-001**: Nine of ten people manage it at once
`;

const kitPlan = (title: string): string => `# Implementation Plan: ${title}

**Branch**: \`001-sample\` | **Spec**: [spec.md](./spec.md)

## Summary

One module, one table.

## Technical Context

**Language/Version**: TypeScript 5
**Storage**: SQLite

## Project Structure

src/albums.ts
`;

const kitTasks = `# Tasks

## Phase 1: Setup

- [ ] T001 Create src/albums.ts
- [ ] T002 [P] Add a test in tests/albums.test.ts
`;

const delta = (name: string): string => `## ADDED Requirements

### Requirement: ${name}

The system SHALL do it.

#### Scenario: It works

- **WHEN** somebody tries
- **THEN** it works
`;

const proposal = (heading: string): string => `${heading}

## Why

People asked for it.

## What Changes

- Adds it

## Impact

- Affected specs: auth
- Affected code: src/auth.ts
`;

const kiroRequirements = (feature: string): string => `# Requirements Document

## Introduction

${feature}

## Requirements

### Requirement 1

**User Story:** As a reader, I want it, so that I have it.

#### Acceptance Criteria

1. WHEN a reader asks THEN the system SHALL answer
2. IF the answer is unknown THEN the system SHALL say so
`;

const kiroDesign = `# Design Document

## Overview

One component.

## Architecture

\`\`\`mermaid
graph TD
  A --> B
\`\`\`

## Components and Interfaces

## Data Models

## Error Handling

## Testing Strategy
`;

const kiroTasks = `# Implementation Plan

- [ ] 1. Set up the module
  - Write src/search.ts
  - _Requirements: 1.1_
- [ ] 2. Show results
  - _Requirements: 1.2_
`;

export const published: readonly PublishedFolder[] = [
  {
    name: "001-photo-albums",
    format: "spec-kit",
    title: "Photo albums",
    files: {
      "spec.md": kitSpec("Photo albums", "People group photos."),
      "plan.md": kitPlan("Photo albums"),
      "research.md": "# Research\n\n## Decision: SQLite\n",
      "data-model.md": "# Data Model\n\n## Album\n\n- id\n- title\n",
      "quickstart.md": "# Quickstart\n\n1. Open an album\n",
      "contracts/albums.md": "# Albums\n\nGET /albums\n",
      "checklists/requirements.md": "# Checklist\n\n- [x] clear\n",
      "tasks.md": kitTasks,
    },
    begins: "05-test-strategy",
  },
  {
    name: "002-share-links",
    format: "spec-kit",
    title: "Share links",
    files: { "spec.md": kitSpec("Share links", "People share an album."), "plan.md": kitPlan("Share links") },
    begins: "05-test-strategy",
  },
  {
    name: "003-trash-bin",
    format: "spec-kit",
    title: "Trash bin",
    files: { "spec.md": kitSpec("Trash bin", "Deleted photos can come back.") },
    begins: "02-impact-analysis",
  },
  {
    name: "add-two-factor",
    format: "openspec",
    title: "Add two-factor sign-in",
    files: {
      "proposal.md": proposal("# Change: Add two-factor sign-in"),
      "design.md":
        "## Context\n\nPasswords alone.\n\n## Goals / Non-Goals\n\n## Decisions\n\n- TOTP\n\n## Risks / Trade-offs\n",
      "tasks.md": "## 1. Implementation\n\n- [ ] 1.1 Add the table\n- [ ] 1.2 Add the page\n",
      "specs/auth/spec.md": delta("Two-factor"),
      "specs/notifications/spec.md": delta("Notice of sign-in"),
    },
    begins: "05-test-strategy",
  },
  {
    name: "remove-legacy-export",
    format: "openspec",
    title: "remove legacy export",
    files: {
      "proposal.md": proposal("").trimStart(),
      "tasks.md": "## 1. Removal\n\n- [ ] 1.1 Delete the endpoint\n",
      "specs/export/spec.md": "## REMOVED Requirements\n\n### Requirement: Legacy export\n\n**Reason**: unused\n",
    },
    begins: "02-impact-analysis",
  },
  {
    name: "update-rate-limits",
    format: "openspec",
    title: "Update rate limits",
    files: { "proposal.md": proposal("# Proposal: Update rate limits"), "specs/api/spec.md": delta("Rate limits") },
    begins: "02-impact-analysis",
  },
  {
    name: "full-text-search",
    format: "kiro",
    title: "full text search",
    files: {
      "requirements.md": kiroRequirements("Search in all notes."),
      "design.md": kiroDesign,
      "tasks.md": kiroTasks,
    },
    begins: "05-test-strategy",
  },
  {
    name: "dark-mode",
    format: "kiro",
    title: "dark mode",
    files: { "requirements.md": kiroRequirements("A dark theme."), "design.md": kiroDesign },
    begins: "05-test-strategy",
  },
  {
    name: "offline-reading",
    format: "kiro",
    title: "Offline reading",
    files: {
      "requirements.md": kiroRequirements("Reading without a network.").replace("Document", ": Offline reading"),
    },
    begins: "02-impact-analysis",
  },
];
