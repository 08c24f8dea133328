/** URL-friendly names of 1 to 100 characters, except `.` and `..` (docs/develop/unleash.md#names). */
export const URL_NAME = '^(?!\\.{1,2}$)[A-Za-z0-9_.~-]{1,100}$';

const PATTERN = new RegExp(URL_NAME);

/** Whether the admin API accepts a name of a feature. */
export function isUrlName(name: string): boolean {
  return PATTERN.test(name);
}

export type RegisteredLimits = { readonly each: number; readonly all: number };

/** How many active features may come from evaluations: those of one token, and all. More than a team has. */
export const MAX_REGISTERED_FEATURES: RegisteredLimits = { each: 1250, all: 5000 };
