import { expect } from 'chai';
import { type Evaluation, knownEvaluationOf, viewOf } from '#core/counting';
import { KnownPoints } from '../../../../../services/ingest/opentelemetry/reading/index.ts';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { metricsBody } from '../../../../support/senders/otlp/otlp-bodies.ts';
import { formOf, optionsOf } from './agreement.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;

const EVALUATION: Evaluation = {
  featureName: 'basket',
  appName: 'shop',
  environment: 'production',
  variant: undefined,
  result: 'enabled',
  reason: 'static',
  errorType: undefined,
  provider: undefined,
  at: 0,
  count: 1,
  place: { pointer: '' },
};

describe('known points of tokens', () => {
  it('are remembered within 16 MiB, the tokens that sent last', () => {
    const known = new KnownPoints();
    const evaluation = knownEvaluationOf(EVALUATION);
    if (evaluation === undefined) throw new Error('it is refused');
    const fill = (tokenId: string): void => {
      const { evaluations } = known.of(tokenId);
      for (let n = 0; n < 3000; n += 1) {
        const view = viewOf(Buffer.from(`${n}`.padEnd(100)));
        evaluations.add(view, { start: 0, length: 100 }, { evaluation, series: undefined });
      }
    };
    for (let token = 0; token < 100; token += 1) fill(`token ${token}`);
    expect(known.of('token 99').evaluations.size).to.equal(3000);
    expect(known.of('token 0').evaluations.size).to.equal(0);
    expect(known.bytes).to.be.within(12 * 1024 * 1024, 16 * 1024 * 1024);
  });

  it('have the result that the reasons of their token decide, also after these have changed', () => {
    for (const encoding of ['protobuf', 'json'] as const) {
      const form = formOf(encoding);
      const attributes = {
        'feature_flag.key': 'basket',
        'feature_flag.result.reason': 'stale',
        variant: 'on',
      };
      const points = [{ time: NOW, int: 1n, attributes }];
      const delta = { kind: 'sum', temporality: 1, isMonotonic: true, points } as const;
      const body = metricsBody([{ metrics: [{ name: 'feature_flag.evaluations', ...delta }] }])[encoding];
      const noOf = (notEnabledReasons?: readonly string[]): number | undefined => {
        const options = optionsOf('*');
        return form
          .readFast?.(Buffer.from(body), { ...options, scope: { ...options.scope, notEnabledReasons } })
          ?.sums.noOf(0);
      };
      expect([noOf(), noOf(['stale']), noOf(['stale']), noOf(['off']), noOf()]).to.deep.equal([
        0, 1, 1, 0, 0,
      ]);
    }
  });
});
