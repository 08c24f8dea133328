import { expect } from 'chai';
import { aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import {
  type Finding,
  recordFindings,
} from '../../../../../services/admin/advice/verdicts/store/record-findings.ts';

type RecordedVerdict = {
  readonly id: number;
  readonly subject: string;
  readonly endedAt: string | null;
  readonly acknowledgement: {
    readonly reason: string;
    readonly until: string | null;
    readonly by: string;
  } | null;
};

const aFinding = (subject: string, members: Partial<Finding> = {}): Finding => ({
  subjectType: 'feature',
  subject,
  environment: 'production',
  verdict: 'always_on',
  sentence: `Each evaluation of ${subject} was enabled.`,
  since: '2026-10-22T00:00:00.000Z',
  evaluations: 2000,
  ...members,
});

describe('recorded verdicts', () => {
  const world = sharedAdminWorld();
  before(async () => {
    // Causes are only written while somebody listens. Nobody dispatches them here, because this one listens to nothing.
    await world.db.query(
      `insert into notification_subscriptions (name, channel, host, sealed_url, sealed_secret, seal_id, causes, created_by)
       values ('nobody', 'webhook', '', '', '', gen_random_uuid(), '{}', 'test')`,
    );
  });
  beforeEach(async () => {
    await world.db.query('truncate verdicts');
    await world.db.query('truncate told');
  });

  before(async () => {
    // Keeps a copy of each cause, because the notifier takes them within a second.
    await world.db.query(
      'create table told (id bigint generated always as identity, kind text, subject text)',
    );
    await world.db.query(
      `create function keep_told() returns trigger language plpgsql as $$
       begin
         if new.kind <> 'event' then
           insert into told (kind, subject) values (new.kind, new.data ->> 'subject');
         end if;
         return new;
       end $$`,
    );
    await world.db.query(
      'create trigger kept after insert on notification_causes for each row execute function keep_told()',
    );
  });

  async function find(found: readonly Finding[], isComplete = true): Promise<void> {
    await recordFindings(world.db, {
      subjectTypes: ['feature'],
      verdicts: ['always_on', 'unknown'],
      found,
      isComplete,
    });
  }

  async function told(): Promise<string[]> {
    const { rows } = await world.db.query<{ kind: string; subject: string }>(
      'select * from told order by id',
    );
    return rows.map(({ kind, subject }) => `${kind} ${subject}`);
  }

  async function recorded(query = ''): Promise<RecordedVerdict[]> {
    return ((await world.api.get(`/api/admin/verdicts${query}`)).body as { verdicts: RecordedVerdict[] })
      .verdicts;
  }

  /** The time that the database remembers was so long ago. */
  async function pass(interval: string): Promise<void> {
    await world.db.query(
      `update verdicts
       set absent_since = absent_since - $1::interval, acknowledged_until = acknowledged_until - $1::interval`,
      [interval],
    );
  }

  async function acknowledge(subject: string, body: object): Promise<number> {
    const verdict = (await recorded()).find((one) => one.subject === subject);
    const path = `/api/admin/verdicts/${verdict?.id ?? 0}/acknowledgement`;
    return (await world.api.put(path, { reason: 'It stays.', ...body })).status;
  }

  const later = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

  it('begins once, however often a verdict is found', async () => {
    for (let round = 0; round < 3; round += 1) await find([aFinding('a'), aFinding('b')]);
    expect(await told()).to.deep.equal(['verdict-appeared a', 'verdict-appeared b']);
    expect(await recorded('?state=open')).to.have.length(2);
  });

  it('ends when a verdict is missing for ten minutes, and not before', async () => {
    await find([aFinding('a')]);
    await find([]);
    await pass('9 minutes');
    await find([]);
    expect(await told()).to.deep.equal(['verdict-appeared a']);
    await pass('1 minute');
    await find([]);
    await find([]);
    expect(await told()).to.deep.equal(['verdict-appeared a', 'verdict-ended a']);
    expect((await recorded('?state=ended')).map(({ subject }) => subject)).to.deep.equal(['a']);
  });

  it('ends in time although the clock was ahead when it was missed first', async () => {
    await find([aFinding('a')]);
    await find([]);
    await pass('-1 day');
    await find([]);
    await pass('10 minutes');
    await find([]);
    expect(await told()).to.deep.equal(['verdict-appeared a', 'verdict-ended a']);
  });

  it('goes on if a verdict comes back before it has ended', async () => {
    await find([aFinding('a')]);
    await find([]);
    await pass('9 minutes');
    await find([aFinding('a')]);
    await pass('9 minutes');
    await find([]);
    expect(await told()).to.deep.equal(['verdict-appeared a']);
  });

  it('begins again after it has ended', async () => {
    await find([aFinding('a')]);
    await find([]);
    await pass('10 minutes');
    await find([]);
    await find([aFinding('a')]);
    expect(await told()).to.deep.equal(['verdict-appeared a', 'verdict-ended a', 'verdict-appeared a']);
    expect(await recorded()).to.have.length(1);
  });

  it('never ends by a reading that is not complete, or that looked for something else', async () => {
    await find([aFinding('a')]);
    await recordFindings(world.db, {
      subjectTypes: ['relay'],
      verdicts: ['relay_silent'],
      found: [],
      isComplete: true,
    });
    await find([], false);
    await pass('1 day');
    await find([], false);
    expect(await told()).to.deep.equal(['verdict-appeared a']);
  });

  it('is quiet while somebody has acknowledged it, also if it ends and begins again', async () => {
    await find([aFinding('a')]);
    expect(await acknowledge('a', { until: later(24) })).to.equal(200);
    await find([]);
    await pass('10 minutes');
    await find([]);
    await find([aFinding('a')]);
    expect(await told()).to.deep.equal(['verdict-appeared a']);
    const [verdict] = await recorded('?state=acknowledged');
    expect(verdict?.acknowledgement).to.deep.include({ reason: 'It stays.', by: 'initial admin' });
  });

  it('is told again when the acknowledgement is over and the verdict still holds', async () => {
    await find([aFinding('a'), aFinding('b')]);
    await acknowledge('a', { until: later(24) });
    await acknowledge('b', {});
    await pass('25 hours');
    await find([aFinding('a'), aFinding('b')]);
    await find([aFinding('a'), aFinding('b')]);
    expect(await told()).to.deep.equal(['verdict-appeared a', 'verdict-appeared b', 'verdict-appeared a']);
  });

  it('can be acknowledged and taken back by Editors, each with an event, and not by Viewers', async () => {
    await find([aFinding('a')]);
    const [verdict] = await recorded();
    const path = `/api/admin/verdicts/${verdict?.id ?? 0}/acknowledgement`;
    const editor = await aUser(world.api, 'Editor', 'eve');
    const viewer = await aUser(world.api, 'Viewer', 'vic');
    expect((await world.api.put(path, { reason: 'No.' }, { token: viewer.token })).status).to.equal(403);
    expect((await world.api.put(path, { reason: 'It stays.' }, { token: editor.token })).status).to.equal(
      200,
    );
    const removed = await world.api.delete(path, { token: editor.token });
    expect((removed.body as RecordedVerdict).acknowledgement).to.equal(null);
    const { rows } = await world.db.query<{ type: string; created_by: string; feature_name: string }>(
      `select type, created_by, feature_name from events where type like 'verdict-%' order by id desc limit 2`,
    );
    expect(rows.map(({ type, created_by: by, feature_name: name }) => `${type} ${by} ${name}`)).to.deep.equal(
      ['verdict-acknowledgement-removed eve a', 'verdict-acknowledged eve a'],
    );
  });

  it('is acknowledged with a reason and until a future time only', async () => {
    await find([aFinding('a')]);
    expect(await acknowledge('a', { reason: '' })).to.equal(400);
    expect(await acknowledge('a', { until: '2020-01-01T00:00:00.000Z' })).to.equal(400);
    expect(
      (await world.api.put('/api/admin/verdicts/999999/acknowledgement', { reason: 'No.' })).status,
    ).to.equal(404);
  });

  it('is listed by verdict and feature', async () => {
    await find([aFinding('a'), aFinding('b', { verdict: 'unknown' })]);
    expect((await recorded('?verdict=unknown')).map(({ subject }) => subject)).to.deep.equal(['b']);
    expect((await recorded('?feature=a')).map(({ subject }) => subject)).to.deep.equal(['a']);
  });
});
