import type { TokenType } from './tokens.ts';

/** Tokens whose life the settings limit. Sessions have settings of their own. */
export const LIMITED_TYPES = ['admin', 'client', 'frontend', 'scan', 'personal'] as const satisfies readonly (
  | TokenType
  | 'personal'
)[];

/** The longest life of new tokens by type, in days; 0 for no limit. */
export type MaxTokenDays = Readonly<Record<(typeof LIMITED_TYPES)[number], number>>;

type Ending = {
  readonly type: keyof MaxTokenDays;
  /** Epoch milliseconds; undefined if never. */
  readonly expiresAt: number | undefined;
};

const DAY_MS = 86_400_000;

/** The latest end that a new token may have, in epoch milliseconds: the end of a day in UTC. Undefined without a limit. */
export function latestEnd(type: keyof MaxTokenDays, maxDays: MaxTokenDays, now: number): number | undefined {
  const days = maxDays[type];
  return days === 0 ? undefined : (Math.floor(now / DAY_MS) + days + 1) * DAY_MS - 1;
}

/** Why a new token may not end so, in a sentence; undefined if it may. */
export function problemOfEnd(
  { type, expiresAt }: Ending,
  maxDays: MaxTokenDays,
  now: number,
): string | undefined {
  if (expiresAt !== undefined && expiresAt <= now) return 'The end of a token must be in the future.';
  const latest = latestEnd(type, maxDays, now);
  if (latest === undefined || (expiresAt !== undefined && expiresAt <= latest)) return undefined;
  const end = new Date(latest).toISOString();
  return `A token of the type ${type} lasts at most ${maxDays[type]} days (${settingOf(type)}): it must end by ${end}.`;
}

export function settingOf(type: keyof MaxTokenDays) {
  return `MAX_DAYS_OF_${type.toUpperCase()}_TOKENS`;
}
