-- Lists of all projects are read in pages, in the order of an index. The name makes each position unique.
create index features_created on features (created_at, name);
create index client_applications_seen on client_applications (seen_at, app_name);
create index events_of_type on events (type, created_at desc, id desc);
