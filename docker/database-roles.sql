-- For psql, as a superuser: the database, its owner, and the role of the service, which owns nothing. Migrations run as the
-- owner and grant the other role what it needs; with pg_monitor, metrics and svc doctor see the state of standbys.
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv service_password DATABASE_SERVICE_PASSWORD
CREATE ROLE claims_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE claims_service LOGIN PASSWORD :'service_password';
GRANT pg_monitor TO claims_service;
CREATE DATABASE claims OWNER claims_owner;
