import { type ParameterSchema, compileQuery } from '#base/schema';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import { type Verdicts, verdictsSchema } from './schema.ts';
import {
  APP_THRESHOLDS,
  APP_VERDICTS,
  FEATURE_THRESHOLDS,
  FEATURE_VERDICTS,
  type Threshold,
  type Thresholds,
  type Verdict,
} from './thresholds.ts';
import type { VerdictsStore } from './store.ts';

const THRESHOLDS = { ...FEATURE_THRESHOLDS, ...APP_THRESHOLDS } satisfies Record<keyof Thresholds, Threshold>;
const VERDICTS: readonly Verdict[] = [...FEATURE_VERDICTS, ...APP_VERDICTS];

type VerdictQuery = Thresholds & {
  readonly feature?: string;
  readonly application?: string;
  readonly environment?: string;
  readonly verdict?: Verdict;
  readonly limit: number;
};

/** Verdicts derived from the counts, each with a sentence that explains it. */
export function verdictOperations({
  verdicts,
}: {
  readonly verdicts: VerdictsStore;
}): Operation<VerdictQuery>[] {
  const reads = new ReadsInTurn<Verdicts>();
  return [
    {
      id: 'listVerdicts',
      scope: 'visible',
      queue: 'none',
      method: 'get',
      tag: 'Usage',
      permission: 'READ',
      path: '/api/admin/metrics/verdicts',
      summary: 'Verdicts on features, those with the most evaluations first, and on applications',
      query: compileQuery<VerdictQuery>({
        type: 'object',
        properties: {
          feature: { type: 'string', description: 'Only verdicts on this feature.' },
          application: { type: 'string', description: 'Only verdicts on this application.' },
          environment: { type: 'string', description: 'Only verdicts on this environment.' },
          verdict: { type: 'string', enum: VERDICTS, description: 'Only this verdict.' },
          limit: {
            ...limitParameter,
            description: 'Maximum number of items. If there are more, each verdict has the same share.',
          },
          ...thresholdParameters(),
        },
      }),
      answer: { status: 200, description: 'The verdicts.', schema: verdictsSchema, example: EXAMPLE },
      run: ({ query, caller, visible, left }) =>
        reads.read({ caller, left }, JSON.stringify([query, visible]), () => {
          const { feature, application, environment, verdict, limit, ...thresholds } = query;
          return verdicts.list({ feature, application, environment, verdict, limit, visible }, thresholds);
        }),
    },
  ];
}

const EXAMPLE = {
  totals: [{ verdict: 'always_on', total: 1 }],
  verdicts: [
    {
      featureName: 'new-basket',
      appName: null,
      environment: 'production',
      verdict: 'always_on',
      since: '2026-10-22T00:00:00.000Z',
      evaluations: 81_200,
      value: 81_200,
      threshold: 1000,
      subject: null,
      sentence: 'Each of its 81200 evaluations from 2026-10-22 to 2026-11-20 was enabled.',
    },
  ],
};

function thresholdParameters(): Record<string, ParameterSchema> {
  const parameters = Object.entries(THRESHOLDS).map(
    ([name, { defaultValue, min, max, isWhole, meaning }]): [string, ParameterSchema] => [
      name,
      {
        type: isWhole ? 'integer' : 'number',
        minimum: min,
        maximum: max,
        default: defaultValue,
        description: meaning,
      },
    ],
  );
  return Object.fromEntries(parameters);
}
