/**
 * Runs moved between users' machines and the team. Lines sealed with another key have the server's countersignature. A
 * run that is away has a place, and rejects appends until it is brought back from there.
 */
export const movingTables = `
alter table isdlc.decision add column countermark text;
alter table isdlc.run add column moved_place text, add column moved_to text, add column moved_by text;

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
    workflow = case when p_rests = 'action' then workflow end,
    left_tree = coalesce(p_left, left_tree), failures = 0
  where run = p_run;
  return 'recorded';
end $$;
`;
