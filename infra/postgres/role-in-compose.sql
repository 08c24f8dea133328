-- The image runs this once, for an empty data directory. The role of the services owns its database and nothing else.
\set password `cat /secrets/postgres/password`
create role flagmeter
  login
  nosuperuser
  nocreatedb
  nocreaterole
  noreplication
  password :'password';
create database flagmeter owner flagmeter;
revoke all on database flagmeter from public;
