import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { APP_THRESHOLDS, FEATURE_THRESHOLDS } from '../../../../services/admin/advice/verdicts/thresholds.ts';
import {
  type History,
  appVerdictsAt,
  createHistory,
  featureVerdictsAt,
  untilHistoryLasts,
} from '../../../support/builders/history.ts';
import { sharedWorld } from '../../../support/world.ts';

const WEEK = 7 * 24;
const LONG_AGO = { first: 100 * 24, last: 1 };

describe('verdicts on features', () => {
  const world = sharedWorld();
  let sentences: Map<string, string>;
  let history: History;

  before(async () => {
    await untilHistoryLasts();
    history = createHistory();
    writeConstantFlags(history);
    writeFirstAndLast(history);
    writeCalls(history);
    writeCliffs(history);
    writeVariants(history);
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
    const rows = await world.query<{ feature_name: string; verdict: string; sentence: string }>(
      `select feature_name, verdict, sentence from ${featureVerdictsAt(history.atS)}`,
    );
    sentences = new Map(
      rows.map(({ feature_name, verdict, sentence }) => [`${verdict} ${feature_name}`, sentence]),
    );
  });

  function featuresWith(verdict: string): string[] {
    const prefix = `${verdict} `;
    const keys = Array.from(sentences.keys()).filter((key) => key.startsWith(prefix));
    return keys.map((key) => key.slice(prefix.length)).sort();
  }

  it('are always_on and always_off if one-way for 30 days and more than 1,000 evaluations', () => {
    expect(featuresWith('always_on')).to.deep.equal(['on-at-last', 'on-for-long']);
    expect(featuresWith('always_off')).to.deep.equal(['off-for-long']);
    expect(sentences.get('always_on on-for-long')).to.match(
      /^Each of its 1001 evaluations from 20\S{8} to 20\S{8} was enabled\.$/,
    );
  });

  it('are silent if seen before and not for 7 days, unless archived', () => {
    expect(featuresWith('silent')).to.deep.equal(['silent-in-staging', 'silent-just-now']);
  });

  it('are new for 7 days, from the first complete hour', () => {
    expect(featuresWith('new')).to.deep.equal(['new-at-first', 'new-for-a-week']);
  });

  it('are unknown if they do not exist, with the nearest name within two edits', () => {
    expect(featuresWith('unknown')).to.deep.equal(['checkout-flwo', 'chekcuot', 'nothing-like-it']);
    expect(sentences.get('unknown checkout-flwo')).to.match(/; perhaps checkout-flow is meant\.$/);
    expect(sentences.get('unknown chekcuot')).to.match(/; perhaps checkout is meant\.$/);
    expect(sentences.get('unknown nothing-like-it')).to.not.include('perhaps');
  });

  it('are called_while_off and called_while_archived above 100 evaluations in 6 hours', () => {
    expect(featuresWith('called_while_off')).to.deep.equal(['off-called']);
    expect(featuresWith('called_while_archived')).to.deep.equal(['archived-called']);
    expect(sentences.get('called_while_off off-called')).to.match(
      /^It is off in production and was evaluated 101 times in the 6 hours before .* 1 of them enabled\.$/,
    );
  });

  it('are a cliff below half of the same hours a week before, with at least 1,000 evaluations', () => {
    expect(featuresWith('cliff')).to.deep.equal(['cliff-below', 'cliff-to-nothing']);
    expect(sentences.get('cliff cliff-below')).to.match(
      /^It was evaluated 499 times in the 6 hours before .*, and 1000 times in the same hours a week before\.$/,
    );
  });

  it('are a drift above a population stability index of 0.2, with at least 1,000 variants', () => {
    expect(featuresWith('drift')).to.deep.equal(['drift-above']);
    expect(sentences.get('drift drift-above')).to.match(/the population stability index is 0\.202\.$/);
  });

  it('are a dead variant if others were served in 7 days', () => {
    expect(featuresWith('dead_variant')).to.deep.equal(['variant-died']);
    expect(sentences.get('dead_variant variant-died')).to.match(
      /^The variant red was served last on \S+, while others were served 1 times in 7 days\.$/,
    );
  });

  it('fail the sum check if an application reported more variants than evaluations in a day', () => {
    expect(featuresWith('sum_check')).to.deep.equal(['sum-above']);
    expect(sentences.get('sum_check sum-above')).to.match(
      /^On \S+ the application shop reported 11 variants served in 10 evaluations\.$/,
    );
  });

  it('have evidence for archiving constant or silent features', () => {
    expect(featuresWith('archive_evidence')).to.deep.equal([
      'off-for-long',
      'on-at-last',
      'on-for-long',
      'silent-in-staging',
      'silent-just-now',
    ]);
    expect(sentences.get('archive_evidence on-for-long')).to.match(
      /, 1001 times in 30 days, by applications with 1 of the 3 live instances in production\.$/,
    );
  });

  it('do not count live instances in an environment without any', () => {
    expect(sentences.get('archive_evidence silent-in-staging')).to.match(
      /, 0 times in 30 days\. No live instance is known in staging\.$/,
    );
  });

  it('of constant flags list the most evaluated first', async () => {
    const rows = await world.query('select rank, feature_name, evaluations from hottest_constant_flags');
    expect(rows).to.deep.equal([
      { rank: '1', feature_name: 'on-at-last', evaluations: '5000' },
      { rank: '2', feature_name: 'off-for-long', evaluations: '1002' },
      { rank: '3', feature_name: 'on-for-long', evaluations: '1001' },
    ]);
  });

  it('have the same default thresholds in the views and in the API', async () => {
    const rows = await world.query<{ name: string; sql: string }>(
      `select name, as_select as sql
       from system.tables
       where database = currentDatabase() and name in ('feature_verdict_snapshot', 'app_verdicts')`,
    );
    const defaultsOf = (view: string, end: string): string => {
      const [thresholds = ''] = rows.find(({ name }) => name === view)?.sql.split(end) ?? [];
      const defaults = thresholds.matchAll(/([\d.]+)\D+\d\d\D* AS (\w+)/g);
      return Array.from(defaults, ([, value, name]) => `${name} = ${value}`).join(', ');
    };
    const argumentsOf = (call: string) => call.split("'UTC'), ")[1]?.slice(0, -1);
    expect(defaultsOf('feature_verdict_snapshot', ' AS settled')).to.equal(argumentsOf(featureVerdictsAt(0)));
    expect(defaultsOf('app_verdicts', ' AS end_day')).to.equal(argumentsOf(appVerdictsAt(0)));
    expect(Object.keys(FEATURE_THRESHOLDS).length + Object.keys(APP_THRESHOLDS).length).to.equal(16);
  });
});

function writeConstantFlags(history: History): void {
  history.seen('on-for-long', { first: 31 * 24, last: 1, app: 'billing' });
  for (const feature of ['on-at-last', 'off-for-long', 'on-too-rarely', 'once-off'])
    history.seen(feature, { first: 31 * 24, last: 1 });
  history.seen('on-too-shortly', { first: 28 * 24, last: 1 });
  for (const feature of ['on-for-long', 'on-at-last', 'off-for-long', 'on-too-rarely', 'once-off'])
    history.exists(feature);
  history.exists('on-too-shortly');
  history.evaluated({ feature: 'on-for-long', daysAgo: 30, yes: 1001, app: 'billing' });
  history.evaluated({ feature: 'on-at-last', daysAgo: 31, no: 1 });
  history.evaluated({ feature: 'on-at-last', daysAgo: 0, no: 1 });
  history.evaluated({ feature: 'on-at-last', daysAgo: 1, yes: 5000 });
  history.evaluated({ feature: 'off-for-long', daysAgo: 1, no: 1002 });
  history.evaluated({ feature: 'on-too-rarely', daysAgo: 1, yes: 1000 });
  history.evaluated({ feature: 'once-off', daysAgo: 30, yes: 9999, no: 1 });
  history.evaluated({ feature: 'on-too-shortly', daysAgo: 1, yes: 9999 });
  history.instance({ app: 'billing', id: 'live', secondsAgo: 360 });
  history.instance({ app: 'billing', id: 'gone', secondsAgo: 361 });
  history.instance({ app: 'other', id: 'one', secondsAgo: 0 });
  history.instance({ app: 'other', id: 'two', secondsAgo: 3600, intervalMs: 0 });
}

function writeFirstAndLast(history: History): void {
  for (const feature of ['silent-just-now', 'not-yet-silent', 'silent-archived'])
    history.exists(feature, { isArchived: feature === 'silent-archived' });
  history.exists('silent-in-staging');
  history.seen('silent-just-now', { first: 2000, last: WEEK + 1 });
  history.seen('silent-in-staging', { first: 2000, last: WEEK + 1, environment: 'staging' });
  history.seen('not-yet-silent', { first: 2000, last: WEEK });
  history.seen('silent-archived', { first: 2000, last: WEEK + 1 });
  for (const feature of ['new-at-first', 'new-for-a-week', 'not-new-any-more', 'not-yet-new', 'checkout'])
    history.exists(feature);
  history.exists('checkout-flow');
  history.seen('new-at-first', { first: 1, last: 1 });
  history.seen('new-for-a-week', { first: WEEK, last: 1 });
  history.seen('not-new-any-more', { first: WEEK + 1, last: 1 });
  history.seen('not-yet-new', { first: 0, last: 0 });
  history.seen('checkout-flwo', LONG_AGO);
  history.seen('chekcuot', { first: 2000, last: 30 * 24 });
  history.seen('nothing-like-it', LONG_AGO);
  history.seen('forgotten-long-ago', { first: 2000, last: 30 * 24 + 1 });
}

function writeCalls(history: History): void {
  history.exists('off-called', { isOn: false });
  history.exists('off-hardly-called', { isOn: false });
  history.exists('theirs-called', { isOn: false, source: 'opentelemetry' });
  history.exists('archived-called', { isArchived: true });
  history.exists('archived-hardly-called', { isArchived: true });
  for (const feature of [
    'off-called',
    'off-hardly-called',
    'archived-called',
    'archived-hardly-called',
    'theirs-called',
  ]) {
    history.seen(feature, LONG_AGO);
    history.evaluated({ feature, hoursAgo: 6, no: 100 });
    history.evaluated({ feature, hoursAgo: 7, no: 9999 });
    history.evaluated({ feature, hoursAgo: 0, no: 9999 });
  }
  history.evaluated({ feature: 'off-called', hoursAgo: 1, yes: 1 });
  history.evaluated({ feature: 'theirs-called', hoursAgo: 1, yes: 1 });
  history.evaluated({ feature: 'archived-called', hoursAgo: 1, yes: 1 });
}

function writeCliffs(history: History): void {
  const cliff = (feature: string, { before, now }: { before: number; now: number }): void => {
    history.exists(feature);
    history.seen(feature, LONG_AGO);
    history.evaluated({ feature, hoursAgo: WEEK + 6, yes: before });
    history.evaluated({ feature, hoursAgo: WEEK + 7, yes: 99_999 });
    history.evaluated({ feature, hoursAgo: WEEK, yes: 99_999 });
    if (now > 0) history.evaluated({ feature, hoursAgo: 1, no: now });
  };
  cliff('cliff-below', { before: 1000, now: 499 });
  cliff('cliff-to-nothing', { before: 1000, now: 0 });
  cliff('slope-of-half', { before: 1000, now: 500 });
  cliff('cliff-of-few', { before: 999, now: 0 });
}

function writeVariants(history: History): void {
  const drift = (feature: string, { red, blue }: { red: number; blue: number }): void => {
    history.exists(feature);
    history.seen(feature, LONG_AGO);
    history.served({ feature, hoursAgo: WEEK + 12, variant: 'red', count: 500 });
    history.served({ feature, hoursAgo: 13, variant: 'blue', count: 500 });
    history.served({ feature, hoursAgo: WEEK + 13, variant: 'blue', count: 99_999 });
    history.served({ feature, hoursAgo: 12, variant: 'red', count: red });
    history.served({ feature, hoursAgo: 1, variant: 'blue', count: blue });
  };
  drift('drift-above', { red: 717, blue: 283 });
  drift('drift-below', { red: 716, blue: 284 });
  drift('drift-of-few', { red: 999, blue: 0 });

  const variants = (feature: string, { red, blue }: { red: number; blue: number }): void => {
    history.exists(feature);
    history.seen(feature, LONG_AGO);
    history.served({ feature, daysAgo: 8, variant: 'red', count: red });
    history.evaluated({ feature, daysAgo: 7, yes: 1 });
    history.served({ feature, daysAgo: 7, variant: 'blue', count: blue });
  };
  variants('variant-died', { red: 100, blue: 1 });
  variants('variant-hardly-lived', { red: 99, blue: 1 });
  variants('variants-all-silent', { red: 100, blue: 0 });

  for (const feature of ['sum-above', 'sum-equal']) {
    history.exists(feature);
    history.seen(feature, LONG_AGO);
    history.evaluated({ feature, daysAgo: 7, yes: 6, no: 4 });
    history.evaluated({ feature, daysAgo: 7, yes: 100, app: 'other' });
    history.served({ feature, daysAgo: 7, variant: 'blue', count: 6 });
    history.served({ feature, daysAgo: 8, variant: 'blue', count: 1 });
  }
  history.served({ feature: 'sum-above', daysAgo: 7, variant: 'red', count: 5 });
  history.served({ feature: 'sum-equal', daysAgo: 7, variant: 'red', count: 4 });
}
