-- The image runs this once, for an empty data directory. The owner of the tables migrates them. The services use a role that owns
-- nothing, so that they cannot change the audit.
\set owner_password `cat /secrets/postgres/owner`
\set password `cat /secrets/postgres/password`
create role flagmeter
  login
  nosuperuser
  nocreatedb
  nocreaterole
  noreplication
  password :'owner_password';
create role flagmeter_service
  login
  nosuperuser
  nocreatedb
  nocreaterole
  noreplication
  password :'password';
create database flagmeter owner flagmeter;
revoke all on database flagmeter from public;
grant connect on database flagmeter to flagmeter_service;
