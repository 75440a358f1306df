/** Identities of users at the team's OpenID provider. The subject is stored at the first sign-in by e-mail. */
export const identityTables = `
create table isdlc.identity (
  person text primary key references isdlc.principal,
  email text,
  issuer text,
  subject text,
  check (num_nonnulls(email, subject) > 0)
);
create unique index identity_email on isdlc.identity (lower(email));
create unique index identity_subject on isdlc.identity (subject, coalesce(issuer, ''));

alter table isdlc.page_session drop constraint page_session_way,
  add column identity text references isdlc.identity on delete cascade,
  add constraint page_session_way check (num_nonnulls(token, passkey, identity) = 1);
`;
