import { expect } from 'chai';
import fc from 'fast-check';
import { BatchNames, DistinctNames, inOneGo, sdkMetricsSchema } from '#core/counting';
import { type FormBatch, type ReadOptions, createBodyForms } from '../../../../services/ingest/body-forms.ts';
import { DEFAULT_NAME_LIMITS } from '../../../support/builders/name-limits.ts';
import { RECEIVED_AT, aggregateOptions } from '../../../support/builders/builders.ts';
import { zooCases } from '../../../support/senders/zoo/cases.ts';
import { PATHS } from '../../../support/senders/zoo/paths.ts';
import { placesOf } from '../../../support/senders/zoo/places.ts';
import { jsonOf } from '../../../support/senders/zoo/values.ts';
import { contentOf } from '../../core/counting/fast-path/both-paths.ts';

import { BODY, SAMPLES, STOP, TOGGLE, sdkTexts } from './sdk-texts.ts';

const form = new Map(createBodyForms()).get(PATHS.sdk);

describe('the fast path for bodies of SDKs', () => {
  it('reads the bodies of SDKs', () => {
    for (const text of [
      BODY,
      BODY.replace(TOGGLE, [1, 2, 3].map((n) => TOGGLE.replace('basket', `${n}`)).join(',')),
      BODY.replace(',"variants":{"blue":410,"red":402}', ''),
      BODY.replace('{"blue":410,"red":402}', '{}'),
      BODY.replace('"yes":812,"no":41', '"no":41,"yes":812'),
      BODY.replace('"blue":410', '"shop":410'),
      `{"bucket":{"toggles":{${TOGGLE}},"stop":${STOP}},"appName":"shop"}`,
      `${BODY.slice(0, -1)},"impactMetrics":${SAMPLES}}`,
    ])
      expect(agreement(Buffer.from(text)), text).to.equal('fast');
    expect(agreement(Buffer.from(BODY), { allowedEnvironment: 'production' })).to.equal('fast');
  });

  it('agrees on any number of toggles', () => {
    for (let count = 1; count < 300; count += 1) {
      const all = Array.from({ length: count }, (_, index) => `"${index}":{"no":1}`);
      agreement(Buffer.from(BODY.replace(TOGGLE, all.join(','))), {}, 1000);
    }
  });

  it('leaves to the general path what may be refused, and names that need escapes', () => {
    for (const text of [
      BODY.replace('21T10:14', '23T10:14'),
      BODY.replaceAll('2026', '2025'),
      BODY.replace('shop', 'Läden'),
      BODY.replace('shop', 's\\"hop'),
      BODY.replace('shop', 'x'.repeat(256)),
      BODY.replace('i-1', 'x'.repeat(256)),
      BODY.replace(TOGGLE, ''),
      BODY.replace(TOGGLE, `${TOGGLE},${TOGGLE}`),
      BODY.replace('new-basket', ''),
      BODY.replace('"toggles"', '"toggle\\u0073":{},"a\\"toggles"'),
      BODY.replace('"toggles"', '"a\\"toggles"').replace('}}}}}', '}}},"toggle\\u0073":{}}}'),
      BODY.replace('}}}}}', '}}},"toggle\\u0073":{"b":{"yes":1}}}}'),
      BODY.replace('"sdkVersion"', '"environment":"ü","sdkVersion"'),
      `{"appName":"shop","bucket":null,"x":{"toggles":{${TOGGLE}}}}`,
      `{"appName":"shop","x":{"toggles":{${TOGGLE}}}}`,
      `{"appName":"shop","bucket":{"x":{"toggles":{${TOGGLE}}}}}`,
      `${BODY.slice(0, -1)},"bucket":null}`,
    ])
      expect(agreement(Buffer.from(text)), text).to.be.oneOf(['general', 'rejected']);
  });

  it('agrees with the general path, whatever the body is: results, refusals and used quota', () => {
    expectAllWays(sdkTexts.map((text) => Buffer.from(text)));
  });

  it('agrees on a body with one changed byte, or of which a part is cut or doubled', () => {
    const bytes = Buffer.from(BODY);
    const at = fc.nat(bytes.length - 1);
    const changed = fc
      .tuple(at, fc.constantFrom(...Buffer.from('",:{}[]01-.eZTa \\\u0000é')))
      .map(([index, byte]) => Buffer.from(bytes).fill(byte, index, index + 1));
    const cut = fc
      .tuple(at, at)
      .map(([from, to]) => Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]));
    expectAllWays(fc.oneof(changed, cut), 1);
  });

  it('agrees on each value in each place of the schema', () => {
    const path = {
      path: PATHS.sdk,
      name: 'sdk',
      sentBy: 'servers',
      places: placesOf({ properties: { ...sdkMetricsSchema.properties } }, () => ({})),
      bodyOf: () => JSON.parse(BODY.replace('new-basket', 'varied').replace('blue', 'varied')) as object,
    } as const;
    const ways = { fast: 0, general: 0, rejected: 0 };
    for (const { body: ofCase } of zooCases([path], RECEIVED_AT, true))
      ways[agreement(Buffer.from(jsonOf(ofCase)))] += 1;
    for (const [way, bodies] of Object.entries(ways)) expect(bodies, way).to.be.greaterThan(20);
  });
});

type Way = 'fast' | 'general' | 'rejected';

/** Many bodies take each way, and none of them is read differently. */
function expectAllWays(bodies: fc.Arbitrary<Buffer>, least = 20): void {
  const ways = { fast: 0, general: 0, rejected: 0 };
  const environments = fc.constantFrom('production', '*');
  fc.assert(
    fc.property(bodies, environments, fc.integer({ min: 1, max: 5 }), (bytes, allowedEnvironment, limit) => {
      ways[agreement(bytes, { allowedEnvironment }, limit)] += 1;
    }),
    { numRuns: 5000 },
  );
  for (const [way, count] of Object.entries(ways)) expect(count, way).to.be.at.least(least);
}

function agreement(
  bytes: Buffer,
  { allowedEnvironment = '*' }: { readonly allowedEnvironment?: string } = {},
  limit = 100,
): Way {
  const [ofFast, ofGeneral] = [namesWithin(limit), namesWithin(limit)];
  const optionsOf = (names: BatchNames): ReadOptions => ({
    ...aggregateOptions({ allowedEnvironment, names }),
    scope: { id: 'token', environment: allowedEnvironment, projects: ['payments'] },
  });
  const fast = form?.readFast?.(bytes, optionsOf(ofFast));
  // The sums are those of the last body.
  const ofFastBody = fast && contents(fast);
  const general = read(bytes, optionsOf(ofGeneral));
  if (fast === undefined) {
    expect(ofFast.savepoint()).to.equal(0);
    return general === undefined ? 'rejected' : 'general';
  }
  expect(ofFastBody).to.deep.equal(general && contents(general));
  expect(ofFast.savepoint()).to.equal(ofGeneral.savepoint());
  return 'fast';
}

function read(bytes: Buffer, options: ReadOptions): FormBatch | undefined {
  try {
    return form && inOneGo(form.read(bytes, options));
  } catch {
    return undefined;
  }
}

function contents(batch: FormBatch): unknown {
  const { hasExactTime, span, seenTokens, impact, reasons, points } = batch;
  return { counts: contentOf(batch), hasExactTime, span, seenTokens, impact, reasons, points };
}

function namesWithin(limit: number): BatchNames {
  const limits = Object.fromEntries(Object.keys(DEFAULT_NAME_LIMITS).map((kind) => [kind, limit]));
  return new DistinctNames({ ...DEFAULT_NAME_LIMITS, ...limits }).of('token', 500_000);
}
