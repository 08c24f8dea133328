import { expect } from 'chai';
import { registerApplications, syncInstances } from '#fleet/catalogue';
import { type Registration, registrationOf } from '#core/counting';
import { appVerdictsAt } from '../../../support/builders/history.ts';
import { sharedWorld } from '../../../support/world.ts';

type Sdk = {
  readonly sdkVersion: string;
  readonly interval: number;
  readonly intervalMinutes: number;
  /** How often it reports, if it evaluates nothing; absent if never. */
  readonly idleMinutes?: number;
};

const SDKS: readonly Sdk[] = [
  { sdkVersion: 'unleash-node-sdk:6.12.1', interval: 60_000, intervalMinutes: 1 },
  { sdkVersion: 'unleash-client-python:6.8.0', interval: 300, intervalMinutes: 5 },
  { sdkVersion: 'unleash-java-sdk:12.2.3', interval: 120, intervalMinutes: 2, idleMinutes: 2 },
  { sdkVersion: 'unleash-dotnet-sdk:6.0.0', interval: 60_000, intervalMinutes: 1, idleMinutes: 1 },
  { sdkVersion: 'unleash-client-ruby:6.4.0', interval: 60_000, intervalMinutes: 1, idleMinutes: 10 },
];

type State = 'busy' | 'idle' | 'gone';
/** What an instance does in each minute, counted back from now. */
type Life = (minutesAgo: number) => State;

const busy: Life = () => 'busy';
const idle: Life = (ago) => (ago > 180 ? 'busy' : 'idle');
const dead: Life = (ago) => (ago > 120 ? 'busy' : 'gone');
const idleThenDead: Life = (ago) => (ago > 120 ? idle(ago) : 'gone');
const hardlyBusy =
  (instance: number): Life =>
  (ago) =>
    (ago * 7 + instance * 11) % 23 === 0 ? 'busy' : 'idle';
const standby: Life = (ago) => (ago > 120 ? 'idle' : 'busy');
const replaced: Life = (ago) => (ago > 180 ? 'busy' : 'gone');
const started: Life = (ago) => (ago > 180 ? 'gone' : 'busy');
const startedAndDied: Life = (ago) => (ago > 65 ? started(ago) : 'gone');

const isSilentWhenIdle = ({ idleMinutes }: Sdk): boolean => idleMinutes === undefined;
const reportsWhenIdle = ({ idleMinutes, intervalMinutes }: Sdk): boolean => idleMinutes === intervalMinutes;
const always = (): boolean => true;

const APPLICATIONS: readonly {
  readonly title: string;
  readonly lives: readonly Life[];
  readonly isBehindRelay?: boolean;
  /** Never by default. */
  readonly isSilent?: (sdk: Sdk) => boolean;
  readonly subject?: string;
}[] = [
  { title: 'all evaluate', lives: [busy, busy, busy] },
  { title: 'all are idle', lives: [idle, idle, idle] },
  { title: 'the only one is idle', lives: [idle] },
  { title: 'the only one died, which nobody can tell from an idle one', lives: [dead] },
  { title: 'all died', lives: [dead, dead, dead] },
  { title: 'one of three died', lives: [dead, busy, busy], isSilent: always },
  {
    title: 'one of three died less than an hour ago',
    lives: [(ago) => (ago > 58 ? 'busy' : 'gone'), busy, busy],
  },
  {
    title: 'one of three died while all were idle',
    lives: [idleThenDead, idle, idle],
    isSilent: reportsWhenIdle,
  },
  {
    title: 'one of three gets no work any more, which nobody can tell from a dead one',
    lives: [idle, busy, busy],
    isSilent: isSilentWhenIdle,
  },
  { title: 'most are idle, because one works by day and night', lives: [busy, idle, idle] },
  { title: 'one of two died, or is the standby of the other now', lives: [dead, busy] },
  { title: 'the work went to others', lives: [dead, standby, standby], isSilent: reportsWhenIdle },
  { title: 'there is hardly any work', lives: [0, 1, 2].map(hardlyBusy) },
  { title: 'all were replaced', lives: [replaced, replaced, replaced, started, started, started] },
  {
    title: 'all were replaced, and one of the new ones died',
    lives: [replaced, replaced, replaced, startedAndDied, started, started],
    isSilent: always,
    subject: 'instance-3',
  },
  { title: 'a relay forwarded their registrations', lives: [dead, busy, busy], isBehindRelay: true },
];

const MINUTE_MS = 60_000;
const HISTORY_MINUTES = 360;
/** The worker writes what it fetched in one transaction. */
const TRANSACTION_MINUTES = 5;

describe('the verdict silent_instance', () => {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const world = sharedWorld();
  let silent: { app_name: string; value: number; subject: string; sentence: string }[];

  before(async () => {
    const reports = SDKS.flatMap((sdk) =>
      APPLICATIONS.flatMap(({ title, lives, isBehindRelay = false }) =>
        lives.flatMap((life, index) =>
          reportsOf(sdk, life, {
            appName: nameOf(sdk, title),
            instanceId: `instance-${index}`,
            isBehindRelay,
          }),
        ),
      ),
    );
    for (let ago = HISTORY_MINUTES; ago >= 0; ago -= TRANSACTION_MINUTES) {
      const until = now - ago * MINUTE_MS;
      const from = until - TRANSACTION_MINUTES * MINUTE_MS;
      await registerApplications(
        world.db,
        reports.filter(({ seenAt }) => from < seenAt && seenAt <= until),
      );
    }
    await world.db.query('update client_instances set created_at = reporting_since');
    await syncInstances(world.db, world.clickhouse);
    silent = await world.query(
      `select app_name, value, subject, sentence
       from ${appVerdictsAt(now / 1000)}
       where verdict = 'silent_instance'`,
    );
  });

  function reportsOf(
    sdk: Sdk,
    life: Life,
    { isBehindRelay, ...names }: { appName: string; instanceId: string; isBehindRelay: boolean },
  ): Registration[] {
    const application = { ...names, environment: 'production' };
    const { sdkVersion, interval, intervalMinutes, idleMinutes } = sdk;
    const connectVia = isBehindRelay ? [{ appName: 'edge', instanceId: 'one' }] : null;
    const reports: Registration[] = [];
    let hasEvaluated = false;
    for (let ago = HISTORY_MINUTES; ago >= 0; ago -= 1) {
      const state = life(ago);
      if (state === 'gone') continue;
      hasEvaluated ||= state === 'busy';
      const seenAt = now - ago * MINUTE_MS;
      if (reports.length === 0) {
        reports.push(registrationOf({ ...application, sdkVersion, interval, connectVia }, seenAt));
      } else if (!isBehindRelay && ago % intervalMinutes === 0) {
        const isHeartbeat = idleMinutes !== undefined && ago % idleMinutes === 0;
        if (hasEvaluated || isHeartbeat) reports.push(registrationOf(application, seenAt));
        hasEvaluated = false;
      }
    }
    return reports;
  }

  for (const sdk of SDKS)
    for (const { title, isSilent = () => false, subject = 'instance-0' } of APPLICATIONS)
      it(`${isSilent(sdk) ? 'names an instance' : 'spares instances'} of ${sdk.sdkVersion} if ${title}`, () => {
        const found = silent.filter(({ app_name }) => app_name === nameOf(sdk, title));
        expect(found.map((verdict) => ({ value: verdict.value, subject: verdict.subject }))).to.deep.equal(
          isSilent(sdk) ? [{ value: 1, subject }] : [],
        );
      });

  it('says which instance stopped when', () => {
    const [{ sentence } = { sentence: '' }] = silent;
    expect(sentence).to.match(
      /^1 of its instances does not report any more, although most of those beside it still do: instance-\d reported last at [-\d]+ [:\d]+ UTC\.$/u,
    );
  });
});

function nameOf({ sdkVersion }: Sdk, title: string): string {
  return `${sdkVersion} ${title}`;
}
