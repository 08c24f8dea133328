import { expect } from 'chai';
import { createLogCheck } from '../../../../../services/admin/record/audit/store/check-log.ts';
import { logEntries } from '../../../../../services/admin/record/audit/store/log-entries.ts';
import { collectLog } from '../../../../support/stack/processes/collected-log.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';

describe('entries of the audit that do not reach the log', () => {
  const world = sharedWorldWithoutTopics();
  before(async () => {
    await world.db.query(`
      insert into audit_entries (content) values ('{"operation":"test","outcome":"done"}');
      alter table audit_entries disable trigger audit_entries_chained;
      update audit_entries set at = now() - interval '2 minutes'`);
  });

  async function complaints(): Promise<unknown[]> {
    const { log, lines } = collectLog();
    const check = createLogCheck(world.db, log);
    await logEntries(world.db, log);
    await check();
    await check();
    return lines()
      .filter(({ level }) => level === 50)
      .map(({ logged, newest }) => ({ logged, newest }));
  }

  it('are named once a minute, if somebody keeps their position', async () => {
    const client = await world.db.connect();
    await client.query('begin');
    await client.query('select from audit_log_position for update');
    expect(await complaints()).to.deep.equal([{ logged: 0, newest: 1 }]);
    await client.query('rollback');
    client.release();
    expect(await complaints()).to.deep.equal([]);
  });

  it('are named if somebody has set their position to a number that no entry has', async () => {
    await world.db.query('update audit_log_position set sequence = 9');
    expect(await complaints()).to.deep.equal([{ logged: 9, newest: 1 }]);
  });
});
