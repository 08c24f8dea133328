/** A longer interval makes no sense, although the schema allows any number. */
export const MAX_INTERVAL_MS = 7 * 24 * 3_600_000;

/** Without a known SDK, a smaller number is one of seconds: no SDK reports every three seconds. */
const LEAST_MS = 3600;

/**
 * The interval of a registration in milliseconds. Its unit depends on the SDK (docs/develop/unleash.md#intervals), and relays
 * forward the number unchanged. Undefined if it makes no sense.
 */
export function intervalMsOf(
  interval: number | null | undefined,
  sdkVersion: string | null | undefined,
): number | undefined {
  if (interval == null || !(interval > 0)) return undefined;
  const intervalMs = Math.ceil(interval * unitMsOf(interval, sdkVersion));
  return intervalMs <= MAX_INTERVAL_MS ? intervalMs : undefined;
}

/** The same interval in the unit that Unleash, or a further flagmeter, expects of this SDK. */
export function intervalForSdk(intervalMs: number, sdkVersion: string | undefined): number {
  return intervalMs / (unitOfSdk(sdkVersion) ?? 1);
}

function unitMsOf(interval: number, sdkVersion: string | null | undefined): number {
  return unitOfSdk(sdkVersion) ?? (interval < LEAST_MS ? 1000 : 1);
}

const OF_SECONDS: ReadonlySet<string> = new Set(['java', 'python', 'go', 'edge']);
const OF_MILLISECONDS: ReadonlySet<string> = new Set(['node', 'dotnet', 'ruby', 'php', 'rust', 'ex']);

/** Unleash's SDKs were renamed from `unleash-client-java` to `unleash-java-sdk`; the version follows a colon. */
const NAME = /^unleash[-_](?:client-)?([a-z]+)(?:-sdk)?(?::|$)/iu;

function unitOfSdk(sdkVersion: string | null | undefined): number | undefined {
  const language = NAME.exec(sdkVersion ?? '')?.[1]?.toLowerCase() ?? '';
  if (OF_SECONDS.has(language)) return 1000;
  return OF_MILLISECONDS.has(language) ? 1 : undefined;
}
