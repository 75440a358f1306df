/** What agents say while they work; for people who follow a run, and not part of the truth. */
export const activityTables = `
create table isdlc.activity (
  run text not null references isdlc.run,
  number bigint generated always as identity,
  execution text not null,
  lines jsonb not null,
  primary key (run, number)
);
`;
