import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, aFeature, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import { type Step, IN_PRODUCTION, stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { eventually } from '../../../../support/eventually.ts';
import { someByDay } from '../../../../support/nightly.ts';
import { collectLog } from '../../../../support/stack/processes/collected-log.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';
import {} from '../../../../support/world.ts';

/** A function for triggers: raises the SQLSTATE in the table `trouble`, and does nothing while the table is empty. */
const TROUBLE = `
  create table trouble (state text);
  create function make_trouble() returns trigger language plpgsql as $$
  declare wanted text;
  begin
    select state into wanted from trouble;
    if wanted is not null then raise exception 'secret detail of %', tg_table_name using errcode = wanted; end if;
    return new;
  end $$`;

const AT_ONCE = `
  create trigger trouble before update on features
    for each row when (new.name like 'bad%') execute function make_trouble()`;
const AT_THE_COMMIT = `
  create constraint trigger trouble after update on features deferrable initially deferred
    for each row when (new.name like 'bad%') execute function make_trouble()`;
const WHEN_MARKED = `
  create trigger trouble before update on change_request_schedule
    for each row when (new.status = 'failed') execute function make_trouble()`;
const NO_MORE_TROUBLE = `
  delete from trouble;
  drop trigger if exists trouble on features;
  drop trigger if exists trouble on change_request_schedule;
  update change_request_schedule set status = 'suspended'`;

describe('a scheduled change request that cannot be applied', () => {
  const world = sharedWorldWithoutTopics();
  let api: Api;
  let author: string;
  let features = 0;
  const { log, lines } = collectLog();

  before(async () => {
    const { url } = await world.run((config) => startAdmin(config, log));
    api = await openApi(url);
    author = (await aUser(api, 'Admin', 'author')).token;
    await world.db.query(TROUBLE);
  });
  beforeEach(() => world.db.query(AT_ONCE));
  afterEach(() => world.db.query(NO_MORE_TROUBLE));

  /**
   * A request that archives new features whose names have this prefix. Requests that are scheduled first become due
   * first.
   */
  async function schedule(...kinds: string[]): Promise<number> {
    const names = kinds.map((kind) => `${kind}-${(features += 1)}`);
    for (const name of names) await aFeature(api, name);
    const changes = names.map((feature) => ({ feature, action: 'archiveFeature' }));
    const { body } = await api.post(IN_PRODUCTION, { changes }, { token: author });
    const { id } = body as { id: number };
    const path = `/api/admin/projects/default/change-requests/${id}`;
    const lead = (change: Step['change']) => stepAsRead(api, { path, change, token: author });
    for (const state of ['In review', 'Approved']) await lead({ state });
    const scheduledAt = new Date(Date.parse('2099-01-01T00:00:00Z') + id * 1000).toISOString();
    await lead({ state: 'Scheduled', scheduledAt });
    return id;
  }

  const fallDue = () =>
    world.db.query(`update change_request_schedule set scheduled_at = scheduled_at - interval '100 years'`);

  type Shown = { state: string; schedule?: { status: string; reason?: string } };
  const show = async (id: number) =>
    (await api.get(`/api/admin/projects/default/change-requests/${id}`)).body as Shown;
  const until = (id: number, isDone: (request: Shown) => boolean) => eventually(() => show(id), isDone);
  const isApplied = ({ state }: Shown) => state === 'Applied';
  const hasFailed = (request: Shown) => request.schedule?.status === 'failed';
  const setTrouble = (state: string) => world.db.query('insert into trouble values ($1)', [state]);
  const logged = (id: number, msg: string) =>
    lines().filter((line) => line['msg'] === msg && line['changeRequest'] === id);

  async function expectNothingOf(id: number): Promise<void> {
    const { rows } = await world.db.query<{ type: string }>(
      `select type from events where group_id = $1::text and created_by = 'system' order by id`,
      [id],
    );
    expect(rows.map(({ type }) => type)).to.deep.equal(['change-request-scheduled-application-failure']);
    const archived = await world.db.query(
      `select from features where name like 'fine%' and archived_at is not null`,
    );
    expect(archived.rowCount).to.equal(0);
  }

  it('fails alone when Postgres rejects a change: it is marked failed with a clear reason, and logged once', async () => {
    await setTrouble('23514');
    const bad = await schedule('fine', 'bad');
    const good = await schedule('good');
    await fallDue();
    await until(good, isApplied);
    const { schedule: failed } = await until(bad, hasFailed);
    expect(failed?.reason).to.equal(
      `An unexpected error stopped this change request, and nothing was changed. The log of the admin service describes the error under change request ${bad}.`,
    );
    await expectNothingOf(bad);
    expect(logged(bad, 'scheduled change request failed')).to.have.length(1);
  });

  it('fails alone when Postgres would reject it at the commit', async () => {
    await setTrouble('23514');
    await world.db.query(`drop trigger trouble on features; ${AT_THE_COMMIT}`);
    const bad = await schedule('fine', 'bad');
    const good = await schedule('good');
    await fallDue();
    await until(good, isApplied);
    await until(bad, hasFailed);
    await expectNothingOf(bad);
  });

  it('fails alone when it cannot even be marked', async () => {
    await setTrouble('23514');
    const bad = await schedule('bad');
    const good = await schedule('good');
    await world.db.query(WHEN_MARKED);
    await fallDue();
    await until(good, isApplied);
    expect(await show(bad)).to.have.nested.property('schedule.status', 'pending');
    await world.db.query('delete from trouble');
    await until(bad, isApplied);
    expect(logged(bad, 'scheduled change request postponed')).to.have.length(1);
  });

  const momentary = [
    ['40001', 'a serialization failure'],
    ['40P01', 'a deadlock'],
    ['53100', 'a full disk'],
    ['55P03', 'a lock'],
  ] as const;
  for (const [state, name] of someByDay(momentary, 1 / 4)) {
    it(`is retried after ${name}, and later ones are applied meanwhile`, async () => {
      await setTrouble(state);
      const bad = await schedule('bad');
      const good = await schedule('good');
      await fallDue();
      await until(good, isApplied);
      expect(await show(bad)).to.have.nested.property('schedule.status', 'pending');
      await world.db.query('delete from trouble');
      await until(bad, isApplied);
    });
  }

  it('is retried when it waits for a feature that somebody has locked, and later ones are applied meanwhile', async () => {
    const bad = await schedule('bad');
    const good = await schedule('good');
    const holder = await world.db.connect();
    try {
      await holder.query('begin');
      await holder.query(`select from features where name like 'bad%' for update`);
      await fallDue();
      await until(good, isApplied);
      expect(await show(bad)).to.have.nested.property('schedule.status', 'pending');
      await holder.query('rollback');
      await until(bad, isApplied);
    } finally {
      holder.release(true);
    }
  });
});
