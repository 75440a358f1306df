/** Accounts: tokens of each user, roles per repository, and requirements for answers. */
export const peopleTables = `
create table isdlc.token (
  digest text primary key,
  owner text not null references isdlc.principal,
  name text not null,
  is_personal boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  unique (owner, name)
);
insert into isdlc.token (digest, owner, name, is_personal, created_at, expires_at, revoked_at)
  select token_sha256, id, 'sign-in', false, created_at, expires_at, revoked_at from isdlc.principal;
alter table isdlc.principal drop column token_sha256, drop column expires_at, drop column revoked_at;

create table isdlc.member (
  repository text not null references isdlc.repository,
  person text not null references isdlc.principal,
  role text not null check (role in ('viewer', 'reviewer', 'admin')),
  primary key (repository, person)
);
insert into isdlc.member (repository, person, role)
  select r.name, p.id, 'reviewer' from isdlc.repository r cross join isdlc.principal p where p.kind = 'person';

alter table isdlc.repository add column four_eyes boolean not null default false;
create table isdlc.phase_reviewer (
  repository text not null references isdlc.repository,
  phase text not null,
  person text not null references isdlc.principal,
  primary key (repository, phase, person)
);

create table isdlc.account_change (
  number bigint generated always as identity primary key,
  at timestamptz not null default now(),
  changed_by text not null,
  change jsonb not null
);
create function isdlc.refuse_account_change() returns trigger language plpgsql as $$
begin
  raise exception 'records of account changes are never changed or deleted';
end $$;
create trigger account_change_is_final before update or delete on isdlc.account_change
  for each row execute function isdlc.refuse_account_change();
create trigger account_change_stays before truncate on isdlc.account_change
  for each statement execute function isdlc.refuse_account_change();
`;
