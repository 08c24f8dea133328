import { documentOf } from '#books';
import type { FromSchema } from 'json-schema-to-ts';
import { type AccountingDocument, accountingSchema, compileQuery, refusalsSchema } from '#contract';
import { REFUSAL_REASONS, parseSince } from '#domain';
import { HttpProblem } from '#http';
import { limitParameter } from '../limit-parameter.ts';
import type { Operation } from '../operation.ts';
import { ReadsInTurn } from '../reads-in-turn.ts';
import type { Stores } from '../stores.ts';

const COMMON = { method: 'get', tag: 'Accounting', permission: 'READ' } as const;

/** What was received and what became of it. */
export function accountingOperations({ books, refusals }: Pick<Stores, 'books' | 'refusals'>): Operation[] {
  return [getAccounting(books), listRefusals(refusals)];
}

const NUMBERS = {
  received: 1200,
  counted: 1150,
  refused: 30,
  refusedByReason: { too_old: 30 },
  duplicate: 19,
  dead: 1,
  inFlight: 4,
  gaps: 0,
  overlaps: 0,
};

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

function getAccounting(books: Stores['books']): Operation<AccountingQuery> {
  const reads = new ReadsInTurn<AccountingDocument>();
  return {
    ...COMMON,
    id: 'getAccounting',
    path: '/api/admin/metrics/accounting',
    summary: 'What was received and what became of it, as flagmeter reconcile tells it',
    query: compileQuery<AccountingQuery>(accountingQuery),
    answer: {
      status: 200,
      description: 'The accounting; the answer includes whether it balances.',
      schema: accountingSchema,
      example: {
        at: '2026-11-21T10:15:00.000Z',
        isBalanced: true,
        since: null,
        total: NUMBERS,
        partitions: [
          {
            ...{ topic: 'flagmeter.counts', epoch: 1, partition: 0, blocks: 12, from: 0, to: 96 },
            ...NUMBERS,
            isBalanced: true,
          },
        ],
        days: [
          {
            ...{ day: '2026-11-21', table: 'usage_daily' },
            ...{ expected: ['812', '41'], stored: ['812', '41'], isBalanced: true },
          },
        ],
        deadLetters: {
          ...{ dead: 0, open: 0, replayed: 0, dropped: 0 },
          ...{ received: 0, counted: 0, refused: 0, duplicate: 0 },
        },
        differences: [],
      },
    },
    async run({ query }) {
      const since = sinceOf(query);
      return reads.read(query.since ?? '', async () => documentOf(await books.readAgreed({ since }), since));
    },
  };
}

function sinceOf({ since: text }: AccountingQuery): number | undefined {
  if (text === undefined) return undefined;
  const since = parseSince(text, Date.now());
  if (since !== undefined) return since;
  const details = [{ path: '/since', message: 'must be a time in the past' }];
  throw new HttpProblem(400, 'The query parameters are not valid.', { details });
}

const name = (description: string) => ({ type: 'string', maxLength: 255, description }) as const;
// The years that a Date of ClickHouse holds.
const date = (description: string) =>
  ({ type: 'string', format: 'date', pattern: '^(19[789]|20)', description }) as const;

const refusalsQuery = {
  type: 'object',
  properties: {
    reason: { type: 'string', enum: REFUSAL_REASONS, description: 'Only refusals with this reason.' },
    token: name('Only refusals of the token with this id.'),
    app: name('Only refusals of this application.'),
    feature: name('Only refusals of this feature.'),
    environment: name('Only refusals of this environment.'),
    from: date('Only refusals received on this day (UTC) or later.'),
    to: date('Only refusals received on this day (UTC) or earlier.'),
    limit: limitParameter,
  },
} as const;

type RefusalsQuery = FromSchema<typeof refusalsQuery>;

function listRefusals(refusals: Stores['refusals']): Operation<RefusalsQuery> {
  return {
    ...COMMON,
    id: 'listRefusals',
    path: '/api/admin/metrics/refusals',
    summary: 'What was received and not counted, with the reason and a sample: 30 days, newest first',
    query: compileQuery<RefusalsQuery>(refusalsQuery),
    answer: {
      status: 200,
      description: 'The refusals, by day, most frequent first.',
      schema: refusalsSchema,
      example: {
        refusals: [
          {
            ...{ day: '2026-11-21', kind: 'metric', reason: 'too_old' },
            tokenId: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
            ...{ environment: 'production', appName: 'web-shop', featureName: 'new-basket' },
            ...{ count: 12, sample: 'timestamp: 2026-09-01T00:00:00Z' },
          },
        ],
      },
    },
    run: ({ query: { token, app, feature, reason, environment, from, to, limit } }) =>
      refusals.list({
        tokenId: token,
        appName: app,
        featureName: feature,
        reason,
        environment,
        from,
        to,
        limit,
      }),
  };
}
