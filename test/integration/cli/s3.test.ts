import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { dayOf, isoDay } from '#base/schema';
import { readConfig } from '#base/runtime';
import {
  type OwnClickHouse,
  type OwnS3,
  ownClickHouse,
  ownS3,
} from '../../support/stack/engines/own-engines.ts';
import { describeNightly } from '../../support/nightly.ts';
import { type CliOutcome, callCli } from '../../support/stack/processes/cli-in-process.ts';
import { runCli } from '../../support/stack/processes/cli.ts';
import { type World, createWorld } from '../../support/world.ts';

const TODAY = dayOf(Date.now());
const [DAY, END] = [isoDay(TODAY - 3), isoDay(TODAY - 2)];
const EXPORT = ['export-usage', '--from', DAY, '--to', END];
const VIEWS = { usage_by_day: 'yes, no, reports', variants_by_day: 'count' } as const;

describeNightly('a real server of S3', () => {
  let s3: OwnS3;
  let clickhouse: OwnClickHouse;
  let world: World;

  before(async () => {
    s3 = await ownS3();
    const { id, secret } = s3;
    clickhouse = await ownClickHouse({ bucket: { url: `${s3.bucket}/nightly/`, id, secret } });
    world = await createWorld(clickhouse.access);
    for (const statement of [
      `insert into usage_daily (feature_name, environment, app_name, day, yes, no, reports)
       select 'feature ' || toString(number % 50), 'production', 'app', toDate('${DAY}') - intDiv(number, 50), number, 7, 1
       from numbers(150)`,
      `insert into variants_daily (feature_name, environment, app_name, variant, day, count)
       values ('a, "quoted" name', 'production', 'app', 'blue', '${DAY}', 7)`,
    ])
      await runStatement(world.clickhouse, statement);
  });
  after(async () => {
    await world.dispose();
    await clickhouse.dispose();
    await s3.dispose();
  });

  it('gets files of export-usage with the sums of the views, each once', async () => {
    for (const [format, name] of [
      ['parquet', 'Parquet'],
      ['csv', 'CSVWithNames'],
    ] as const) {
      const { output } = await exportUsage('--format', format);
      expect(output).to.include('2 files written, 0 kept.');
      for (const [view, columns] of Object.entries(VIEWS)) {
        const sums = columns.split(', ').map((column) => `sum(${column}) as ${column}`);
        const select = `select count() as stored, ${sums.join(', ')}, min(day) as first, max(day) as last`;
        const url = `${s3.bucket}/usage/${view}/${DAY}.${format}`;
        const read = `${select} from s3({url:String}, {id:String}, {secret:String}, '${name}')`;
        const stored = await world.query(`${select} from ${view} where day = {day:Date}`, { day: DAY });
        expect(await world.query(read, { url, id: s3.id, secret: s3.secret })).to.deep.equal(stored);
      }
    }
    expect((await exportUsage()).output).to.include('0 files written, 2 kept.');
    expect((await exportUsage('--overwrite')).output).to.include('2 files written, 0 kept.');
  });

  it('ends the export with the bucket or the credentials to correct, and exit code 1', async () => {
    for (const [overrides, message] of [
      [{ EXPORT_S3_URL: `${s3.address}/no-bucket/usage` }, /bucket does not exist, bucket no-bucket/],
      [{ EXPORT_S3_SECRET_ACCESS_KEY: 'another' }, /403.*check your AWS credentials/],
      [{ EXPORT_S3_ACCESS_KEY_ID: 'another' }, /403.*check your AWS credentials/],
    ] as const) {
      const { code, stderr } = await runCli(world, EXPORT, { ...settings(), ...overrides });
      expect(stderr).to.match(message).and.not.include(s3.secret);
      expect(code).to.equal(1);
    }
  });

  it('keeps the part of ClickHouse of a backup', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'flagmeter-backup-'));
    try {
      const folder = join(parent, 'night');
      const before = await readViews();
      const { output } = await callCli(world, 'backup', folder, '--disk', 'bucket');
      expect(output).to.include('on the disk bucket of ClickHouse.');
      await runStatement(world.clickhouse, `drop database ${world.config.clickhouse.database} sync`);
      await callCli(world, 'restore', folder, '--only', 'clickhouse');
      expect(await readViews()).to.deep.equal(before);
    } finally {
      await rm(parent, { recursive: true });
    }
  });

  function readViews(): Promise<unknown> {
    const reads = Object.keys(VIEWS).map((view) =>
      world.query(`select * except is_complete from ${view} order by all`),
    );
    return Promise.all(reads);
  }

  function settings(): Record<string, string> {
    return {
      EXPORT_S3_URL: `${s3.bucket}/usage`,
      EXPORT_S3_ACCESS_KEY_ID: s3.id,
      EXPORT_S3_SECRET_ACCESS_KEY: s3.secret,
    };
  }

  function exportUsage(...args: readonly string[]): Promise<CliOutcome> {
    const config = readConfig({ ...world.env, ...settings() });
    return callCli({ ...world, config }, ...EXPORT, ...args);
  }
});
