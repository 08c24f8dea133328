import type { Registration } from '#core/counting';

/** Reports of one instance that are further apart are not of one run, if its interval is unknown. */
const PAUSE_MS = 3 * 60_000;

type Instance = { readonly row: object; readonly reportingSince: number; readonly seenAt: number };

/** The instances of registrations as rows of `client_instances`, one for each key. */
export function instancesOf(registrations: readonly Registration[]): object[] {
  const instances = new Map<string, Instance>();
  for (const registration of registrations.toSorted((one, other) => one.seenAt - other.seenAt)) {
    const { appName, environment, instanceId, seenAt } = registration;
    const key = JSON.stringify([appName, environment, instanceId]);
    const before = instances.get(key);
    const isSameRun = before !== undefined && seenAt - before.seenAt <= PAUSE_MS;
    const reportingSince = isSameRun ? before.reportingSince : seenAt;
    instances.set(key, { row: { ...before?.row, ...rowOf(registration) }, reportingSince, seenAt });
  }
  return Array.from(instances.values(), ({ row, reportingSince }) => ({
    ...row,
    reporting_since: new Date(reportingSince).toISOString(),
  }));
}

/**
 * Without absent members, so that those of an earlier report stay: an SDK names its interval when it registers, but not with its
 * counts. An absent `connectVia` is different: the last report came without a relay.
 */
function rowOf({ connectVia = [], seenAt, ...registration }: Registration): object {
  const row = {
    app_name: registration.appName,
    environment: registration.environment,
    instance_id: registration.instanceId,
    sdk_version: registration.sdkVersion,
    sdk_type: registration.sdkType,
    platform_name: registration.platformName,
    platform_version: registration.platformVersion,
    yggdrasil_version: registration.yggdrasilVersion,
    connect_via: connectVia,
    interval_ms: registration.intervalMs,
    last_seen: new Date(seenAt).toISOString(),
  };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}
