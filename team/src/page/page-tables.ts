/** Browser sessions. Each expires no later than the token used to sign in. */
export const pageTables = `
create table isdlc.page_session (
  digest text primary key,
  person text not null references isdlc.principal,
  token text not null,
  begun_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index page_session_end on isdlc.page_session (expires_at);
`;

/** Choices to make before a run can start, as reported by the worker that tried. */
export const choiceTables = `
alter table isdlc.run add column choices jsonb not null default '[]';
`;
