import type { CopiedTable } from '../copied-table.ts';
import { syncOf } from '../copy-table.ts';
import { secondsOf } from '../rows.ts';

type InstanceRow = { readonly size_bytes: number };

export const INSTANCES: CopiedTable<InstanceRow> = {
  name: 'instances',
  table: 'client_instances',
  copies: 'instance_copies',
  identity: { app_name: 'text', environment: 'text', instance_id: 'text' },
  columns: `
    t.app_name,
    t.environment,
    t.instance_id,
    coalesce(t.sdk_version, '') as sdk_version,
    coalesce(t.platform_name, '') as platform_name,
    coalesce(t.platform_version, '') as platform_version,
    coalesce(t.yggdrasil_version, '') as yggdrasil_version,
    jsonb_path_query_array(t.connect_via, '$[*].appName') as relays,
    jsonb_path_query_array(t.connect_via, '$[*].instanceId') as relay_instances,
    coalesce(t.interval_ms, 0) as interval_ms,
    ${secondsOf('t.created_at')} as first_seen,
    ${secondsOf('t.reporting_since')} as reporting_since,
    ${secondsOf('t.last_seen')} as last_seen,
    400 + octet_length(t.connect_via::text) as size_bytes`,
  toCopy: ({ size_bytes: _, ...copy }) => copy,
};

export const syncInstances = syncOf(INSTANCES);
