export type RegisteredLimits = { readonly each: number; readonly all: number };

/** How many active features may come from evaluations: those of one token, and all. More than a team has. */
export const MAX_REGISTERED_FEATURES: RegisteredLimits = { each: 1250, all: 5000 };
