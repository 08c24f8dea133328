/** An API token of relays and SDKs. */
type Token = {
  readonly tokenName: string;
  readonly type: string;
  readonly seenAt: string | null;
};

export type Senders<T> = {
  /** Used in the last hour, the latest first. */
  readonly reporting: readonly T[];
  /** Used before, the latest first. */
  readonly silent: readonly T[];
  readonly unused: readonly T[];
};

const SILENT_AFTER_MS = 3_600_000;

/** Who sends: the tokens of relays and SDKs by their last use. The tokens of people are left out. */
export function sendersOf<T extends Token>(tokens: readonly T[], now: number): Senders<T> {
  const own = tokens.filter(({ type }) => type !== 'admin');
  const used = own
    .filter(({ seenAt }) => seenAt !== null)
    .sort((one, other) => timeOf(other) - timeOf(one) || (one.tokenName < other.tokenName ? -1 : 1));
  const isReporting = (token: T): boolean => timeOf(token) > now - SILENT_AFTER_MS;
  return {
    reporting: used.filter(isReporting),
    silent: used.filter((token) => !isReporting(token)),
    unused: own.filter(({ seenAt }) => seenAt === null),
  };
}

function timeOf({ seenAt }: Token): number {
  return seenAt === null ? 0 : Date.parse(seenAt);
}
