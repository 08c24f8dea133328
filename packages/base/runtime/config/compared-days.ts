/** The number of days that both `blocks` and the hourly tables hold completely. */
export const COMPARED_DAYS = 88;
