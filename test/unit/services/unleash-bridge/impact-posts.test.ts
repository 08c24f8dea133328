import { expect } from 'chai';
import { type Block, DuplicateWindow, buildBlock } from '#core/counting';
import { impactPostsOf } from '../../../../services/unleash-bridge/mirror/posts/impact-posts.ts';
import { RECEIVED_AT, aCounter, aCountsValue, aHistogram } from '../../../support/builders/builders.ts';

const LABELS = { 'new-basket': 'blue', appName: 'checkout' };

describe('the posts of impact metrics', () => {
  it('hold what an SDK has sent', () => {
    const load = aCounter({ name: 'load', type: 'gauge', samples: [{ value: 0.5, labels: LABELS }] });
    const sent = [aCounter(), aHistogram(), load];
    expect(impactPostsOf(blockOf(sent).impact, fail)).to.deep.equal([
      { kind: 'impact', environment: 'production', metrics: sent, samples: 3 },
    ]);
  });

  it('hold the sums of several batches, and the last value of a gauge', () => {
    const gauge = (value: number) => aCounter({ name: 'load', type: 'gauge', samples: [{ value }] });
    const posts = impactPostsOf(blockOf([aCounter(), gauge(9)], [aCounter(), gauge(4)]).impact, fail);
    const samples = posts.flatMap(({ metrics }) => metrics.map((metric) => metric.samples));
    expect(samples).to.deep.equal([
      [{ labels: { 'new-basket': 'blue', appName: 'checkout', environment: 'production' }, value: 34 }],
      [{ labels: {}, value: 4 }],
    ]);
  });

  it('add up buckets with different bounds', () => {
    const wide = { count: 4, sum: 3, buckets: [{ le: 0.5, count: 4 }], labels: LABELS };
    const [post] = impactPostsOf(blockOf([aHistogram()], [aHistogram({ samples: [wide] })]).impact, fail);
    expect(post?.metrics[0]?.samples[0]).to.deep.equal({
      labels: LABELS,
      count: 10,
      sum: 5.25,
      buckets: [
        { le: 0.1, count: 2 },
        { le: 0.5, count: 9 },
        { le: '+Inf', count: 10 },
      ],
    });
  });

  it('explain a metric without an explanation by its name, because Unleash rejects an empty one', () => {
    const [post] = impactPostsOf(blockOf([aCounter({ help: '' })]).impact, fail);
    expect(post?.metrics[0]?.help).to.equal('purchases');
  });

  it('are no longer than Unleash accepts', () => {
    const samples = Array.from({ length: 2000 }, (_, size) => ({
      value: 1,
      labels: { size: `${'x'.repeat(100)}${size}` },
    }));
    const posts = impactPostsOf(blockOf([aCounter({ samples })]).impact, fail);
    const lengths = posts.map(
      ({ metrics }) => JSON.stringify({ applications: [], metrics: [], impactMetrics: metrics }).length,
    );
    expect(Math.max(...lengths)).to.be.below(102_400);
    expect(posts.reduce((sum, post) => sum + post.samples, 0)).to.equal(2000);
  });
});

function fail(): void {
  throw new Error('nothing is left out');
}

/** A block with a message of each body, all with a token of production. */
function blockOf(...bodies: readonly (readonly unknown[])[]): Block {
  const messages = bodies.map((impactMetrics, index) => {
    const parts = { batchId: `batch ${index}`, receivedAt: RECEIVED_AT + index, metrics: [] };
    const value = aCountsValue({ ...parts, impactMetrics, allowedEnvironment: 'production' });
    return { offset: BigInt(index), value, appendedAt: RECEIVED_AT };
  });
  const range = { topic: 'counts', epoch: 1, partition: 0, from: 0n, to: BigInt(messages.length) };
  return buildBlock(range, messages, { duplicates: new DuplicateWindow(45_000) }).block;
}
