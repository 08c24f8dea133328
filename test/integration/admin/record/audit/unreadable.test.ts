import { expect } from 'chai';
import { logEntries } from '../../../../../services/admin/record/audit/store/log-entries.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';
import { collectLog } from '../../../../support/stack/processes/collected-log.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';

describe('entries of the audit that somebody has added past the rules of its table', () => {
  const world = sharedWorldWithoutTopics();
  before(async () => {
    await world.db.query(`
      insert into audit_entries (content) values ('{"operation":"test","outcome":"done"}');
      alter table audit_entries drop constraint audit_entries_content_check;
      insert into audit_entries (content)
      values ('null'), ('{"status":"x","userId":"y","credentialId":"z"}'), ('[]'), ('{"operation":"test","outcome":"done"}');`);
  });

  it('are named when the chain is verified, to its end', async () => {
    const { output, exitCode } = await callCli(world, 'audit', 'verify');
    expect(exitCode).to.equal(1);
    expect(output).to.include('not readable: 2, 4.').and.include('5 entries agree.');
  });

  it('do not stop the lines of the log', async () => {
    const { log, lines } = collectLog();
    await logEntries(world.db, log);
    expect(lines().map(({ sequence, msg }) => `${String(sequence)} ${String(msg)}`)).to.deep.equal([
      '1 audit',
      '2 audit entry is not readable',
      '3 audit',
      '4 audit entry is not readable',
      '5 audit',
    ]);
  });

  it('are rows of the view, without what it cannot read', async () => {
    const { rows } = await world.db.query('select sequence, status, user_id from audit order by sequence');
    expect(rows).to.have.length(5);
    expect(rows[2]).to.deep.equal({ sequence: '3', status: null, user_id: null });
  });
});
