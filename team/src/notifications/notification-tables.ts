/**
 * Notification channels of users, and their notifications: a row per user, channel and event, written in the same
 * transaction as the event. Any server may send it.
 */
export const notificationTables = `
create table isdlc.notification_channel (
  person text not null references isdlc.principal,
  channel text not null check (channel in ('webhook', 'slack', 'teams', 'email')),
  address text not null,
  secret text,
  occasions text[] not null,
  primary key (person, channel)
);

create table isdlc.notification (
  number bigint generated always as identity primary key,
  id uuid not null unique default gen_random_uuid(),
  person text not null,
  channel text not null,
  occasion text not null check (occasion in ('gate', 'help', 'ended', 'reviewer', 'test')),
  about text not null,
  run text references isdlc.run,
  wait_id text,
  repository text,
  phase text,
  made_at timestamptz not null default now(),
  due_at timestamptz default now(),
  attempts int not null default 0,
  settled_at timestamptz,
  outcome text check (outcome in ('sent', 'given-up', 'outdated')),
  why text,
  unique (person, channel, about),
  foreign key (person, channel) references isdlc.notification_channel on delete cascade
);
create index notification_due on isdlc.notification (due_at) where due_at is not null;

create function isdlc.note_occasion() returns trigger language plpgsql as $$
declare
  noted text := case
    when new.rests = 'ended' then 'ended'
    when new.wait_kind in ('questions', 'escalation', 'budget') then 'help'
    else 'gate' end;
begin
  insert into isdlc.notification (person, channel, occasion, about, run, wait_id)
  select c.person, c.channel, noted, concat_ws(' ', noted, new.run, new.wait_id), new.run, new.wait_id
  from isdlc.member m join isdlc.notification_channel c on c.person = m.person
  where m.repository = new.repository and noted = any(c.occasions)
    and case when noted = 'gate' then m.role <> 'viewer' else m.person = new.begun_by end
  on conflict do nothing;
  return null;
end $$;
create trigger run_is_told after update of rests, wait_id on isdlc.run for each row
  when (new.rests <> 'action' and new.moved_place is null
    and (old.rests, old.wait_id) is distinct from (new.rests, new.wait_id))
  execute function isdlc.note_occasion();
`;

/** A fault of a worker's machine notifies the admins of all repositories, at most once in 10 minutes. */
export const faultTables = `
alter table isdlc.notification add column worker text,
  drop constraint notification_occasion_check,
  add constraint notification_occasion_check
    check (occasion in ('gate', 'help', 'ended', 'reviewer', 'worker', 'test'));

create function isdlc.note_fault() returns trigger language plpgsql as $$
begin
  insert into isdlc.notification (person, channel, occasion, about, worker)
  select distinct c.person, c.channel, 'worker', 
    concat_ws(' ', 'worker', new.id, floor(extract(epoch from new.trouble_since) / 600)), new.id
  from isdlc.member m join isdlc.notification_channel c on c.person = m.person
  where m.role = 'admin' and 'worker' = any(c.occasions)
  on conflict (person, channel, about) do update
    set due_at = now(), attempts = 0, settled_at = null, outcome = null, why = null where notification.outcome = 'outdated';
  return null;
end $$;
create trigger fault_is_told after insert or update of trouble_since on isdlc.worker for each row
  when (new.trouble_since is not null) execute function isdlc.note_fault();
`;
