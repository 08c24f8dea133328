import { decodeCounts, decodeRegistrations } from '#counting';
import { APPLICATIONS, COUNTS, DEAD_LETTERS, FOREIGN } from '../names.ts';
import type { World } from '../world.ts';

/** Every message that cannot be decoded is kept with its bytes, and no other one. Ingest sends none. */
export function* judgeDeadLetters({ brokers, partitions }: World): Generator<string> {
  const textsOf = (topic: string, partition: number): (Buffer | null)[] =>
    brokers
      .logOf(topic, partition)
      .read(0, Infinity)
      .map(({ value }) => (value === null ? null : Buffer.from(value)));
  const dead = textsOf(APPLICATIONS, 0).filter((value) => 'problem' in decodeRegistrations(value));
  for (let partition = 0; partition < partitions; partition += 1)
    dead.push(...textsOf(COUNTS, partition).filter((value) => 'problem' in decodeCounts(value)));
  const [expected, kept] = [dead, textsOf(DEAD_LETTERS, 0)].map((values) => new Set(values.map(String)));
  for (const text of expected ?? []) {
    if (kept?.has(text) !== true) yield `no dead letter: ${text}`;
    if (!text.startsWith(FOREIGN)) yield `ingest sent a message that cannot be decoded: ${text}`;
  }
  for (const text of kept ?? [])
    if (expected?.has(text) !== true) yield `a dead letter was no message: ${text}`;
}
