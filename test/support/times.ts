/** The end of new personal tokens, which may not live for ever. */
export const IN_A_MONTH = new Date(Date.now() + 30 * 86_400_000).toISOString();
