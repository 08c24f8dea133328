import { expect } from 'chai';
import { countsPostsOf } from '../../../../services/unleash-bridge/mirror/posts/counts-posts.ts';
import { RECEIVED_AT, aMetric, aggregateMetrics } from '../../../support/builders/builders.ts';

describe('the posts of counts', () => {
  it('hold whole hours, one row for each feature, application and environment', () => {
    const { sums } = aggregateMetrics([
      aMetric({ yes: 2, no: 1, variants: { blue: 2 } }),
      aMetric({ yes: 3, timestamp: new Date(RECEIVED_AT + 60_000).toISOString(), variants: { red: 3 } }),
    ]);

    expect(countsPostsOf(sums)).to.deep.equal([
      {
        kind: 'counts',
        environment: 'production',
        rows: [
          {
            featureName: 'new-basket',
            appName: 'checkout',
            environment: 'production',
            timestamp: '2026-11-21T10:00:00.000Z',
            yes: 5,
            no: 1,
            variants: { red: 3, blue: 2 },
          },
        ],
      },
    ]);
  });

  it('are one for each environment', () => {
    const { sums } = aggregateMetrics([
      aMetric({ yes: 1 }),
      aMetric({ yes: 1, environment: 'development' }),
      aMetric({ yes: 1, featureName: 'other' }),
    ]);

    expect(countsPostsOf(sums).map(({ environment, rows }) => [environment, rows.length])).to.deep.equal([
      ['production', 2],
      ['development', 1],
    ]);
  });

  it('are split so that no body is longer than 95 kB and no row is lost', () => {
    const metrics = Array.from({ length: 3000 }, (_, index) =>
      aMetric({ yes: 1, featureName: `ü${'"'.repeat(50)}${index}` }),
    );
    const posts = countsPostsOf(aggregateMetrics(metrics).sums);

    const lengths = posts.map(({ rows }) =>
      Buffer.byteLength(JSON.stringify({ applications: [], metrics: rows })),
    );
    expect(Math.max(...lengths)).to.be.at.most(95_000);
    expect(posts.length).to.be.at.most(Math.ceil(lengths.reduce((a, b) => a + b) / 90_000));
    const names = new Set(posts.flatMap(({ rows }) => rows.map(({ featureName }) => featureName)));
    expect(names.size).to.equal(3000);
  });

  it('leave out rows without evaluations, which Unleash drops', () => {
    const leftOut: string[] = [];
    const { sums } = aggregateMetrics([
      aMetric({ yes: 0, no: 0, variants: { blue: 3 } }),
      aMetric({ featureName: 'b', no: 1 }),
    ]);
    const posts = countsPostsOf(sums, (problem) => leftOut.push(problem));

    expect(posts.flatMap(({ rows }) => rows.map(({ featureName }) => featureName))).to.deep.equal(['b']);
    expect(leftOut).to.deep.equal(['no_evaluations']);
  });

  it('leave out evaluations whose result is unknown, which Unleash cannot say', () => {
    const leftOut: string[] = [];
    const { sums } = aggregateMetrics([aMetric({ yes: 0, no: 0 }), aMetric({ featureName: 'b', no: 1 })]);
    for (const row of [0, 1]) {
      sums.select(sums.groupOf(row), sums.featureOf(row));
      sums.addUnknown(1200);
    }
    const posts = countsPostsOf(sums, (problem) => leftOut.push(problem));

    const rows = posts.flatMap((post) => post.rows.map(({ featureName, yes, no }) => [featureName, yes, no]));
    expect(rows).to.deep.equal([['b', 0, 1]]);
    expect(leftOut).to.deep.equal(['unknown_result', 'unknown_result']);
  });

  it('accept names that fit a column of Unleash, and leave out longer ones and NUL', () => {
    const leftOut: string[] = [];
    const { sums } = aggregateMetrics([
      aMetric({ yes: 1, appName: '𝒶'.repeat(127) }),
      aMetric({ yes: 1, environment: 'e'.repeat(100) }),
    ]);
    sums.select(sums.groupId(sums.nameId('a\0b'), sums.nameId('production'), 1), sums.nameId('f'));
    sums.add(1, 1, 0);
    sums.select(sums.groupId(sums.nameId('𝒶'.repeat(256)), sums.nameId('production'), 1), sums.nameId('f'));
    sums.add(1, 1, 0);
    sums.select(sums.groupId(sums.nameId('app'), sums.nameId('e'.repeat(101)), 1), sums.nameId('f'));
    sums.add(1, 1, 0);

    expect(
      countsPostsOf(sums, (problem) => leftOut.push(problem)).flatMap(({ rows }) => rows),
    ).to.have.length(2);
    expect(leftOut).to.deep.equal(['name', 'name', 'name']);
  });

  it('hold as many variants of a row as fit into a body', () => {
    let leftOut = 0;
    const { sums } = aggregateMetrics([aMetric({ yes: 1 })]);
    sums.select(sums.groupId(sums.nameId('app'), sums.nameId('production'), 1), sums.nameId('f'));
    sums.add(1, 1, 0);
    for (let index = 0; index < 1000; index += 1)
      sums.addVariant(sums.nameId(`${index}${'v'.repeat(200)}`), 1);
    const posts = countsPostsOf(sums, () => (leftOut += 1));

    const kept = posts.flatMap(({ rows }) => rows).flatMap(({ variants }) => Object.keys(variants)).length;
    expect(kept).to.be.above(400);
    expect(kept + leftOut).to.equal(1000);
    for (const { rows } of posts)
      expect(Buffer.byteLength(JSON.stringify({ applications: [], metrics: rows }))).to.be.at.most(95_000);
  });
});
