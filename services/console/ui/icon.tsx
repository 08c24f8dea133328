/** Strokes on a grid of 16. */
const PATHS = {
  brand: 'M2 14V8h3v6zM6.5 14V2h3v12zM11 14v-4h3v4z',
  overview: 'M2 9l3-4 3 5 3-8 3 7',
  features: 'M4 14V2h8l-2 3 2 3H4',
  cleanUp: 'M3 5h10M6 5V3h4v2M4.5 5l.7 9h5.6l.7-9',
  changeRequests:
    'M4 5v6M4 5a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM4 14a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM12 11V7a2 2 0 00-2-2H8M12 14a1.500 1.500 0 100-3 1.500 1.500 0 000 3z',
  events: 'M2 4h12M2 8h12M2 12h7',
  applications: 'M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z',
  impact: 'M2 14h12M2 11l4-3 3 2 5-7M10.500 3H14v3.500',
  relays: 'M8 2v5M8 7l-5 3v4M8 7l5 3v4M8 7v7',
  projects: 'M2 13V4h4l1.500 2H14v7z',
  strategies: 'M2 4h12M2 8h12M2 12h12M5 2.500v3M11 6.500v3M7 10.500v3',
  feedback: 'M2 3h12v8H7l-3 3v-3H2zM5 7h.1M8 7h.1M11 7h.1',
  notifications: 'M4 11V7a4 4 0 018 0v4l1.500 1.500h-11zM7 14.500h2',
  tokens: 'M5 5.500a2.500 2.500 0 100 5 2.500 2.500 0 000-5zM7.500 8H14v3M11 8v2',
  access: 'M4 7h8v7H4zM5.500 7V5a2.500 2.500 0 015 0v2M8 10v1.500',
  users:
    'M8 2.500a2.700 2.700 0 100 5.400 2.700 2.700 0 000-5.400zM2.500 14c0-3 2.500-4.500 5.500-4.500s5.500 1.500 5.500 4.500',
  refused: 'M8 2a6 6 0 100 12A6 6 0 008 2zM4 4l8 8',
  accounting: 'M8 2v12M3 5h10M3 5l-2 5h4zM13 5l-2 5h4zM5 14h6',
  clock: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 4.5V8l2.5 2',
  theme: 'M8 2a6 6 0 100 12zM8 2a6 6 0 010 12',
  keys: 'M1.500 4h13v8h-13zM4 7h.1M7 7h.1M10 7h.1M5 9.700h6',
  signOut: 'M6 3H3v10h3M7 8h7M11 5l3 3-3 3',
  star: 'M8 2l1.800 3.800 4.200.5-3.100 2.900.8 4.200L8 11.300l-3.700 2.100.8-4.200L2 6.300l4.200-.5z',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
