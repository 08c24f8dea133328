import { expect } from 'chai';
import { batchOfSdkMetrics } from '#core/counting';
import { createSender } from '../../../../packages/tooling/traffic/load/bodies/body.ts';
import { createKeys } from '../../../../packages/tooling/traffic/load/bodies/keys.ts';
import { SdkBody } from '../../../../packages/tooling/traffic/load/bodies/sdk-body.ts';

const startedAt = new Date('2026-11-21T10:20:30Z');

function createBody(rows: number): SdkBody {
  const space = { features: 40, apps: 3, environments: ['production'], skew: 1, seed: 7 };
  const url = new URL('http://127.0.0.1:4242/api/client/metrics');
  return new SdkBody({ url, token: '*:*.secret', keys: createKeys(space, rows)(), startedAt, seed: 7 });
}

function bodyOf(bytes: Buffer): unknown {
  const text = bytes.toString();
  return JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
}

describe('SdkBody', () => {
  for (const rows of [1, 10, 30])
    it(`is a bucket of an SDK with the sums that it states, made of ${rows} keys`, () => {
      const body = createBody(rows);
      const sender = createSender();
      const stated = body.fill(123_456_789, sender);
      const read = batchOfSdkMetrics(bodyOf(body.bytes), { environment: 'production', projects: ['*'] });
      if ('problems' in read) throw new Error(JSON.stringify(read.problems));
      const { applications, metrics } = read.batch;
      expect(applications.map(({ instanceId }) => instanceId)).to.deep.equal([sender.toString()]);
      expect(read.hasExactTime).to.equal(true);
      expect(new Set(metrics.map(({ timestamp }) => timestamp))).to.deep.equal(
        new Set(['2026-11-21T10:20:30.123456789Z']),
      );
      const sumOf = (read: (metric: (typeof metrics)[number]) => number) =>
        metrics.reduce((sum, metric) => sum + read(metric), 0);
      expect(stated).to.deep.equal({
        rows: metrics.length,
        yes: sumOf(({ yes }) => yes ?? 0),
        no: sumOf(({ no }) => no ?? 0),
        variants: sumOf(({ variants }) =>
          Object.values(variants ?? {}).reduce<number>((sum, count) => sum + (count ?? 0), 0),
        ),
      });
    });

  it('differs with each number, even of the same sender', () => {
    const body = createBody(10);
    const sender = createSender();
    const texts = Array.from({ length: 500 }, (_, sequence) => {
      body.fill(sequence, sender);
      return body.bytes.toString();
    });
    expect(new Set(texts).size).to.equal(500);
  });
});
