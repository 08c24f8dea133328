import { decodeCounts, decodeRegistrations } from '#core/counting';
import type { PartitionLog } from '../../kafka/partition-log.ts';
import { APPLICATIONS, DEAD_LETTERS, FOREIGN } from '../../names.ts';
import type { World } from '../../world.ts';
import { countsLogs, isWithin, lostRanges } from '../messages.ts';

/**
 * Every message that cannot be decoded is kept with its bytes, and no other one. Ingest sends none. One that was lost may have been
 * kept before.
 */
export function* judgeDeadLetters(world: World): Generator<string> {
  const { brokers } = world;
  const expected = new Set<string>();
  const dead = new Set<string>();
  for (const value of valuesOf(brokers.logOf(APPLICATIONS, 0)))
    if ('problem' in decodeRegistrations(value)) expected.add(String(value));
  for (const one of countsLogs(world)) {
    const lost = lostRanges(world, one);
    for (const [offset, value] of valuesOf(one.log).entries())
      if ('problem' in decodeCounts(value)) (isWithin(lost, offset) ? dead : expected).add(String(value));
  }
  for (const text of expected) dead.add(text);
  const kept = new Set(valuesOf(brokers.logOf(DEAD_LETTERS, 0)).map(String));
  for (const text of expected) if (!kept.has(text)) yield `no dead letter: ${text}`;
  for (const text of dead)
    if (!text.startsWith(FOREIGN)) yield `ingest sent a message that cannot be decoded: ${text}`;
  for (const text of kept) if (!dead.has(text)) yield `a dead letter was no message: ${text}`;
}

function valuesOf(log: PartitionLog): (Buffer | null)[] {
  return log.read(0, Infinity).map(({ value }) => (value === null ? null : Buffer.from(value)));
}
