import type { Defect } from './defect.ts';

const SENDER = 'services/ingest/publish/partition-sender.ts';
const PUBLISHER = 'services/ingest/publish/publisher.ts';
const REPETITIONS = 'services/ingest/publish/repetitions.ts';
const PRODUCER = 'packages/core/kafka/producing/producer.ts';

/** Rules about acknowledging and repeating batches. */
export const DEFECTS_OF_INGEST: readonly Defect[] = [
  {
    name: 'a batch is acknowledged before Kafka has it',
    file: SENDER,
    from: 'this.#queue.push({ value, bytes, since, waitsUntil: since + longestWaitMs, isInDoubt: false, settle });',
    to: "this.#queue.push({ value, bytes, since, waitsUntil: since + longestWaitMs, isInDoubt: false, settle });\n      resolve('stored');",
  },
  {
    name: 'a batch in doubt is rejected with 503',
    file: 'services/ingest/publish/pending.ts',
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
    from: "  'NOT_ENOUGH_REPLICAS',\n",
    to: "  'NOT_ENOUGH_REPLICAS',\n  'NOT_LEADER_FOR_PARTITION',\n",
  },
  {
    name: 'a rejection after the append counts as one before it',
    file: PRODUCER,
    from: "  'NOT_ENOUGH_REPLICAS',\n",
    to: "  'NOT_ENOUGH_REPLICAS',\n  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',\n",
  },
  {
    name: 'a full disk of Kafka counts as a rejection',
    file: PRODUCER,
    from: "  'NOT_ENOUGH_REPLICAS',\n",
    to: "  'NOT_ENOUGH_REPLICAS',\n  'KAFKA_STORAGE_ERROR',\n",
  },
  {
    name: 'a send without an answer counts as not stored',
    file: PRODUCER,
    from: 'return failure({ isEncoded: group.isEncoded && !isRejected }, reason);',
    to: 'return failure({ isEncoded: false }, reason);',
  },
  {
    name: 'a throttled batch without an answer counts as not stored',
    file: SENDER,
    from: 'if (!this.#group.some(({ isInDoubt }) => isInDoubt)) this.#queue.unshift(...this.#group.splice(0));',
    to: 'for (const pending of this.#group) pending.isInDoubt = false;\n    this.#queue.unshift(...this.#group.splice(0));',
  },
  {
    name: 'a retry does not join the batch in flight',
    file: REPETITIONS,
    from: 'if (earlier !== undefined) return earlier.outcome;',
    to: "if (earlier !== undefined && publication.batchId === '') return earlier.outcome;",
  },
  {
    name: 'an open breaker rejects a retry while its first try is in doubt',
    file: REPETITIONS,
    from: 'for (const batch of inFlight.values()) if (batch.sender === sender) return true;',
    to: '',
  },
  {
    name: 'a stored batch is forgotten before its relay stops repeating it',
    file: REPETITIONS,
    from: "return stored.has(batchId) ? 'stored' : outcome;",
    to: 'return outcome;',
  },
  {
    name: 'an open breaker rejects the retry of a stored batch before it is read',
    file: REPETITIONS,
    from: 'if (stored.hasSender(sender)) return true;',
    to: '',
  },
  {
    name: 'a retry may go to another partition',
    file: 'services/ingest/publish/partition-choice.ts',
    from: 'sender === undefined\n        ? bestPartition',
    to: 'sender === undefined || Math.random() < 0.5\n        ? bestPartition',
  },
  {
    name: 'a retry is not recognised',
    file: 'services/ingest/bodies/prepare-publication.ts',
    from: 'const batchId = batchIdOf(token.id, sender, body);',
    to: 'const batchId = batchIdOf(token.id, undefined, body);',
  },
  {
    name: 'the counts of a batch are published before its applications',
    file: PUBLISHER,
    from: 'if (applications !== undefined) {',
    to: 'if (applications !== undefined && counts !== undefined) {\n      const first = await choosePartition(partitionSenders.counts, sender).submit(counts);\n      if (first !== "stored") return first;\n      return choosePartition(partitionSenders.applications, sender).submit(applications);\n    }\n    if (applications !== undefined) {',
  },
  {
    name: 'a token that cannot be verified gets 503 while its batch is in doubt',
    file: 'services/ingest/routes.ts',
    from: 'if (!isUnavailable(error) || !mayRepeat(ctx, receiving)) throw error;',
    to: "if (!isUnavailable(error) || !mayRepeat(ctx, receiving) || ctx.method !== '') throw error;",
  },
  {
    name: 'a batch keeps its room after its outcome',
    file: 'services/ingest/receive-batch.ts',
    from: 'else inBackground(releaseAfter(publication, room), () => undefined);',
    to: 'else inBackground(publication, () => undefined);',
  },
  {
    name: 'the token cache ignores an announced revocation',
    file: 'packages/base/auth/tokens/verifying/token-verifier.ts',
    from: 'if (token.id === tokenId) known.delete(hash);',
    to: 'if (token.id === tokenId && hash === "") known.delete(hash);',
  },
  {
    name: 'a token is never looked up again',
    file: 'packages/base/auth/tokens/verifying/token-verifier.ts',
    from: 'const FRESH_MS = 60_000;',
    to: 'const FRESH_MS = 60_000_000;',
  },
];
