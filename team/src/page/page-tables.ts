/** Browsers that people are signed in with, each for no longer than the token it was signed in with. */
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

/** What has to be chosen before a run can be begun, as the worker that tried told it. */
export const choiceTables = `
alter table isdlc.run add column choices jsonb not null default '[]';
`;
