/** A change of the production code that brings a known defect back, or breaks a rule of the protocol. */
export type Defect = {
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Needs thousands of seeds, or was not found yet: docs/develop/simulation.md. */
  readonly isRare?: boolean;
};

const PARTITION = 'services/worker/counts-partition.ts';
const TAKE_OVER = 'services/worker/take-over-counts.ts';
const COMPLETE = 'packages/clickhouse/blocks/complete-block.ts';
const BLOCKS = 'packages/clickhouse/blocks/blocks.ts';
const INSERT = 'packages/clickhouse/blocks/insert-blocks.ts';
const SENDER = 'services/ingest/publish/partition-sender.ts';
const PUBLISHER = 'services/ingest/publish/publisher.ts';
const REPETITIONS = 'services/ingest/publish/repetitions.ts';
const PRODUCER = 'packages/kafka/producer.ts';
const DUPLICATES = 'packages/counting/block/duplicates.ts';

/** Rules of the model in test/unit/counting/exactly-once-model.test.ts, and problems of docs/develop/past-problems.md. */
export const DEFECTS: readonly Defect[] = [
  {
    name: 'the intent is not written',
    file: PARTITION,
    from: 'if (this.#intent === undefined) await group.commit(this.#from, encodeIntent(intent));',
    to: 'encodeIntent(intent);',
  },
  {
    name: 'the intent is ignored at a take-over',
    file: TAKE_OVER,
    from: 'const start = { partition, generation, from, intent, session, duplicates, poison };',
    to: 'const start = { partition, generation, from, intent: undefined, session, duplicates, poison };',
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
    from: 'const storedTargets = attempt === 0 ? stored : [...stored, ...unclear];',
    to: 'const storedTargets: readonly string[] = attempt === 0 || stored.length < 0 ? [] : unclear.slice(0, 0);',
  },
  {
    name: 'a block is completed only with its own token',
    file: COMPLETE,
    from: 'const TOKENS = 10;',
    to: 'const TOKENS = 1;',
  },
  {
    name: 'completions use tokens of their own',
    isRare: true,
    file: COMPLETE,
    from: '(index === 0 ? own : `${own} again ${index}`)',
    to: '(index === 0 ? own : `${own} again ${index} ${randomUUID()}`)',
  },
  {
    name: 'an INSERT may run in a later life of ClickHouse',
    file: 'packages/clickhouse/blocks/insert-session.ts',
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
    isRare: true,
    file: 'packages/clickhouse/shards/catch-up.ts',
    from: 'for (const name of await readReplicated(replica, tables)) {',
    to: 'for (const name of (await readReplicated(replica, tables)).slice(0, 0)) {',
  },
  {
    name: 'a batch is acknowledged before Kafka has it',
    file: SENDER,
    from: 'this.#queue.push({ value, bytes, since: Date.now(), isInDoubt: false, settle });',
    to: "this.#queue.push({ value, bytes, since: Date.now(), isInDoubt: false, settle });\n      resolve('stored');",
  },
  {
    name: 'a batch in doubt is rejected with 503',
    isRare: true,
    file: SENDER,
    from: "pending.settle(pending.isInDoubt ? 'unknown' : 'not-stored')",
    to: "pending.settle('not-stored')",
  },
  {
    name: 'a later rejection ends the doubt about a batch',
    file: SENDER,
    from: "if (outcome === 'unknown') for (const pending of this.#group) pending.isInDoubt = true;",
    to: "for (const pending of this.#group) pending.isInDoubt = outcome === 'unknown';",
  },
  {
    name: 'the answer of a lost leader counts as a rejection',
    file: PRODUCER,
    from: "  'NOT_ENOUGH_REPLICAS',\n]);",
    to: "  'NOT_ENOUGH_REPLICAS',\n  'NOT_LEADER_FOR_PARTITION',\n]);",
  },
  {
    name: 'a rejection after the append counts as one before it',
    file: PRODUCER,
    from: "  'NOT_ENOUGH_REPLICAS',\n]);",
    to: "  'NOT_ENOUGH_REPLICAS',\n  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',\n]);",
  },
  {
    name: 'a full disk of Kafka counts as a rejection',
    file: PRODUCER,
    from: "  'NOT_ENOUGH_REPLICAS',\n]);",
    to: "  'NOT_ENOUGH_REPLICAS',\n  'KAFKA_STORAGE_ERROR',\n]);",
  },
  {
    name: 'a send without an answer counts as not stored',
    file: PRODUCER,
    from: 'return failure({ isEncoded: group.isEncoded && !REJECTIONS.has(reason) }, reason);',
    to: 'return failure({ isEncoded: false }, reason);',
  },
  {
    name: 'a retry does not join the batch in flight',
    file: REPETITIONS,
    from: 'if (earlier !== undefined) return earlier;',
    to: "if (earlier !== undefined && publication.batchId === '') return earlier;",
  },
  {
    name: 'an open breaker rejects a retry while its first try is in doubt',
    file: PUBLISHER,
    from: 'both.some(({ isOpen }) => isOpen) && both.every(({ bytes }) => bytes === 0)',
    to: 'both.some(({ isOpen }) => isOpen)',
  },
  {
    name: 'a stored batch is forgotten before its relay stops repeating it',
    isRare: true,
    file: REPETITIONS,
    from: "return stored.has(batchId) ? 'stored' : outcome;",
    to: 'return outcome;',
  },
  {
    name: 'an open breaker rejects the retry of a stored batch before it is read',
    isRare: true,
    file: PUBLISHER,
    from: ' || repetitions.mayRepeatStored(sender)',
    to: '',
  },
  {
    name: 'markers with the messages of later blocks are unclear',
    file: 'packages/clickhouse/blocks/markers.ts',
    from: 'if (added >= to - from) stored.push(name);',
    to: 'if (added === to - from) stored.push(name);',
  },
  {
    name: 'a retry may go to another partition',
    file: 'services/ingest/publish/partition-choice.ts',
    from: 'sender === undefined\n        ? bestPartition',
    to: 'sender === undefined || Math.random() < 0.5\n        ? bestPartition',
  },
  {
    name: 'a retry is not recognised',
    file: 'services/ingest/receive-batch.ts',
    from: 'const batchId = batchIdOf(token.id, sender, body);',
    to: 'const batchId = batchIdOf(token.id, undefined, body);',
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
    name: 'a request without an outcome gets 503 when ingest stops',
    isRare: true,
    file: SENDER,
    from: 'for (const pending of this.#group) pending.isInDoubt = true;\n    this.#group = this.#settle',
    to: 'this.#group = this.#settle',
  },
];
