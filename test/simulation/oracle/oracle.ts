import { expectedCounts } from './expected.ts';
import { judgeBlocks } from './judges/judge-blocks.ts';
import { judgeGathered, judgeWaiting } from './judges/judge-bounds.ts';
import { judgeCounters } from './judges/judge-counters.ts';
import { judgeCounts } from './judges/judge-counts.ts';
import { judgeDeadLetters } from './judges/judge-dead-letters.ts';
import { judgeMirror } from './judges/judge-mirror.ts';
import { judgeReasons } from './judges/judge-reasons.ts';
import { judgeResults } from './judges/judge-results.ts';
import { judgeSamples } from './judges/judge-samples.ts';
import { allowLosses } from './losses.ts';
import { judgeTokens } from './judges/judge-tokens.ts';
import { tokenOf } from '../names.ts';
import type { World } from '../world.ts';

/** Everything that must hold when the world is quiet again. */
export function judgeEnd(world: World): string[] {
  const expected = allowLosses(world, expectedCounts(world));
  return [
    ...unfinished(world),
    ...leaks(world),
    ...world.clickhouse.flatMap(({ name, content }) =>
      [
        ...judgeCounts(world, content, expected),
        ...judgeSamples(world, content, expected),
        ...judgeCounters(world, content),
        ...judgeReasons(world, content),
        ...judgeResults(world, content),
        ...judgeBlocks(world, content),
      ].map((text) => `${name}: ${text}`),
    ),
    ...judgeTokens(world),
    ...judgeApplications(world),
    ...judgeDeadLetters(world),
    ...judgeMirror(world),
    ...judgeWaiting(world),
    ...judgeGathered(world),
  ];
}

function* unfinished({ senders }: World): Generator<string> {
  for (const sender of senders)
    if (!sender.isFinished()) yield `${sender.name} still has evaluations that nobody acknowledged`;
}

/** Ingest gives back the room of a request when its outcome is known. */
function* leaks({ ingests }: World): Generator<string> {
  for (const { server, running } of ingests) {
    const requests = running?.requestsInFlight() ?? 0;
    if (requests > 0) yield `${server.name} still has room reserved for ${requests} requests`;
  }
}

/** Every application of a sender whose token is valid is registered. */
function* judgeApplications({ registered, postgres, senders }: World): Generator<string> {
  const valid = senders.filter(({ name }) => !postgres.revokedAt.has(tokenOf(name).token.id));
  for (const name of registered)
    if (!postgres.applications.has(name) && valid.some((sender) => name.startsWith(`app-${sender.name}`)))
      yield `${name} is not registered`;
}
