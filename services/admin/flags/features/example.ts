import type { Feature } from './schema.ts';

/** In the OpenAPI document. */
export const FEATURE: Feature = {
  name: 'new-basket',
  project: 'default',
  type: 'release',
  description: 'The basket with a summary',
  stale: false,
  owner: 'Checkout team',
  tags: ['team:checkout'],
  guards: [{ metric: 'errors', direction: 'up', threshold: 0, above: null, turnOff: ['production'] }],
  impressionData: false,
  archived: false,
  archivedAt: null,
  createdAt: '2026-11-21T10:15:00.000Z',
  createdBy: 'ana@example.org',
  source: 'flagmeter',
  provider: null,
  favorite: false,
  lastSeenAt: '2026-11-22T09:00:00.000Z',
  environments: [
    { name: 'development', enabled: true, lastSeenAt: '2026-11-22T09:00:00.000Z' },
    { name: 'production', enabled: false, lastSeenAt: null },
  ],
};
