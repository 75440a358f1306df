/**
 * Tables in the schema `isdlc`. Each decision is a row with the exact line of a journal file, to move runs between the
 * two. The run's row has columns for lookups and fencing; nothing is decided from it.
 */
export const tables = `
create schema isdlc;

create table isdlc.principal (
  id text primary key,
  kind text not null check (kind in ('person', 'worker')),
  token_sha256 text not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz
);

create table isdlc.repository (
  name text primary key,
  remote text not null unique
);

create table isdlc.worker (
  id text primary key references isdlc.principal,
  instance text not null,
  beat bigint not null default 0
);

create table isdlc.run (
  run text primary key,
  number bigint generated always as identity,
  place text not null,
  repository text references isdlc.repository,
  title text not null,
  begun_by text not null,
  start jsonb,
  opened_at timestamptz not null default now(),
  head_seq int not null default 0,
  head_hash text not null,
  rests text not null check (rests in ('action', 'wait', 'ended')),
  wait_id text,
  wait_kind text,
  phase text,
  epoch int not null default 0,
  worker text,
  workflow text,
  asked_at timestamptz,
  failures int not null default 0,
  left_tree jsonb,
  refused text
);
create unique index run_one_open on isdlc.run (place) where rests <> 'ended';
create index run_newest on isdlc.run (place, number);
create index run_of_repository on isdlc.run (repository, number);
create index run_due on isdlc.run (worker) where rests = 'action';

create table isdlc.decision (
  run text not null references isdlc.run,
  seq int not null,
  events int not null check (events > 0),
  previous text not null,
  hash text not null,
  line text not null,
  sender_kind text not null check (sender_kind in ('person', 'worker', 'server')),
  sender text not null,
  epoch int,
  request text,
  at timestamptz not null default now(),
  primary key (run, seq),
  unique (run, previous),
  unique (run, request)
);

create function isdlc.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'decisions are never changed or deleted';
end $$;
create trigger decision_is_final before update or delete on isdlc.decision
  for each row execute function isdlc.refuse_change();
create trigger decision_stays before truncate on isdlc.decision
  for each statement execute function isdlc.refuse_change();

create function isdlc.append(
  p_run text, p_sender_kind text, p_sender text, p_epoch int, p_request text,
  p_seq int, p_events int, p_previous text, p_hash text, p_line text,
  p_rests text, p_wait_id text, p_wait_kind text, p_phase text, p_left jsonb
) returns text language plpgsql as $$
declare
  found_run isdlc.run%rowtype;
begin
  select * into found_run from isdlc.run where run = p_run for update;
  if not found then return 'missing'; end if;
  if p_sender_kind = 'worker'
    and (found_run.epoch is distinct from p_epoch or found_run.worker is distinct from p_sender)
  then return 'fenced'; end if;
  if p_request is not null and exists (select 1 from isdlc.decision where run = p_run and request = p_request)
  then return 'repeated'; end if;
  if found_run.head_seq <> p_seq - 1 or found_run.head_hash <> p_previous then return 'moved'; end if;
  insert into isdlc.decision (run, seq, events, previous, hash, line, sender_kind, sender, epoch, request)
    values (p_run, p_seq, p_events, p_previous, p_hash, p_line, p_sender_kind, p_sender, p_epoch, p_request);
  update isdlc.run set
    head_seq = p_seq + p_events - 1, head_hash = p_hash,
    rests = p_rests, wait_id = p_wait_id, wait_kind = p_wait_kind, phase = p_phase,
    worker = case when p_rests = 'action' then worker end,
    workflow = case when p_rests = 'action' then workflow end,
    left_tree = coalesce(p_left, left_tree), failures = 0
  where run = p_run;
  return 'recorded';
end $$;
`;
