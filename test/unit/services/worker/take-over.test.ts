import { expect } from 'chai';
import { type Block, type Intent, encodeIntent } from '#core/counting';
import { type CommittedOffset, LostPartition } from '#core/kafka';
import { FlagmeterError, Registry, createLog } from '#base/runtime';
import { createWorkerMetrics } from '../../../../services/worker/metrics.ts';
import {
  type TakeOverOptions,
  findProblem,
  takeOver,
} from '../../../../services/worker/counts/take-over-counts.ts';
import { aFetchedBatch } from './fetched-batch.ts';

type History = Awaited<ReturnType<TakeOverOptions['blocks']['readHistory']>>;

const NOTHING: History = { storedTo: 0n, countedBlocks: [], deadBlocks: [], series: [] };
const AT_2: CommittedOffset = { offset: 2n, metadata: '' };

describe('taking over a partition', () => {
  it('begins at the start of the log if nothing was ever committed', async () => {
    const { effects, consume } = aTakeOver({ committed: [undefined], history: NOTHING });
    await consume(['a']);

    expect(effects).to.deep.equal([
      'read history of counts/0, epoch 3, to 0, window 45000',
      'insert 0-1 in opened',
    ]);
  });

  it('counts in the latest epoch, even if the topic was created again after the worker started', async () => {
    const { effects, consume } = aTakeOver({ committed: [undefined], history: NOTHING, epoch: 4 });
    await consume(['a']);

    expect(effects[0]).to.equal('read history of counts/0, epoch 4, to 0, window 45000');
  });

  it('begins at the committed offset, and reads the earlier blocks', async () => {
    const { effects, consume } = aTakeOver({ committed: [AT_2], history: { ...NOTHING, storedTo: 2n } });
    await consume(['a', 'b', 'c']);

    expect(effects).to.deep.equal([
      'read history of counts/0, epoch 3, to 2, window 45000',
      'insert 2-3 in opened',
    ]);
  });

  it('goes on behind messages that were deleted, if an operator accepts the loss', async () => {
    const history = { ...NOTHING, storedTo: 1n };
    const { effects, consume } = aTakeOver({ committed: [AT_2], history, logStart: 2n });
    await consume(['a', 'b', 'c']);

    expect(effects.slice(1)).to.deep.equal(['insert 2-3 in opened']);
  });

  it('completes the block of the intent that it finds', async () => {
    const metadata = encodeIntent({ to: 1n, at: Date.now() });
    const { effects, consume } = aTakeOver({ committed: [{ offset: 0n, metadata }], history: NOTHING });
    await consume(['a', 'b']);

    expect(effects.slice(1)).to.deep.equal(['complete 0-1', 'insert 1-2 in completed']);
  });

  it('knows the batches of earlier blocks', async () => {
    const at = Date.now();
    const countedBlocks = [{ messages: 1, appendedTo: at, batches: [{ batchId: 'a', receivedAt: at }] }];
    const { stored, consume } = aTakeOver({ committed: [undefined], history: { ...NOTHING, countedBlocks } });
    await consume(['a', 'b']);

    expect(stored.map(({ tally }) => [tally.counted, tally.duplicate])).to.deep.equal([[1, 1]]);
  });

  it('knows the number of undecodable messages in earlier blocks', async () => {
    const deadBlocks = [{ from: 0n, to: 2n, dead: 2 }];
    const options = { committed: [AT_2], history: { ...NOTHING, storedTo: 2n, deadBlocks } };
    const { effects, consume } = aTakeOver({ ...options, maxDeadLetters: 2 });

    expect(await failureOf(consume(['a', 'b', 'c'], 0, 'not a message'))).to.include({ code: 'poison' });
    expect(effects).to.have.length(1);
  });

  it('stops at metadata of another writer, before it reads anything', async () => {
    const { effects, consume } = aTakeOver({
      committed: [{ offset: 0n, metadata: 'somebody else' }],
      history: NOTHING,
    });

    expect(await failureOf(consume(['a']))).to.include({ code: 'intent' });
    expect(effects).to.deep.equal([]);
  });

  it('yields to another worker if the committed offset moves while the stored blocks contradict it', async () => {
    const history = { ...NOTHING, storedTo: 3n };
    const committed = [AT_2, { ...AT_2 }, { ...AT_2, offset: 3n }];
    const { effects, consume, unread } = aTakeOver({ committed, history });

    expect(await failureOf(consume(['a']))).to.be.instanceOf(LostPartition);
    expect(unread()).to.deep.equal([]);
    expect(effects).to.have.length(1);
  });
});

describe('the problem that stops a worker', () => {
  const intent = { to: 9n, at: 0 };
  const SITUATIONS: readonly (readonly [title: string, situation: Stored, code: string | undefined])[] = [
    ['none if nothing is missing', { committed: 5n, storedTo: 5n, logStart: 0n }, undefined],
    ['none if an operator accepts a loss', { committed: 5n, storedTo: 2n, logStart: 5n }, undefined],
    ['none if that loss is at the start', { committed: 5n, storedTo: 0n, logStart: 5n }, undefined],
    ['none after the next intent', { committed: 5n, storedTo: 2n, logStart: 5n, intent }, undefined],
    ['messages that are still in the log', { committed: 5n, storedTo: 2n, logStart: 4n }, 'discontinuity'],
    ['these, at the start', { committed: 5n, storedTo: 0n, logStart: 0n }, 'discontinuity'],
    ['these, after an intent', { committed: 5n, storedTo: 2n, logStart: 4n, intent }, 'discontinuity'],
    ['blocks beyond the offset', { committed: 5n, storedTo: 6n, logStart: 5n }, 'discontinuity'],
    ['a loss that nobody accepted', { committed: undefined, storedTo: 2n, logStart: 5n }, 'log-gap'],
    ['such a loss at the start', { committed: undefined, storedTo: 0n, logStart: 5n }, 'log-gap'],
  ];
  for (const [title, { committed, storedTo, logStart, intent: intended }, code] of SITUATIONS)
    it(`is ${title}`, async () => {
      const position = { committed: committed ?? logStart, storedTo, intent: intended };
      const problem = await findProblem(position, committed !== undefined, () => Promise.resolve(logStart));

      expect(problem?.code).to.equal(code);
    });
});

type Stored = {
  readonly committed: bigint | undefined;
  readonly storedTo: bigint;
  readonly logStart: bigint;
  readonly intent?: Intent;
};

async function failureOf(outcome: Promise<void>): Promise<unknown> {
  const error = await outcome.catch((thrown: unknown) => thrown);
  return error instanceof FlagmeterError ? { code: error.code } : error;
}

type Situation = {
  /** The committed offsets, one for each reading. */
  readonly committed: readonly (CommittedOffset | undefined)[];
  readonly history: History;
  readonly maxDeadLetters?: number;
  /** The epoch as the worker takes over; it began with 3. */
  readonly epoch?: number;
  /** The first message that Kafka still has. */
  readonly logStart?: bigint;
};

/** A partition to take over, the results of its reads, and the blocks that it stores of the batches fetched then. */
function aTakeOver({ committed, history, maxDeadLetters = 10, epoch = 3, logStart = 0n }: Situation) {
  const effects: string[] = [];
  const stored: Block[] = [];
  const left = [...committed];
  let latest = committed.at(-1);
  const options: TakeOverOptions = {
    topic: 'counts',
    epoch: 3,
    blocks: {
      readEpoch: () => Promise.resolve(epoch),
      readHistory: ({ topic, partition, epoch: read }, from, windowMs) => {
        effects.push(`read history of ${topic}/${partition}, epoch ${read}, to ${from}, window ${windowMs}`);
        return Promise.resolve(history);
      },
      openSession: () => Promise.resolve('opened'),
      insert: (block, session) => {
        stored.push(block);
        effects.push(`insert ${block.range.from}-${block.range.to} in ${session}`);
        return Promise.resolve(session);
      },
      complete: ({ range }) => {
        effects.push(`complete ${range.from}-${range.to}`);
        return Promise.resolve('completed');
      },
      readWindowUsed: () => Promise.resolve(0),
    },
    committedOffsets: {
      read: () => {
        latest = left.shift() ?? latest;
        return Promise.resolve(latest);
      },
      readLogStart: () => Promise.resolve(logStart),
    },
    deadLetters: { keep: () => Promise.resolve() },
    duplicateWindowMs: 45_000,
    maxDeadLetters,
    metrics: createWorkerMetrics(new Registry()),
    log: createLog('test', 'fatal'),
  };
  /** Takes over, and stores the messages fetched from an offset on. The last message may be another one. */
  const consume = async (batchIds: readonly string[], from = 0, last?: string): Promise<void> => {
    const batch = aFetchedBatch(batchIds, { from, commit: () => Promise.resolve() });
    const messages = batch.messages.map((message, index) =>
      last !== undefined && index === batch.messages.length - 1
        ? { ...message, value: Buffer.from(last) }
        : message,
    );
    const partition = await takeOver(options, batch);
    await partition.consume({ ...batch, messages });
  };
  return { effects, stored, consume, unread: () => left };
}
