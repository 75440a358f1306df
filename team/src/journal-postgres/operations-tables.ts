/**
 * Labels of repositories, generations and heartbeats of workers, saved commits of discarded work, and names reserved
 * for one run.
 */
export const operationsTables = `
alter table isdlc.repository add column label text;

alter table isdlc.run add column asked_generation int not null default 1;

alter table isdlc.worker
  add column generation int not null default 1,
  add column version text not null default '',
  add column beat_at timestamptz not null default now();

create table isdlc.kept_work (
  run text not null references isdlc.run,
  epoch int not null,
  worker text not null,
  ref text not null,
  commit text not null,
  at timestamptz not null default now(),
  primary key (run, epoch)
);

create table isdlc.drawn_name (
  repository text not null references isdlc.repository,
  name text not null,
  run text not null references isdlc.run,
  primary key (repository, name)
);

create index run_open on isdlc.run (repository, number) where rests <> 'ended';
`;

/** User who cancelled a run before a worker started it. Later cancels are in the journal. */
export const cancelTables = `
alter table isdlc.run add column cancelled_by text;
`;

/** Branches that the discard of a run could not delete at the remote, shown with the run. */
export const leftBranchTables = `
alter table isdlc.run add column left_branch jsonb;
`;
