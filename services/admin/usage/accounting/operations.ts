import type { FromSchema } from 'json-schema-to-ts';
import { type AccountingDocument, accountingSchema, documentOf, parseSince } from '#core/accounting';
import { notValid } from '../../denial.ts';
import { compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import type { Stores } from '../../stores.ts';
import { type Throughput, throughputSchema } from './schema.ts';

const NUMBERS = {
  received: 1200,
  counted: 1150,
  refused: 30,
  refusedByReason: { too_old: 30 },
  duplicate: 19,
  dead: 1,
  samples: { received: 40, counted: 38, refused: 1, duplicate: 1 },
  inFlight: 4,
  gaps: 0,
  overlaps: 0,
};

/** Also the wait for a turn. Below what the console waits for an answer, so that it shows which engine is late. */
export const ANSWER_WITHIN_MS = 10_000;
/** Leaves time for slow reads. */
const SETTLE_MS = 6000;

const COMMON = { method: 'get', tag: 'Accounting', permission: 'READ', scope: 'installation' } as const;

const accountingQuery = {
  type: 'object',
  properties: {
    since: {
      type: 'string',
      maxLength: 40,
      description:
        'Only blocks stored since this time, and days (UTC) that began since: a date, a date and time, or a duration back from now such as 90m, 24h or 7d.',
    },
  },
} as const;

type AccountingQuery = FromSchema<typeof accountingQuery>;

const throughputQuery = {
  type: 'object',
  properties: {
    hours: {
      type: 'integer',
      minimum: 1,
      maximum: 24,
      default: 1,
      description: 'Number of hours whose minutes are returned.',
    },
  },
} as const;

type ThroughputQuery = FromSchema<typeof throughputQuery>;

/** The accounting: how many metrics were received, and how many of them were counted or refused. */
export function accountingOperations(accounting: Stores['accounting']): Operation[] {
  return [getAccounting(accounting), getThroughput(accounting)];
}

function getThroughput(accounting: Stores['accounting']): Operation<ThroughputQuery> {
  const reads = new ReadsInTurn<Throughput>();
  return {
    ...COMMON,
    id: 'getThroughput',
    queue: 'none',
    path: '/api/admin/metrics/throughput',
    summary: 'How many metrics were stored in each minute of the last hours',
    query: compileQuery<ThroughputQuery>(throughputQuery),
    answer: {
      status: 200,
      description: 'The minutes; the last one still grows.',
      schema: throughputSchema,
      example: {
        at: '2026-11-21T10:15:20.000Z',
        minutes: [
          {
            start: '2026-11-21T10:15:00.000Z',
            yes: 812,
            no: 41,
            unknown: 0,
            received: 20,
            counted: 19,
            refused: 0,
            duplicate: 1,
            dead: 0,
          },
        ],
      },
    },
    run: ({ query: { hours }, caller, left }) =>
      reads.read({ caller, left }, String(hours), async () => {
        const now = Date.now();
        const minutes = await accounting.readThroughput({ now, minutes: hours * 60 });
        return { at: new Date(now).toISOString(), minutes };
      }),
  };
}

const EXAMPLE = {
  at: '2026-11-21T10:15:00.000Z',
  isBalanced: true,
  since: null,
  total: NUMBERS,
  partitions: [
    {
      topic: 'flagmeter.counts',
      epoch: 1,
      partition: 0,
      blocks: 12,
      from: 0,
      to: 96,
      ...NUMBERS,
      isBalanced: true,
    },
  ],
  days: [
    {
      day: '2026-11-21',
      table: 'usage_daily',
      expected: ['812', '41', '19'],
      stored: ['812', '41', '19'],
      beingStored: ['0', '0', '0'],
      isBalanced: true,
    },
  ],
  deadLetters: {
    dead: 0,
    open: 0,
    replayed: 0,
    dropped: 0,
    received: 0,
    counted: 0,
    refused: 0,
    duplicate: 0,
  },
  imported: { received: 0, counted: 0, refused: 0, refusedByReason: {} },
  sample: null,
  differences: [],
};

function getAccounting(accounting: Stores['accounting']): Operation<AccountingQuery> {
  const reads = new ReadsInTurn<AccountingDocument>();
  return {
    ...COMMON,
    id: 'getAccounting',
    queue: 'none',
    path: '/api/admin/metrics/accounting',
    summary:
      'How many metrics were received, counted, refused and repeated, as flagmeter reconcile reports them',
    query: compileQuery<AccountingQuery>(accountingQuery),
    answer: {
      status: 200,
      description: 'The accounting; the answer includes whether it balances.',
      schema: accountingSchema,
      example: EXAMPLE,
    },
    async run({ query, caller, left }) {
      const since = sinceOf(query);
      const endsAt = performance.now() + ANSWER_WITHIN_MS;
      return reads.read({ caller, left }, query.since ?? '', async () => {
        const withinMs = endsAt - performance.now();
        return documentOf(await accounting.readAgreed({ since, settleMs: SETTLE_MS, withinMs }), since);
      });
    },
  };
}

function sinceOf({ since: text }: AccountingQuery): number | undefined {
  if (text === undefined) return undefined;
  const since = parseSince(text, Date.now());
  if (since !== undefined) return since;
  throw notValid('The query parameters are not valid.', [
    { path: '/since', message: 'must be a time in the past' },
  ]);
}
