import { PLATFORM_MEMBERS, type Platform, platformOf } from './application-names.ts';
import { parseTime, MAX_ENVIRONMENT_LENGTH } from '#base/schema';
import type { Application } from '../schemas/batch-schema.ts';
import { MAX_INTERVAL_MS, intervalMsOf } from './intervals.ts';
import { isStorable } from '../encoding/guards.ts';

const VERSION = 1;

/** A process that forwarded a report. */
export type ViaRelay = { readonly appName: string; readonly instanceId: string };

/** An instance of an application as one relay reported it; absent fields are undefined. */
export type Registration = Platform & {
  readonly appName: string;
  readonly environment: string;
  readonly instanceId: string;
  readonly sdkVersion: string | undefined;
  readonly sdkType: string | undefined;
  /** The relays that forwarded it. Undefined if there are none, or in a message of a version that did not keep them. */
  readonly connectVia: readonly ViaRelay[] | undefined;
  /** How often the instance reports at most: many SDKs are silent if they evaluated nothing. */
  readonly intervalMs: number | undefined;
  readonly strategies: readonly string[];
  readonly projects: readonly string[];
  /** When the instance started, epoch milliseconds. */
  readonly startedAt: number | undefined;
  /** Epoch milliseconds. */
  readonly seenAt: number;
};

/** The default of an absent environment or instance id, as in Unleash (docs/develop/unleash.md#tokens). */
const DEFAULT = 'default';

export function registrationOf(application: Application, seenAt: number): Registration {
  const { appName, environment, instanceId, sdkVersion, sdkType, interval, strategies, projects } =
    application;
  return {
    appName,
    environment: environment || DEFAULT,
    instanceId: instanceId || DEFAULT,
    sdkVersion: sdkVersion || undefined,
    sdkType: sdkType || undefined,
    ...platformOf(application),
    connectVia: relaysOf(application),
    intervalMs: intervalMsOf(interval, sdkVersion),
    strategies: strategies?.filter((name) => name !== '') ?? [],
    projects: projects?.filter((name) => name !== '') ?? [],
    startedAt: startOf(application),
    seenAt,
  };
}

/** Undefined for a time before 1970, which makes no sense. */
function startOf({ started }: Application): number | undefined {
  const startedAt = started == null ? undefined : parseTime(started);
  return startedAt !== undefined && startedAt >= 0 ? startedAt : undefined;
}

/** A relay without a name says nothing. Unknown members are left out, because nothing bounds them. */
function relaysOf({ connectVia }: Application): ViaRelay[] | undefined {
  const named = connectVia?.filter(({ appName }) => appName !== '') ?? [];
  if (named.length === 0) return undefined;
  return named.map(({ appName, instanceId }) => ({ appName, instanceId: instanceId || DEFAULT }));
}

const MINUTE_MS = 60_000;

/** The clock minute, counted since the epoch. Equal registrations of one minute need to be stored only once. */
export function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

/** All of a registration except its time: equal for equal registrations, and different for others. */
export function contentOfRegistration(registration: Registration): string {
  return JSON.stringify({ ...registration, seenAt: 0 });
}

export function encodeRegistrations(registrations: readonly Registration[]): string {
  return JSON.stringify({ v: VERSION, registrations });
}

export function decodeRegistrations(
  value: Uint8Array | null,
): { registrations: readonly Registration[] } | { problem: string } {
  if (value === null) return { problem: 'no value' };
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value));
  } catch {
    return { problem: 'not JSON' };
  }
  if (typeof json !== 'object' || json === null || !('v' in json) || json.v !== VERSION) {
    return { problem: 'unknown version' };
  }
  if (!('registrations' in json) || !Array.isArray(json.registrations))
    return { problem: 'no registrations' };
  if (!json.registrations.every(isRegistration)) return { problem: 'bad registration' };
  return { registrations: json.registrations };
}

/** The latest time that a Date can hold. */
const MAX_TIME_MS = 8.64e15;

/** Whether Postgres can store it. A registration that Postgres rejects would block its partition for ever. */
function isRegistration(value: unknown): value is Registration {
  if (typeof value !== 'object' || value === null) return false;
  const fields = { ...NOTHING, ...value };
  const { appName, environment, instanceId, intervalMs, strategies, projects, connectVia } = fields;
  const { seenAt, startedAt, sdkVersion, sdkType } = fields;
  const optional = [sdkVersion, sdkType, ...PLATFORM_MEMBERS.map((member) => fields[member])];
  if (![appName, environment, instanceId].every(isStorable)) return false;
  if (String(environment).length > MAX_ENVIRONMENT_LENGTH) return false;
  if (!isWhole(seenAt, { min: 0, max: MAX_TIME_MS })) return false;
  if (startedAt !== undefined && !isWhole(startedAt, { min: 0, max: MAX_TIME_MS })) return false;
  if (intervalMs !== undefined && !isWhole(intervalMs, { min: 1, max: MAX_INTERVAL_MS })) return false;
  if (!optional.every((text) => text === undefined || isStorable(text))) return false;
  if (connectVia !== undefined && !(Array.isArray(connectVia) && connectVia.every(isViaRelay))) return false;
  return [strategies, projects].every((list) => Array.isArray(list) && list.every(isStorable));
}

function isViaRelay(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'appName' in value && isStorable(value.appName) && 'instanceId' in value && isStorable(value.instanceId)
  );
}

const NOTHING: Partial<Record<keyof Registration, unknown>> = {};

function isWhole(value: unknown, { min, max }: { min: number; max: number }): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max;
}
