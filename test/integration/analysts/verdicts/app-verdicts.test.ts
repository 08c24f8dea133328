import { expect } from 'chai';
import { appVerdictsAt, createHistory } from '../../../support/builders/history.ts';
import { sharedWorld } from '../../../support/world.ts';

type Verdict = { app_name: string; verdict: string; sentence: string };

const HOSTILE = 'node:\u2069\u202e2';

describe('verdicts on applications', () => {
  const history = createHistory();
  const world = sharedWorld();
  let verdicts: Verdict[];

  before(async () => {
    history.refused({ app: 'late', reason: 'too_old', count: 10, daysAgo: 7 });
    history.refused({ app: 'late', reason: 'in_the_future', count: 1, daysAgo: 1 });
    history.refused({ app: 'hardly-late', reason: 'too_old', count: 10, daysAgo: 7 });
    history.refused({ app: 'hardly-late', reason: 'too_old', count: 99, daysAgo: 8 });
    history.refused({ app: 'hardly-late', reason: 'name_too_long', count: 99, daysAgo: 1 });
    history.seen('checkout', { app: 'ahead', first: 999, last: -3 });
    history.seen('checkout', { app: 'in-time', first: 999, last: 0 });
    for (const app of ['silent', 'just-silent', 'slow', 'mute']) {
      history.instance({ app, id: 'two', secondsAgo: 360 });
      history.instance({ app, id: 'three', secondsAgo: 0 });
    }
    history.instance({ app: 'silent', id: 'one', secondsAgo: 3601 });
    history.instance({ app: 'silent', id: 'gone', secondsAgo: 24 * 3600 + 1 });
    history.instance({ app: 'just-silent', id: 'one', secondsAgo: 3600 });
    history.instance({ app: 'slow', id: 'one', secondsAgo: 3781, intervalMs: 1_201_000 });
    history.instance({ app: 'mute', id: 'one', secondsAgo: 7200, intervalMs: 0 });
    history.instance({ app: 'mixed', id: 'one', secondsAgo: 1, sdk: 'node:1' });
    history.instance({ app: 'mixed', id: 'two', secondsAgo: 1, sdk: HOSTILE });
    history.instance({ app: 'updated', id: 'one', secondsAgo: 7200, sdk: 'node:1', intervalMs: 0 });
    history.instance({ app: 'updated', id: 'two', secondsAgo: 1, sdk: 'node:2' });
    history.instance({ app: 'updated', id: 'three', secondsAgo: 1 });
    history.instance({ app: 'rolled-out', id: 'one', secondsAgo: 1, sdk: 'node:1' });
    history.instance({ app: 'rolled-out', id: 'two', secondsAgo: 1, firstSecondsAgo: 3600, sdk: 'node:2' });
    await history.write(world);
    verdicts = await readAt(history.atS);
  });

  function readAt(atS: number): Promise<Verdict[]> {
    return world.query(
      `select app_name, verdict, sentence from ${appVerdictsAt(atS)} order by verdict, app_name`,
    );
  }

  it('are a skewed clock, a silent instance and mixed SDK versions', () => {
    expect(verdicts.map(({ app_name, verdict }) => `${verdict} ${app_name}`)).to.deep.equal([
      'clock_skew ahead',
      'clock_skew late',
      'mixed_sdk_versions mixed',
      'mixed_sdk_versions rolled-out',
      'silent_instance silent',
    ]);
  });

  it('say why', () => {
    const [ahead, late, mixed, , silent] = verdicts.map(({ sentence }) => sentence);
    expect(ahead).to.match(/^It reported evaluations in the hour of \S+ \S+ UTC, which has not begun\.$/);
    expect(late).to.match(/ 10 of its metrics were refused as too old and 1 as in the future\.$/);
    // The name cannot end its isolate, and so cannot turn what follows round.
    expect(mixed).to.equal(
      'Its live instances run 2 versions of an SDK: node:1, \u2068node:\uFFFD\u202e2\u2069.',
    );
    expect(silent).to.match(/^1 of its instances does not report any more, .*: one reported last at /);
  });

  it('of an earlier moment ignore evaluations and instances that came later', async () => {
    const earlier = await readAt(history.atS - 2 * 3600);
    const apps = ['ahead', 'in-time', 'mixed', 'rolled-out'];
    const found = earlier.filter(({ app_name }) => apps.includes(app_name));
    expect(found.map(({ app_name, verdict }) => `${verdict} ${app_name}`)).to.deep.equal([
      'clock_skew ahead', // still ahead of the present
      'mixed_sdk_versions mixed',
    ]);
  });
});
