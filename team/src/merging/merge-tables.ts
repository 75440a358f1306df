/**
 * Merge commits that the server pushed or tried to push. Each row is written before the push, to find the commit after
 * a crash. `recorded_at`: the journal records the run as merged. Merges of earlier versions are taken from the
 * journals.
 */
export const mergeTables = `
create table isdlc.merge (
  run text not null references isdlc.run,
  commit text not null,
  base text not null,
  noted_at timestamptz not null default now(),
  recorded_at timestamptz,
  checked_at timestamptz,
  missing_since timestamptz,
  acknowledged_at timestamptz,
  acknowledged_why text,
  primary key (run, commit)
);

insert into isdlc.merge (run, commit, base, noted_at, recorded_at)
select d.run, ended.event->>'merged', started.event->'git'->>'base', d.at, d.at
from isdlc.decision d
cross join lateral json_array_elements(d.line::json->'events') ended (event)
join isdlc.decision f on f.run = d.run and f.seq = 1
cross join lateral json_array_elements(f.line::json->'events') started (event)
where d.line like '%"run.finished"%' and ended.event->>'type' = 'run.finished'
  and ended.event->>'merged' is not null and started.event->>'type' = 'run.started'
  and started.event->'git'->>'base' is not null
on conflict do nothing;
`;

/** True if, according to the operator, the git host lets workers write only to refs of isdlc and to run branches. */
export const credentialTables = `
alter table isdlc.repository add column workers_restricted boolean not null default false;
`;
