import { expect } from 'chai';
import { type FetchedBatch, LostPartition } from '#core/kafka';
import { Registry } from '#base/runtime';
import { createUnleash } from '#unleash/client';
import { createMirrorMetrics } from '../../../../services/unleash-bridge/mirror/metrics.ts';
import type { MirrorPartition } from '../../../../services/unleash-bridge/mirror/mirrored-partition.ts';
import { takeOver } from '../../../../services/unleash-bridge/mirror/take-over-mirror.ts';
import { TokenGrace } from '../../../../services/unleash-bridge/mirror/token-grace.ts';
import { VariantTotals } from '../../../../services/unleash-bridge/mirror/posts/variant-totals.ts';
import {
  type Message,
  RECEIVED_AT,
  aFetchedBatch,
  aMessage,
} from '../../../support/builders/fetched-batches.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { UnleashSums } from '../../../support/servers/upstream/unleash-sums.ts';
import { type Upstream, startUpstream } from '../../../support/servers/upstream/upstream.ts';

describe('a partition of the mirror', () => {
  let upstream: Upstream;
  let sums: UnleashSums;
  let commits: string[];
  beforeEach(async () => {
    sums = new UnleashSums();
    commits = [];
    upstream = await startUpstream(sums.take);
  });
  afterEach(() => upstream.close());

  it('commits which post may be in flight before it posts, and the end after the last post', async () => {
    const { partition } = aPartition();
    await partition.consume(fetched([aMessage('a', 'production'), aMessage('b', 'development')]));

    expect(sums.yes).to.equal(2);
    expect(upstream.requests.map(({ headers }) => headers.authorization)).to.deep.equal(['p', 'd']);
    expect(commits).to.deep.equal([
      '0 flagmeter-mirror:1:0:2:0:sent',
      '0 flagmeter-mirror:1:0:2:1:sent',
      '0 flagmeter-mirror:1:2',
    ]);
  });

  it('continues after the posts that a predecessor finished', async () => {
    const { partition } = aPartition({ committed: '0 flagmeter-mirror:1:0:2:1:unsent' });
    await partition.consume(fetched([aMessage('a', 'production'), aMessage('b', 'development')]));

    expect(sums.toObject()).to.deep.equal({
      'development checkout new-basket 2026-11-21T10:00:00.000Z yes': 1,
    });
  });

  it('repeats a post of unknown outcome, and counts it as unanswered', async () => {
    const { partition, evaluations } = aPartition({ committed: '0 flagmeter-mirror:1:0:1:0:sent' });
    await partition.consume(fetched([aMessage('a')]));

    expect(sums.yes).to.equal(1);
    expect(await evaluations()).to.deep.equal({ accepted: 1, rejected: 0, lost: 0, unanswered: 1 });
  });

  it('drops such a post if configured to', async () => {
    const { partition, evaluations } = aPartition({
      committed: '0 flagmeter-mirror:1:0:1:0:sent',
      unanswered: 'lose',
    });
    await partition.consume(fetched([aMessage('a'), aMessage('b')]));

    expect(sums.yes).to.equal(1);
    expect(await evaluations()).to.deep.equal({ accepted: 1, rejected: 0, lost: 1, unanswered: 1 });
  });

  it('drops a post without an answer if configured to, but still repeats one that Unleash did not accept', async () => {
    const { partition, evaluations } = aPartition({ unanswered: 'lose' });
    let asked = 0;
    upstream.respond = (request, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(503).end();
      else if (asked === 2) sums.take(request, response);
      else response.socket?.destroy();
    };
    await partition.consume(fetched([aMessage('a'), aMessage('b', 'development')]));

    expect(asked).to.equal(3);
    expect(await evaluations()).to.deep.equal({ accepted: 1, rejected: 0, lost: 1, unanswered: 1 });
    expect(commits.slice(0, 3)).to.deep.equal([
      '0 flagmeter-mirror:1:0:2:0:sent',
      '0 flagmeter-mirror:1:0:2:0:unsent',
      '0 flagmeter-mirror:1:0:2:0:sent',
    ]);
  });

  it('does not repeat a post that Unleash rejects, and logs it once', async () => {
    const { partition, evaluations, lines } = aPartition();
    upstream.respond = (_request, response) => {
      response.writeHead(413).end();
    };
    await partition.consume(fetched([aMessage('a')]));
    await partition.consume(fetched([aMessage('b')], 1));

    expect(upstream.requests).to.have.length(2);
    expect(await evaluations()).to.deep.equal({ accepted: 0, rejected: 2, lost: 0, unanswered: 0 });
    expect(lines().filter(({ status }) => status === 413)).to.have.length(1);
  });

  it('posts nothing of an environment that has no token', async () => {
    const { partition, leftOut } = aPartition();
    await partition.consume(fetched([aMessage('a', 'staging')]));

    expect(upstream.requests).to.deep.equal([]);
    expect(await leftOut()).to.deep.equal({ no_token: 1 });
    expect(commits).to.deep.equal(['0 flagmeter-mirror:1:1']);
  });

  it('sends the other environments, and leaves out the one whose token Unleash rejects for too long', async () => {
    const { partition, leftOut, lines } = aPartition({ tokenGraceMs: 0 });
    upstream.respond = (request, response) => {
      if (request.headers.authorization === 'p') response.writeHead(401).end();
      else sums.take(request, response);
    };
    await partition.consume(fetched([aMessage('a'), aMessage('b', 'development')]));
    await partition.consume(fetched([aMessage('c'), aMessage('d', 'development')], 2));

    expect(sums.yes).to.equal(2);
    expect(await leftOut()).to.deep.equal({ token: 2 });
    expect(commits.at(-1)).to.equal('0 flagmeter-mirror:1:4');
    expect(lines().filter(({ environment }) => environment === 'production')).to.have.length(1);
  });

  it('sends an environment again when Unleash accepts its token again', async () => {
    const { partition, leftOut } = aPartition({ tokenGraceMs: 0 });
    upstream.respond = (_request, response) => {
      response.writeHead(403).end();
    };
    await partition.consume(fetched([aMessage('a')]));
    upstream.respond = sums.take;
    await partition.consume(fetched([aMessage('b')], 1));

    expect(sums.yes).to.equal(1);
    expect(await leftOut()).to.deep.equal({ token: 1 });
  });

  const waitedFor = [
    { status: 401, tokenGraceMs: 300_000, title: 'a token that Unleash has just rejected' },
    { status: 404, tokenGraceMs: 0, title: 'an address that Unleash does not have' },
  ];
  for (const { status, tokenGraceMs, title } of waitedFor)
    it(`leaves nothing out because of ${title}`, async () => {
      const { partition, leftOut, stop } = aPartition({ tokenGraceMs });
      upstream.respond = (_request, response) => {
        stop();
        response.writeHead(status).end();
      };
      const outcome = await partition.consume(fetched([aMessage('a')])).catch((error: unknown) => error);

      expect(outcome).to.be.instanceOf(LostPartition);
      expect(await leftOut()).to.deep.equal({});
      expect(commits.at(-1)).to.equal('0 flagmeter-mirror:1:0:1:0:unsent');
    });

  it('posts a batch once, even if a predecessor has posted it', async () => {
    const { partition } = aPartition({ committed: '0 flagmeter-mirror:1:2' });
    await partition.consume(fetched([aMessage('a'), aMessage('b')]));
    expect(commits).to.deep.equal([]);
    await partition.consume(fetched([aMessage('b'), aMessage('c'), aMessage('c')], 2));

    expect(sums.yes).to.equal(1);
    expect(commits.at(-1)).to.equal('0 flagmeter-mirror:1:5');
  });

  it('lets a successor read again only the ranges whose batch ids may still matter', async () => {
    const { partition } = aPartition();
    const messages = Array.from({ length: 36 }, (_, i) =>
      aMessage(`batch-${i}`, 'production', RECEIVED_AT + i * 5000),
    );
    for (const [index, message] of messages.entries()) await partition.consume(fetched([message], index));

    expect(commits.at(-1)).to.equal(`${35 - 165 / 5} flagmeter-mirror:1:36`);
  });

  it('posts a message once that ingest sent again to a leader whose clock is 46 s behind', async () => {
    const { partition } = aPartition();
    await partition.consume(fetched([aMessage('a')]));
    await partition.consume(fetched([{ ...aMessage('a'), appendedAt: RECEIVED_AT - 46_000 }], 1));

    expect(sums.yes).to.equal(1);
  });

  it('continues after messages that Kafka has deleted, and counts them', async () => {
    const { partition, skipped } = aPartition({ committed: '3 flagmeter-mirror:1:5:9:2:sent' });
    await partition.consume(fetched([aMessage('a')], 8));

    expect(sums.yes).to.equal(1);
    expect(await skipped()).to.equal(3);
  });

  it('starts from the beginning in a recreated topic', async () => {
    const { partition } = aPartition({ committed: '30 flagmeter-mirror:1:50' });
    await partition.consume(fetched([aMessage('a')]));

    expect(sums.yes).to.equal(1);
    expect(commits.at(-1)).to.equal('0 flagmeter-mirror:1:1');
  });

  it('leaves the post to a successor if it must stop while Unleash is down', async () => {
    const { partition, stop } = aPartition();
    upstream.respond = (_request, response) => {
      stop();
      response.writeHead(503).end();
    };
    const outcome = await partition.consume(fetched([aMessage('a')])).catch((error: unknown) => error);

    expect(outcome).to.be.instanceOf(LostPartition);
    expect(commits.at(-1)).to.equal('0 flagmeter-mirror:1:0:1:0:unsent');
  });

  it('ends a post without an answer if it must stop, and leaves it to a successor', async () => {
    const { partition, evaluations, stop, endPosts } = aPartition();
    upstream.respond = () => {
      stop();
      endPosts();
    };
    const outcome = await partition.consume(fetched([aMessage('a')])).catch((error: unknown) => error);

    expect(outcome).to.be.instanceOf(LostPartition);
    expect(await evaluations()).to.include({ accepted: 0, unanswered: 1 });
    expect(commits.at(-1)).to.equal('0 flagmeter-mirror:1:0:1:0:unsent');
  });

  type Situation = { committed?: string; unanswered?: 'repeat' | 'lose'; tokenGraceMs?: number };

  function aPartition({ committed, unanswered = 'repeat', tokenGraceMs = 300_000 }: Situation = {}) {
    const registry = new Registry();
    const { log, lines } = collectLog();
    const stopping = new AbortController();
    const endingPosts = new AbortController();
    const delivery = {
      unleash: createUnleash({ url: upstream.url }),
      secrets: new Map([
        ['production', 'p'],
        ['development', 'd'],
      ]),
      unanswered,
      metrics: createMirrorMetrics(registry, { topics: [], environments: [] }),
      log,
      warned: new Map<string, number>(),
      tokenGrace: new TokenGrace(tokenGraceMs),
      signal: stopping.signal,
      postSignal: endingPosts.signal,
    };
    const [offset = '0', metadata = ''] = committed?.split(' ') ?? [];
    const stored = committed === undefined ? undefined : { offset: BigInt(offset), metadata };
    const committedOffsets = { read: () => Promise.resolve(stored) };
    const options = { topic: 'counts', duplicateWindowMs: 45_000, delivery, totals: new VariantTotals() };
    let partition: MirrorPartition | undefined;
    const valuesOf = async (name: string, label: string): Promise<Record<string, number>> => {
      const found = (await registry.getMetricsAsJSON()).find((metric) => metric.name === name);
      return Object.fromEntries(
        found?.values.map(({ labels, value }) => [String(labels[label]), value]) ?? [],
      );
    };
    return {
      partition: {
        async consume(batch: FetchedBatch) {
          partition ??= await takeOver({ ...options, committedOffsets }, batch);
          await partition.consume(batch);
        },
      },
      lines,
      stop: () => {
        stopping.abort();
      },
      endPosts: () => {
        endingPosts.abort();
      },
      evaluations: () => valuesOf('flagmeter_mirror_evaluations_total', 'outcome'),
      leftOut: () => valuesOf('flagmeter_mirror_left_out_total', 'reason'),
      skipped: async () => (await valuesOf('flagmeter_mirror_skipped_messages_total', 'topic'))['counts'],
    };
  }

  const fetched = (messages: readonly Message[], from = 0): FetchedBatch =>
    aFetchedBatch(messages, {
      from,
      onCommit(offset, metadata) {
        commits.push(`${offset} ${metadata}`);
      },
    });
});
