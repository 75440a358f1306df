/**
 * Runs with `rests = 'action'` and no worker form the queue. `claim` is the random id of the request that got the
 * lease; `takeovers` counts how often the run lost its worker since its last decision. `host_since`: start of the wait
 * for the git host, until a record with a pushed tree (`p_left`). A worker is a process: several may use one token.
 * The column `workflow` remains for backups of earlier versions.
 */
export const queueTables = `
alter table isdlc.principal add column repositories text[], add column labels text[];
alter table isdlc.repository add column served_at timestamptz not null default '-infinity';
alter table isdlc.run
  add column instance text,
  add column claim text,
  add column claimed_at timestamptz,
  add column due_at timestamptz not null default now(),
  add column takeovers int not null default 0,
  add column host_since timestamptz,
  add column host_failures int not null default 0,
  add column host_detail text;
alter table isdlc.worker add column trouble text, add column trouble_since timestamptz;
create index run_queued on isdlc.run (due_at) where rests = 'action' and worker is null;

delete from isdlc.worker;
alter table isdlc.worker drop constraint worker_pkey, add primary key (id, instance);
update isdlc.run set worker = null, epoch = epoch + 1, asked_at = coalesce(asked_at, now()), asked_generation = 3
  where rests = 'action';

create or replace function isdlc.append(
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
  if found_run.moved_place is not null then return 'away'; end if;
  if found_run.head_seq <> p_seq - 1 or found_run.head_hash <> p_previous then return 'moved'; end if;
  insert into isdlc.decision (run, seq, events, previous, hash, line, sender_kind, sender, epoch, request)
    values (p_run, p_seq, p_events, p_previous, p_hash, p_line, p_sender_kind, p_sender, p_epoch, p_request);
  update isdlc.run set
    head_seq = p_seq + p_events - 1, head_hash = p_hash,
    rests = p_rests, wait_id = p_wait_id, wait_kind = p_wait_kind, phase = p_phase,
    worker = case when p_rests = 'action' then worker end,
    left_tree = coalesce(p_left, left_tree), failures = 0, takeovers = 0,
    host_since = case when p_rests = 'action' and p_sender_kind = 'worker' and p_left is null then host_since end,
    host_failures = case when p_rests = 'action' and p_sender_kind = 'worker' and p_left is null then host_failures else 0 end
  where run = p_run;
  return 'recorded';
end $$;
`;
