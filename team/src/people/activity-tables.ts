/** Agent output for users who follow a run. Not part of the journal. */
export const activityTables = `
create table isdlc.activity (
  run text not null references isdlc.run,
  number bigint generated always as identity,
  execution text not null,
  lines jsonb not null,
  primary key (run, number)
);
`;
