import { expect } from 'chai';
import { backUpDatabase, countTables, restoreDatabase, whyNoBackup } from '#core/clickhouse';
import { type Answer, recordedClickHouse } from '../../../support/servers/upstream/clickhouse-server.ts';

const PLACE = { database: 'flagmeter', disk: 'backups', name: 'night-1.zip' };

describe('a backup that ClickHouse writes', () => {
  let isMissing: boolean;
  let hasLocalNames: boolean;
  /** The states of the backup, one after the other. */
  let states: Answer[];
  /** Why ClickHouse restores no backup from a disk. */
  let rejection: string;
  let views: { name: string; query: string }[];

  const clickhouse = recordedClickHouse(({ sql }) => {
    if (sql.includes("metadata_type = 'Local'")) return hasLocalNames ? [{ 1: 1 }] : [];
    if (sql.includes('from system.disks')) return isMissing ? [] : [{ 1: 1 }];
    if (sql.includes('from system.backups')) return states.shift() ?? [];
    if (sql.includes('view_refreshes')) return views;
    if (sql.startsWith('select count()')) return [{ tables: '14' }];
    return sql.startsWith('restore database no_such_database') ? rejection : [];
  });
  beforeEach(() => {
    [isMissing, hasLocalNames, views] = [false, false, []];
    states = [[{ status: 'BACKUP_CREATED', error: '' }]];
    rejection = 'BACKUP_NOT_FOUND';
  });

  const statements = (): string[] => clickhouse.statements.map(({ sql }) => sql);
  const problemOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

  it('is waited for in the background, as a connection does not live for hours', async () => {
    const busy = [{ status: 'CREATING_BACKUP', error: '' }];
    states = [busy, busy, ...states];
    await backUpDatabase(clickhouse.db, PLACE);
    const [disk, backup, ...looks] = clickhouse.statements;
    expect(disk?.params).to.include({ param_disk: 'backups' });
    const [, id = ''] =
      /^backup database `flagmeter` to Disk\('backups', 'night-1\.zip'\) settings id = '([\w-]{36})' async$/.exec(
        backup?.sql ?? '',
      ) ?? [];
    expect(looks.map(({ sql, params }) => [sql, params['param_id']])).to.deep.equal(
      [1, 2, 3].map(() => [
        'select status, error from system.backups where id = {id:String} FORMAT JSONEachRow',
        id,
      ]),
    );
  });

  it('fails with the error of ClickHouse, without its stack trace', async () => {
    states = [
      [
        {
          status: 'BACKUP_FAILED',
          error: 'Code: 1. No space left, Stack trace (when copying): 0. f()\n1. g()',
        },
      ],
    ];
    expect(await problemOf(backUpDatabase(clickhouse.db, PLACE))).to.include({
      code: 'backup',
      message: 'ClickHouse: Code: 1. No space left',
    });
  });

  it('fails if ClickHouse has forgotten it', async () => {
    states = [[]];
    expect(await problemOf(backUpDatabase(clickhouse.db, PLACE))).to.include({
      code: 'backup',
      message: 'ClickHouse was restarted meanwhile',
    });
  });

  it('is not written where it would be lost with the server', async () => {
    hasLocalNames = true;
    const problem = await problemOf(backUpDatabase(clickhouse.db, PLACE));
    expect(problem).to.include({ code: 'disk' });
    expect(String(problem)).to.include('use the type s3_plain');
    expect(statements()).to.have.length(1);
  });

  for (const part of ['disk', 'name'] as const)
    it(`has a ${part} that cannot end its quotes`, async () => {
      for (const wrong of ["it's", 'a/b', '', 'a b', 'ä'])
        expect(await problemOf(backUpDatabase(clickhouse.db, { ...PLACE, [part]: wrong })), wrong).to.include(
          {
            code: 'usage',
            message: `${wrong} may have letters, digits, "_", "-" and "." only`,
          },
        );
    });

  it('is restored with all views that are computed again and again, whose queries ClickHouse must read anew', async () => {
    states = [[{ status: 'RESTORED', error: '' }]];
    views = [
      { name: 'a', query: 'select 1 union all select 2' },
      { name: 'b', query: 'select 3' },
    ];
    await restoreDatabase(clickhouse.db, PLACE);
    const all = statements();
    expect(all[0]).to.match(
      /^restore database `flagmeter` from Disk\('backups', 'night-1\.zip'\) settings id = '[\w-]{36}' async$/,
    );
    expect(clickhouse.statements[2]?.params).to.include({ param_database: 'flagmeter' });
    expect(all[2]).to.equal(
      'select name, as_select as query from system.tables where database = {database:String} and name in (select view from system.view_refreshes where database = {database:String}) FORMAT JSONEachRow',
    );
    expect(all.slice(3)).to.deep.equal([
      'alter table `flagmeter`.`a` modify query select 1 union all select 2',
      'alter table `flagmeter`.`b` modify query select 3',
    ]);
  });

  it('counts the tables of its database', async () => {
    expect(await countTables(clickhouse.db, 'flagmeter')).to.equal(14);
    expect(clickhouse.statements[0]?.params).to.include({ param_database: 'flagmeter' });
    expect(statements()[0]).to.include('from system.tables where database = {database:String}');
  });

  describe('before it is wanted', () => {
    it('would be accepted by a disk from which ClickHouse restores', async () => {
      expect(await whyNoBackup(clickhouse.db, 'backups')).to.equal(undefined);
      expect(clickhouse.statements.slice(0, 2).map(({ params }) => params['param_disk'])).to.deep.equal([
        'backups',
        'backups',
      ]);
      expect(statements()[0]).to.include('from system.disks where name = {disk:String}');
      expect(statements()[2]).to.equal(
        "restore database no_such_database from Disk('backups', 'no-such-backup')",
      );
    });

    it('would not be, by a disk that does not exist', async () => {
      isMissing = true;
      expect(await whyNoBackup(clickhouse.db, 'backups')).to.equal('missing');
    });

    it('would not be, by a disk with the names of its files on the server', async () => {
      hasLocalNames = true;
      expect(await whyNoBackup(clickhouse.db, 'backups')).to.equal('local names');
    });

    it('is not judged by another error', async () => {
      rejection = 'ACCESS_DENIED';
      expect(await problemOf(whyNoBackup(clickhouse.db, 'backups'))).to.include({ type: 'ACCESS_DENIED' });
    });
  });
});
