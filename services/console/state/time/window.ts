/** The choices of the time window, in the URL as `window=7d`. */
export const WINDOWS = [
  { id: '1h', title: '1 h', hours: 1 },
  { id: '24h', title: '24 h', hours: 24 },
  { id: '7d', title: '7 d', hours: 7 * 24 },
  { id: '30d', title: '30 d', hours: 30 * 24 },
  { id: '90d', title: '90 d', hours: 90 * 24 },
  { id: '25m', title: '25 months', hours: 760 * 24 },
] as const;

const [, DAY] = WINDOWS;

export type TimeWindow = (typeof WINDOWS)[number];

export function windowOf(id: string | undefined): TimeWindow {
  return WINDOWS.find((window) => window.id === id) ?? DAY;
}
