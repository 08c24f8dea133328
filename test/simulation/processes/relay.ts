import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';
import { type Relay, createRelay } from '../../../tools/relay/index.ts';
import { createActor } from '../time/schedule.ts';
import type { ApiToken } from '#base/tokens';
import { ENVIRONMENT, tokenOf } from '../names.ts';
import { startMeasuring } from './measuring.ts';
import { type Try, postToIngest } from './post.ts';
import type { Surroundings } from './surroundings.ts';

const PATH = '/api/client/metrics/bulk';
const PUSH_EVERY_MS = 8000;
const PUSH_AGAIN_MS = 2000;

export type SimulatedRelay = {
  readonly name: string;
  readonly relay: Relay;
  readonly token: ApiToken;
  readonly tries: readonly Try[];
  /** It evaluates nothing more, and pushes what it has until everything is acknowledged. */
  finish(): void;
  /** Whether everything that it collected was acknowledged. */
  isFinished(): boolean;
};

/**
 * A relay as packages/tooling/traffic has it, with the retries and the merging of Edge. Each of its evaluations belongs to a feature of its
 * own, by which the oracle finds it again in the tables. Samples of impact metrics have ids (`measure`).
 */
export function startRelay(world: Surroundings, name: string): SimulatedRelay {
  const { schedule, random } = world;
  const actor = createActor(name);
  const tries: Try[] = [];
  const { secret, token } = tokenOf(name);
  const stopping = new AbortController();
  schedule.current = actor;
  const relay = createRelay({
    url: 'http://ingest',
    tokens: { [ENVIRONMENT]: secret },
    random,
    transport: {
      post: ({ headers, body, timeoutMs }) =>
        postToIngest(world, { path: PATH, headers, body, timeoutMs }, tries),
      close: () => undefined,
    },
  });
  const register = (): void => {
    const appName = `app-${name}-${recorded}`;
    relay.register({ appName, environment: ENVIRONMENT, instanceId: name, startedAt: Date.now() });
    world.registered.add(appName);
  };
  let recorded = 0;
  const record = (): void => {
    if (stopping.signal.aborted) return;
    recorded += 1;
    const featureName = `${name}-${recorded}`;
    const yes = 1 + Math.floor(random() * 5);
    if (random() < 0.2) register();
    const variants = random() < 0.3 ? { on: yes } : {};
    relay.record({
      featureName,
      appName: 'shop',
      environment: ENVIRONMENT,
      at: Date.now(),
      yes,
      variants,
    });
    world.recorded.set(featureName, yes);
    if ('on' in variants) world.withVariants.add(featureName);
    schedule.after(actor, random() * 2 * world.recordEveryMs, { label: 'evaluate', action: record });
  };
  schedule.after(actor, 0, {
    label: 'relay starts',
    action: () => {
      record();
      startMeasuring(world, { name, actor, relay, signal: stopping.signal });
      running = relay.run(PUSH_EVERY_MS * (0.5 + random()), stopping.signal);
    },
  });
  let running = Promise.resolve();
  let isFinished = false;
  const pushAll = async (): Promise<void> => {
    stopping.abort();
    await running;
    const { deliveries } = relay.ledger;
    let pushed = -1;
    while (pushed < deliveries.length) {
      pushed = deliveries.length;
      await relay.push();
      await sleep(PUSH_AGAIN_MS);
    }
    isFinished = true;
  };
  return {
    name,
    relay,
    token,
    tries,
    finish() {
      schedule.after(actor, 0, {
        label: 'relay finishes',
        action: () => {
          inBackground(pushAll(), (error) => {
            world.report(`${name} failed: ${String(error)}`);
          });
        },
      });
    },
    isFinished: () => isFinished,
  };
}
