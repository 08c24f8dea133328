import { Registry, Troubles } from '#base/runtime';
import { mirrorApplications } from '../../../services/unleash-bridge/mirror/applications.ts';
import { mirrorCounts } from '../../../services/unleash-bridge/mirror/counts.ts';
import type { Delivery } from '../../../services/unleash-bridge/mirror/deliver.ts';
import { createMirrorMetrics } from '../../../services/unleash-bridge/mirror/metrics.ts';
import { TokenGrace } from '../../../services/unleash-bridge/mirror/token-grace.ts';
import { createSimulatedKafka } from '../kafka/client.ts';
import {
  APPLICATIONS,
  COUNTS,
  ENVIRONMENT,
  MIRRORED_APPLICATIONS_GROUP,
  MIRROR_GROUP,
  WINDOW_MS,
  tokenOf,
} from '../names.ts';
import { type Running, createLog } from './process.ts';
import type { Surroundings } from './surroundings.ts';

/** Far longer than Unleash rejects the token here, so that nothing is left out. */
const TOKEN_GRACE_MS = 3_600_000;
const LAST_POST_MS = 5000;

/** The mirror of counts and applications, with the code of services/unleash-bridge. */
export async function startMirror(
  world: Surroundings,
  name: string,
  fail: (error: unknown) => void,
): Promise<Running> {
  const log = createLog(world, name);
  const stopping = new AbortController();
  const endingPosts = new AbortController();
  const metrics = createMirrorMetrics(new Registry(), {
    topics: [COUNTS, APPLICATIONS],
    environments: [ENVIRONMENT],
  });
  const delivery: Delivery = {
    unleash: world.unleash.client(),
    secrets: new Map([[ENVIRONMENT, tokenOf(name).secret]]),
    unanswered: 'repeat',
    metrics,
    log,
    warned: new Map(),
    tokenGrace: new TokenGrace(TOKEN_GRACE_MS),
    signal: stopping.signal,
    postSignal: endingPosts.signal,
  };
  const shared = {
    kafka: createSimulatedKafka(world),
    delivery,
    metrics,
    log,
    signal: stopping.signal,
    troubles: new Troubles(),
    onCrash: fail,
  };
  const counts = mirrorCounts({
    ...shared,
    groupId: MIRROR_GROUP,
    topic: COUNTS,
    duplicateWindowMs: WINDOW_MS,
  });
  const applications = world.mirrorsApplications
    ? mirrorApplications({ ...shared, groupId: MIRRORED_APPLICATIONS_GROUP, topic: APPLICATIONS })
    : undefined;
  const consumers = await Promise.all([counts, applications]);
  return {
    async stop() {
      stopping.abort();
      setTimeout(() => {
        endingPosts.abort();
      }, LAST_POST_MS);
      await Promise.all(consumers.map(async (consumer) => consumer?.stop()));
    },
  };
}
