import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { isNight, itNightly } from '../../support/nightly.ts';
import { FEATURE, type SdkDoor, openSdkDoor } from '../../support/stories/faults/sdk-door.ts';
import { startFrontendSdk } from '../../support/senders/sdks/frontend-sdk.ts';
import { usageOfApplication } from '../../support/senders/sdks/openfeature/openfeature-evaluations.ts';
import { UNLEASH_SDKS } from '../../support/senders/sdks/unleash-sdks.ts';
import { type WiredKafka, wiredKafka } from '../../support/stack/engines/kafka/wired-kafka.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN, type World, createWorld } from '../../support/world.ts';

/**
 * What each SDK does with counts that were not accepted: it adds them to its next body, or drops them. If no answer comes, the runtime of
 * one sends the same bytes again before that.
 */
const REACTIONS = {
  'Node 6': { keeps: true, repeats: false },
  JavaScript: { keeps: false, repeats: false },
  Java: { keeps: false, repeats: true },
  'Python 6': { keeps: false, repeats: false },
} as const;
type Name = keyof typeof REACTIONS;
const NAMES: readonly Name[] = isNight()
  ? ['Node 6', 'JavaScript', 'Java', 'Python 6']
  : ['Node 6', 'JavaScript'];

/** The first run installs and compiles. */
const TIMEOUT_MS = 600_000;
const OUTAGE_MS = 60_000;
const RESTART_MS = 3000;

describe('SDKs that post directly', function () {
  this.timeout(TIMEOUT_MS);
  let kafka: WiredKafka | undefined;
  let world: World;
  let ingest: ServiceProcess | undefined;
  let door: SdkDoor;
  let sdks: Sdk[];
  let working: { stop(): Promise<void> } | undefined;
  before(async () => {
    kafka = isNight() ? await wiredKafka() : undefined;
    world = await createWorld({
      KAFKA_COUNTS_PARTITIONS: '2',
      ...(kafka && { KAFKA_BROKERS: kafka.address }),
    });
    [ingest] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
    door = await openSdkDoor(() => ingest?.url);
  });
  let story = 0;
  beforeEach(async () => {
    story += 1;
    sdks = await Promise.all(NAMES.map((name) => startSdk(name, `${name} of story ${story}`)));
  });
  afterEach(async () => {
    await working?.stop(); // of a test that failed
    await Promise.all(sdks.splice(0).map((sdk) => sdk.dispose()));
  });
  after(async () => {
    door.close();
    await world.dispose();
    await kafka?.dispose();
  });

  it('whose answer is lost count once, unless they add what was stored to their next body', async () => {
    await Promise.all(
      sdks.map(async ({ appName, evaluate, returned }) => {
        door.loseAnswer(appName);
        await evaluate(10);
        await untilPosted(appName, ({ isAnswered, status }) => status === 202 && !isAnswered);
        await evaluate(5);
        await eventually(
          () => Promise.resolve(evaluationsOf(appName, true)),
          (posted) => posted >= returned(),
        );
      }),
    );
    const stopped = sdks.splice(0);
    const { total } = await settled(stopped);
    for (const { name, appName, returned } of stopped) {
      const { keeps, repeats } = REACTIONS[name];
      const bodies = postsOf(appName).filter(({ evaluations }) => evaluations > 0);
      const lost = bodies.find(({ isAnswered }) => !isAnswered)?.evaluations ?? NaN;
      const again = new Set(bodies.map(({ body }) => body)).size < bodies.length;
      expect([name, again], name).to.deep.equal([name, repeats]);
      expect([name, await storedOf(appName)]).to.deep.equal([name, returned() + (keeps ? lost : 0)]);
    }
    if (isNight()) expect(total.duplicate).to.be.greaterThan(0);
  });

  it('lose nothing of a deployment, and at most what one post has of a restart', async () => {
    working = workAll();
    await postedByAll();
    const old = ingest;
    ingest = await world.fork('ingest');
    await old?.stop();
    await postedByAll();
    // A post that still waits for its answer is among the dropped ones until then.
    await eventually(
      () => Promise.resolve(sdks.map(dropped)),
      (evaluations) => evaluations.every((lost) => lost === 0),
    );
    const doomed = ingest;
    ingest = undefined;
    await doomed.stop();
    await sleep(RESTART_MS);
    ingest = await world.fork('ingest');
    await postedByAll();
    await working.stop();
    await expectNamed();
  });

  itNightly('lose what they drop of a minute without Kafka, and no more', async () => {
    working = workAll();
    await postedByAll();
    await eventually(
      () => Promise.resolve(door.isQuiet()),
      (isQuiet) => isQuiet,
    );
    await kafka?.kill();
    await sleep(OUTAGE_MS);
    await kafka?.restart();
    await postedByAll();
    await working.stop();
    const all = [...sdks];
    await expectNamed();
    for (const sdk of all)
      expect([sdk.name, dropped(sdk) > 0]).to.deep.equal([sdk.name, !REACTIONS[sdk.name].keeps]);
  });

  type Sdk = {
    readonly name: Name;
    readonly appName: string;
    readonly evaluate: (users: number) => Promise<void>;
    /** How many evaluations it has returned. */
    readonly returned: () => number;
    readonly dispose: () => Promise<void>;
  };

  async function startSdk(name: Name, appName: string): Promise<Sdk> {
    let count = 0;
    if (name === 'JavaScript') {
      const sdk = await startFrontendSdk(door.url, FRONTEND_TOKEN, appName);
      return {
        name,
        appName,
        async evaluate(users) {
          for (let user = 0; user < users; user += 1) sdk.isEnabled(FEATURE);
          count += users;
          await sdk.flush();
        },
        returned: () => count,
        dispose: () => sdk.dispose(),
      };
    }
    const sdk = await UNLEASH_SDKS[name]({ url: door.url, secret: CLIENT_TOKEN, appName });
    return {
      name,
      appName,
      async evaluate(users) {
        const { [FEATURE]: sums = { yes: 0, no: 0 } } = await sdk.evaluate(FEATURE, users);
        count = sums.yes + sums.no;
      },
      returned: () => count,
      dispose: () => sdk.dispose(),
    };
  }

  /** Evaluates all the time. */
  function workAll() {
    const stopping = new AbortController();
    const work = sdks.map(async ({ evaluate }) => {
      while (!stopping.signal.aborted) {
        await evaluate(1);
        await sleep(100);
      }
    });
    return {
      async stop() {
        stopping.abort();
        await Promise.all(work);
      },
    };
  }

  const postsOf = (app: string) => door.posts.filter(({ appName }) => appName === app);

  function untilPosted(app: string, is: (post: SdkDoor['posts'][number]) => boolean): Promise<unknown> {
    return eventually(
      () => Promise.resolve(postsOf(app).some(is)),
      (isPosted) => isPosted,
    );
  }

  /** Each SDK has posted counts from now on that were accepted. */
  async function postedByAll(): Promise<void> {
    const known = new Set(door.posts);
    await Promise.all(
      sdks.map(({ appName }) =>
        untilPosted(appName, (post) => !known.has(post) && post.status === 202 && post.evaluations > 0),
      ),
    );
  }

  /** Evaluations in bodies that were accepted, or not, whichever is asked for. The same body may have been sent twice. */
  function evaluationsOf(app: string, isAccepted: boolean): number {
    const bodies = new Map<string, { readonly evaluations: number; readonly isAccepted: boolean }>();
    for (const { body, evaluations, status } of postsOf(app))
      bodies.set(body, { evaluations, isAccepted: status === 202 || bodies.get(body)?.isAccepted === true });
    const found = [...bodies.values()].filter((body) => body.isAccepted === isAccepted);
    return found.reduce((sum, { evaluations }) => sum + evaluations, 0);
  }

  const dropped = ({ name, appName }: Sdk): number =>
    REACTIONS[name].keeps ? 0 : evaluationsOf(appName, false);

  /** What each SDK has returned is stored, except for what it dropped itself. */
  async function expectNamed(): Promise<void> {
    for (const sdk of sdks)
      await eventually(
        () => Promise.resolve(evaluationsOf(sdk.appName, true) + dropped(sdk)),
        (posted) => posted === sdk.returned(),
      );
    const stopped = sdks.splice(0);
    await settled(stopped);
    for (const sdk of stopped)
      expect([sdk.name, await storedOf(sdk.appName)]).to.deep.equal([
        sdk.name,
        sdk.returned() - dropped(sdk),
      ]);
  }

  /** Stops the SDKs first, because idle ones report all the same. */
  async function settled(stopped: readonly Sdk[]) {
    await Promise.all(stopped.map((sdk) => sdk.dispose()));
    return world.settled();
  }

  async function storedOf(appName: string): Promise<number> {
    const { [FEATURE]: sums = { yes: 0, no: 0 } } = await usageOfApplication(world, appName);
    return sums.yes + sums.no;
  }
});
