/**
 * `first_check`: checks that a second worker repeats, with the worker, its results and the last event of the run at that
 * time. It has no effect after the next decision.
 */
export const recheckTables = `
alter table isdlc.repository add column recheck boolean not null default false;
alter table isdlc.run add column first_check jsonb;
`;
