/** True if a repository accepts only answers signed with a passkey. */
export const signedAnswerTables = `
alter table isdlc.repository add column passkeys boolean not null default false;
`;

/**
 * Passkeys, their challenges, and invitations to register one. A browser session belongs to the token or passkey that
 * started it, and ends with it.
 */
export const passkeyTables = `
create table isdlc.passkey (
  id text primary key,
  person text not null references isdlc.principal,
  public_key text not null,
  relying_party text not null,
  name text not null,
  counter bigint not null,
  created_at timestamptz not null default now()
);
create index passkey_of_person on isdlc.passkey (person);

create table isdlc.passkey_challenge (
  challenge text primary key,
  purpose text not null,
  person text references isdlc.principal,
  detail jsonb not null,
  expires_at timestamptz not null
);
create index passkey_challenge_end on isdlc.passkey_challenge (expires_at);

create table isdlc.invitation (
  digest text primary key,
  person text not null unique references isdlc.principal,
  expires_at timestamptz not null
);

alter table isdlc.page_session alter column token drop not null,
  add column passkey text references isdlc.passkey on delete cascade,
  add constraint page_session_way check (num_nonnulls(token, passkey) = 1);
`;
