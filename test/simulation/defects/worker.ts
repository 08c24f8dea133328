import type { Defect } from './defect.ts';

const PARTITION = 'services/worker/counts/counts-partition.ts';
const TAKE_OVER = 'services/worker/counts/take-over-counts.ts';
const COMPLETE = 'packages/core/clickhouse/blocks/complete-block.ts';
const BLOCKS = 'packages/core/clickhouse/blocks/blocks.ts';
const INSERT = 'packages/core/clickhouse/blocks/insert-blocks.ts';
const DUPLICATES = 'packages/core/counting/block/duplicates.ts';

/** Rules of the model in test/unit/core/counting/exactly-once-model.test.ts, and past problems of the worker. */
export const DEFECTS_OF_WORKER: readonly Defect[] = [
  {
    name: 'the intent is not written',
    file: PARTITION,
    from: 'if (this.#intent === undefined) await group.commit(this.#from, encodeIntent(intent));',
    to: 'encodeIntent(intent);',
  },
  {
    name: 'the intent is ignored at a take-over',
    file: TAKE_OVER,
    from: 'const start = { partition, generation, from, intent, session, duplicates, series, poison };',
    to: 'const start = { partition, generation, from, intent: undefined, session, duplicates, series, poison };',
  },
  {
    name: 'the INSERT carries no token',
    file: INSERT,
    from: 'insert_deduplication_token: token,',
    to: 'insert_deduplication_token: `${token} ${query_id}`,',
  },
  {
    name: 'the offset is committed before the INSERT',
    file: PARTITION,
    from: 'await traceBlock({ tracing, block, traces }, () => this.#insert(block, group, intent));',
    to: "await group.commit(to, '');\n    await traceBlock({ tracing, block, traces }, () => this.#insert(block, group, intent));",
  },
  {
    name: 'a stale generation may commit',
    file: 'test/simulation/kafka/coordinator.ts',
    from: 'const member = this.#check(membership);\n    this.#prolong(member, SESSION_MS);\n    this.committed',
    to: 'this.#members.get(membership.memberId);\n    this.committed',
  },
  {
    name: 'an INSERT without an answer counts as stored',
    file: PARTITION,
    from: 'this.#session = await (isInDoubt ? blocks.complete(block) : blocks.insert(block, this.#session));',
    to: 'this.#session = await (isInDoubt ? blocks.complete(block) : blocks.insert(block, this.#session)).catch(() => this.#session);',
  },
  {
    name: 'a worker loads the batches of its own block',
    file: BLOCKS,
    from: 'const horizon = { to: from, horizonMs',
    to: 'const horizon = { to: from + 1000n, horizonMs',
  },
  {
    name: 'a worker forgets the batches of the blocks that it stored',
    file: PARTITION,
    from: '    remember();\n',
    to: '    void remember;\n',
  },
  {
    name: 'a worker that takes over does not load the counted batches',
    file: TAKE_OVER,
    from: 'for (const block of history.countedBlocks) duplicates.remember(block);',
    to: '',
  },
  {
    name: 'a worker raises the alarm for a partition that it has lost',
    file: TAKE_OVER,
    from: 'const COMMIT_VISIBLE_MS = 5000;',
    to: 'const COMMIT_VISIBLE_MS = 0;',
  },
  {
    name: 'a block is completed without reading the markers',
    file: COMPLETE,
    from: 'const storedTargets = attempt === 0 ? stored : [...stored, ...unclear, EVIDENCE];',
    to: 'const storedTargets: readonly string[] = attempt === 0 || stored.length < 0 ? [] : unclear.slice(0, 0);',
  },
  {
    name: 'a block is completed only with its own token',
    file: COMPLETE,
    from: 'const TOKENS = 10;',
    to: 'const TOKENS = 1;',
  },
  {
    name: 'variants are not among the targets of a block',
    file: 'packages/core/clickhouse/blocks/markers.ts',
    from: '(variants > 0n ? day : [])',
    to: '(variants > 1_000_000_000n ? day : [])',
  },
  {
    name: 'completions use tokens of their own',
    file: COMPLETE,
    from: '(index === 0 ? own : `${own} again ${index}`)',
    to: '(index === 0 ? own : `${own} again ${index} ${randomUUID()}`)',
  },
  {
    name: 'an INSERT may run in a later life of ClickHouse',
    file: 'packages/core/clickhouse/blocks/insert-session.ts',
    from: 'return { session_id: id, clickhouse_settings };',
    to: 'return { clickhouse_settings };',
  },
  {
    name: 'the session is opened after the intent',
    file: PARTITION,
    from: 'blocks.insert(block, this.#session)',
    to: 'blocks.insert(block)',
  },
  {
    name: 'a lagging replica is read at a take-over',
    file: 'packages/core/clickhouse/client/catch-up.ts',
    from: 'for (const name of await readReplicated(replica, tables)) {',
    to: 'for (const name of (await readReplicated(replica, tables)).slice(0, 0)) {',
  },
  {
    name: 'markers with the messages of later blocks are unclear',
    file: 'packages/core/clickhouse/blocks/markers.ts',
    from: 'if (added >= to - from) stored.push(name);',
    to: 'if (added === to - from) stored.push(name);',
  },
  {
    name: 'the window of duplicates is too short',
    file: DUPLICATES,
    from: 'Math.abs(receivedAt - seen) < this.#windowMs;',
    to: 'Math.abs(receivedAt - seen) < this.#windowMs / 100;',
  },
  {
    name: 'duplicates within one block are counted',
    file: DUPLICATES,
    from: 'if (added.some(batchId, isSame) || this.#known.some(batchId, isSame)) return false;',
    to: 'if (this.#known.some(batchId, isSame)) return false;',
  },
  {
    name: 'dead letters are not kept',
    file: PARTITION,
    from: 'if (block.deadLetters.length > 0) {',
    to: 'if (block.deadLetters.length > 1000) {',
  },
  {
    name: 'a dead letter without an answer counts as kept',
    file: 'services/worker/dead-letter-topic.ts',
    from: "if (result.outcome !== 'stored')",
    to: "if (result.outcome === 'not-stored')",
  },
  {
    name: 'applications are committed before they are registered',
    file: 'services/worker/fleet/applications.ts',
    from: 'const registrations = [...fresh.values()];',
    to: "await group.commit(batch.position, '');\n  const registrations = [...fresh.values()];",
  },
];
