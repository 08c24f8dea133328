/** A setting with any text. */
export const text = (defaultValue: string, description: string) =>
  ({ type: 'string', default: defaultValue, description }) as const;

/** A setting whose value nobody but flagmeter may see. */
export const secret = (description: string) => ({ ...text('', description), isSecret: true }) as const;

/** `why` explains what a value outside the bounds would break. */
export type Bounds = { readonly min: number; readonly max: number; readonly why?: string };

/** A setting with a whole number. */
export const whole = (defaultValue: number, { min, max, why = '' }: Bounds, description: string) =>
  ({ type: 'integer', default: defaultValue, minimum: min, maximum: max, why, description }) as const;

/**
 * What each of several equal processes on one machine gets of a limit. `same` is as much as one process alone: names are the
 * same for all of them, and rates are shared. A pool keeps two connections, because with one a process would
 * answer nothing while a query is slow.
 */
export type Share = keyof typeof SHARES;

const SHARES = {
  same: (total: number) => total,
  part: (total: number, processes: number) => Math.ceil(total / processes),
  'part, rounded down': (total: number, processes: number) => Math.max(1, Math.floor(total / processes)),
  'part of a pool': (total: number, processes: number) =>
    Math.min(total, Math.max(2, Math.ceil(total / processes))),
} as const;

export function shareOf(total: number, share: Share, processes: number): number {
  return SHARES[share](total, processes);
}

/** A whole number that limits what a process takes. */
export const limit = (
  defaultValue: number,
  bounds: Bounds & { readonly share: Share },
  description: string,
) => ({ ...whole(defaultValue, bounds, description), share: bounds.share }) as const;

/** A setting with a list of token secrets. */
export const tokens = (format: 'tokens' | 'admin-tokens') =>
  ({
    type: 'string',
    default: '',
    format,
    isSecret: true,
    description: 'comma separated, project:environment.secret',
  }) as const;
