import type { Postgres } from '#base/postgres';
import { type ParameterSchema, compileGuard, compileQuery } from '#base/schema';
import { notValid } from '../../denial.ts';
import { type AdminRequest, type Operation, idParameter, withBody } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import {
  type NewAcknowledgement,
  type RecordedVerdict,
  newAcknowledgementSchema,
  recordedVerdictSchema,
  recordedVerdictsSchema,
} from './recorded-schema.ts';
import { acknowledge } from './store/acknowledge.ts';
import { RECORDED_STATES, type RecordedFilter, listRecorded } from './store/list-recorded.ts';
import { ALL_VERDICTS } from './thresholds.ts';

const EXAMPLE: RecordedVerdict = {
  id: 12,
  subjectType: 'feature',
  subject: 'new-basket',
  project: 'shop',
  environment: 'production',
  verdict: 'always_on',
  sentence: 'Each of its 81200 evaluations from 2026-10-22 to 2026-11-20 was enabled.',
  since: '2026-10-22T00:00:00.000Z',
  appearedAt: '2026-11-21T10:15:00.000Z',
  endedAt: null,
  acknowledgement: {
    reason: 'It stays until the campaign ends.',
    until: '2027-01-08T00:00:00.000Z',
    by: 'ana',
    at: '2026-11-22T10:15:00.000Z',
  },
};

const PATH = '/api/admin/verdicts';
const ONE = { description: 'The verdict.', schema: recordedVerdictSchema, example: EXAMPLE } as const;

/** When verdicts appeared and ended, and who has acknowledged them. */
export function recordedVerdictOperations({ db, lists }: AdminPools): Operation<RecordedFilter>[] {
  return [
    {
      id: 'listRecordedVerdicts',
      scope: 'visible',
      queue: 'lists',
      method: 'get',
      path: PATH,
      tag: 'Usage',
      permission: 'READ',
      summary:
        'Verdicts with the time when they appeared and ended and with their acknowledgement, newest first',
      query: compileQuery<RecordedFilter>({
        type: 'object',
        properties: {
          state: text('open, acknowledged or ended.', RECORDED_STATES),
          verdict: text('Only this verdict.', ALL_VERDICTS),
          feature: { type: 'string', description: 'Only verdicts on this feature.' },
          limit: limitParameter,
        },
      }),
      answer: {
        status: 200,
        description: 'The verdicts.',
        schema: recordedVerdictsSchema,
        example: { total: 1, verdicts: [EXAMPLE] },
      },
      run: ({ query, visible }) => listRecorded(lists, query, visible),
    },
    ...acknowledgeOperations(db),
  ];
}

function acknowledgeOperations(db: Postgres): Operation<RecordedFilter>[] {
  const common = {
    tag: 'Usage',
    permission: 'UPDATE_FEATURE',
    scope: { project: 'verdict' },
    path: `${PATH}/{verdictId}/acknowledgement`,
  } as const;
  return [
    {
      ...common,
      id: 'acknowledgeVerdict',
      method: 'put',
      summary: 'Tell nobody of a verdict until a time, or for ever',
      body: {
        schema: newAcknowledgementSchema,
        example: { reason: 'It stays until the campaign ends.', until: '2027-01-08T00:00:00.000Z' },
      },
      answer: { status: 200, ...ONE },
      problems: [404],
      run: withBody(compileGuard<NewAcknowledgement>(newAcknowledgementSchema), async (request, body) => {
        const until = typeof body.until === 'string' ? new Date(body.until) : undefined;
        if (until !== undefined && until.getTime() <= Date.now())
          throw notValid('until must be in the future.');
        const acknowledgement = { reason: body.reason, until };
        return acknowledge(db, idOf(request), { acknowledgement, caller: request.caller });
      }),
    },
    {
      ...common,
      id: 'removeVerdictAcknowledgement',
      method: 'delete',
      summary: 'Tell people of a verdict again',
      answer: { status: 200, ...ONE },
      problems: [404],
      run: (request) =>
        acknowledge(db, idOf(request), { acknowledgement: undefined, caller: request.caller }),
    },
  ];
}

function idOf(request: AdminRequest): number {
  return idParameter(request, 'verdictId');
}

function text(description: string, values: readonly string[]): ParameterSchema {
  return { type: 'string', enum: values, description };
}
