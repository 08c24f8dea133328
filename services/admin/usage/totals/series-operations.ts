import { compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import { type SeriesQuery, type UsageSeries, seriesQuery, usageSeriesSchema } from './series-schema.ts';
import { readUsageSeries } from './series.ts';
import type { UsageStore } from './store.ts';

/** A page of an admin UI may ask for several charts at the same time. */
const WAITING = { each: 8, all: 64 };

/** Usage of many features in any stored window. */
export function seriesOperations(usage: UsageStore): Operation<SeriesQuery>[] {
  const reads = new ReadsInTurn<UsageSeries>(WAITING);
  return [
    {
      id: 'getUsageSeries',
      scope: 'visible',
      queue: 'none',
      method: 'get',
      tag: 'Usage',
      permission: 'READ',
      path: '/api/admin/metrics/usage',
      summary: 'Evaluations of up to 200 features by hour, day, week or month, in any stored window',
      query: compileQuery<SeriesQuery>(seriesQuery),
      answer: { status: 200, description: 'The usage.', schema: usageSeriesSchema, example: EXAMPLE },
      run: ({ query, caller, visible, left }) =>
        reads.read({ caller, left }, JSON.stringify([query, visible]), () =>
          readUsageSeries(usage, { query, visible }),
        ),
    },
  ];
}

const EXAMPLE: UsageSeries = {
  interval: 'day',
  timezone: 'Europe/Berlin',
  from: '2026-11-19T23:00:00.000Z',
  to: '2026-11-21T23:00:00.000Z',
  starts: ['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z'],
  knownFrom: '2026-08-23T09:00:00.000Z',
  completeUntil: '2026-11-21T10:00:00.000Z',
  isLastComplete: false,
  series: [
    {
      feature: 'new-basket',
      group: null,
      total: { yes: 1622, no: 80, unknown: 0 },
      previous: { yes: 1560, no: 77, unknown: 0 },
      yes: [810, 812],
      no: [39, 41],
      unknown: [0, 0],
    },
  ],
};
