import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { dayOf, isoDay } from '#base/schema';
import { inBackground, readConfig } from '#base/runtime';
import { toCsv } from '../../../services/console/state/chart/csv.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { type Upstream, startUpstream } from '../../support/servers/upstream/upstream.ts';
import { type World, createWorld } from '../../support/world.ts';

const FROM = dayOf(Date.now()) - 10;
const [FIRST, SECOND, END] = [isoDay(FROM), isoDay(FROM + 1), isoDay(FROM + 2)];
const SECRET = 'not+to/be=seen';

describe('flagmeter export-usage', () => {
  let world: World;
  let directory: string;

  before(async () => {
    world = await createWorld();
    await runStatement(
      world.clickhouse,
      `insert into usage_daily (feature_name, environment, app_name, day, yes, no, reports)
       select 'feature-' || toString(number % 1000), 'production', 'app', toDate('${FIRST}') + intDiv(number, 1000), number, 18446744073709000000, 1
       from numbers(3000)`,
    );
    await runStatement(
      world.clickhouse,
      `insert into variants_hourly (feature_name, environment, app_name, variant, hour, count)
       values ('a, "quoted" name', 'production', 'app', 'blue', '${FIRST} 23:00:00', 7)`,
    );
  });
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-export-'));
  });
  afterEach(() => rm(directory, { recursive: true }));
  after(() => world.dispose());

  it('writes one Parquet file per day whose sums are those of the view', async () => {
    const { output } = await exportUsage();

    expect(output).to.include(`usage_by_day/${FIRST}.parquet: written`);
    expect(output).to.include('4 files written, 0 kept.');
    expect(await readdir(directory)).to.have.members(['usage_by_day', 'variants_by_day']);
    expect(await readdir(path.join(directory, 'usage_by_day'))).to.have.members([
      `${FIRST}.parquet`,
      `${SECOND}.parquet`,
    ]);
    for (const day of [FIRST, SECOND]) {
      const sums =
        'count() as n, sum(yes) as yes, max(no) as no, sum(reports) as reports, min(day) as of_day';
      const file = path.join(directory, `usage_by_day/${day}.parquet`);
      const stored = await world.query(`select ${sums} from usage_by_day where day = {day:Date}`, { day });
      expect(await world.query(`select ${sums} from file({file:String}, 'Parquet')`, { file })).to.deep.equal(
        stored,
      );
      expect(stored).to.have.nested.property('[0].n', '1000');
    }
  });

  it('writes hours as CSV', async () => {
    await exportUsage('--by', 'hour', '--format', 'csv');

    expect(await readFile(path.join(directory, `variants_by_hour/${FIRST}.csv`), 'utf8')).to.equal(
      '"hour","environment","feature_name","app_name","variant","count"\n' +
        `"${FIRST} 23:00:00","production","a, ""quoted"" name","app","blue",7\n`,
    );
    expect(await readFile(path.join(directory, `variants_by_hour/${SECOND}.csv`), 'utf8')).to.match(
      /^"hour"[^\n]*\n$/,
    );
  });

  it('gives names that a spreadsheet would run an apostrophe on request, as the console does', async () => {
    const first = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
    const begun = [...first, '\t', '\r', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
    const names = ['', 'a', ' ', ';', 'a; ', '=;'].flatMap((before) =>
      begun.map((one) => `${before}${one}cmd|' /C calc'!A1`),
    );
    await world.clickhouse.insert({
      table: 'variants_hourly',
      values: names.map((variant) => ({
        feature_name: 'named',
        environment: 'production',
        app_name: 'app',
        variant,
        hour: `${SECOND} 10:00:00`,
        count: 1,
      })),
      format: 'JSONEachRow',
    });
    await exportUsage('--by', 'hour', '--format', 'csv', '--for-spreadsheets');
    const file = path.join(directory, `variants_by_hour/${SECOND}.csv`);
    const rows = await world.query<{ variant: string }>(
      `select variant from file({file:String}, 'CSVWithNames') where feature_name = 'named'`,
      { file },
    );
    await runStatement(world.clickhouse, `alter table variants_hourly delete where feature_name = 'named'`, {
      mutations_sync: '2',
    });

    const inConsole = names.map((name) =>
      toCsv([[name]])
        .replace(/\r\n$/, '')
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"'),
    );
    expect(rows.map(({ variant }) => variant)).to.have.members(inConsole);
    const cells = inConsole.flatMap((name) => name.split(/[;,|"\t]/));
    expect(cells.filter((cell) => /^ *[=+@\uff1d\uff0b\uff0d\uff20-]/.test(cell))).to.deep.equal([]);
    expect(cells.filter((cell) => cell.startsWith("'="))).to.have.length.above(3);
    expect(await failureOf(exportUsage('--for-spreadsheets'))).to.include({ code: 'usage' });
  });

  it('writes files and folders that only their owner can read', async () => {
    const modeOf = async (...parts: readonly string[]) =>
      (await stat(path.join(directory, ...parts))).mode & 0o777;
    const { output } = await callCli(world, ...command(path.join(directory, 'new', 'folder')));

    expect(output).to.include('4 files written');
    for (const folder of [['new'], ['new', 'folder'], ['new', 'folder', 'usage_by_day']])
      expect(await modeOf(...folder), folder.join('/')).to.equal(0o700);
    expect(await modeOf('new', 'folder', 'usage_by_day', `${FIRST}.parquet`)).to.equal(0o600);
  });

  it('keeps files that exist, unless it may overwrite them', async () => {
    await exportUsage('--format', 'csv');
    const file = path.join(directory, `variants_by_day/${FIRST}.csv`);
    const before = await readFile(file, 'utf8');
    await runStatement(
      world.clickhouse,
      `insert into variants_daily (feature_name, environment, app_name, variant, day, count)
       values ('late', 'production', 'app', 'red', '${FIRST}', 1)`,
    );

    expect((await exportUsage('--format', 'csv')).output).to.include('0 files written, 4 kept.');
    expect(await readFile(file, 'utf8')).to.equal(before);
    expect((await exportUsage('--format', 'csv', '--overwrite')).output).to.include('4 files written');
    expect(await readFile(file, 'utf8')).to.equal(`${before}"${FIRST}","production","late","app","red",1\n`);
  });

  it('leaves no file if the stream is cut', async () => {
    const proxy = await startCutting(world.config.clickhouse.url);
    const config = readConfig({ ...world.env, CLICKHOUSE_URL: proxy.url });
    const failure = await failureOf(callCli({ ...world, config }, ...command(directory)));
    proxy.close();

    expect(failure).to.be.instanceOf(Error);
    expect(proxy.cuts()).to.equal(1);
    expect(await readdir(path.join(directory, 'usage_by_day'))).to.deep.equal([]);
  });

  it('rejects days that are not complete or may have been deleted', async () => {
    const today = isoDay(dayOf(Date.now()) + 1);
    const old = isoDay(FROM - 100);
    for (const [args, message] of [
      [['--from', FIRST, '--to', today], /^--to must be at most .*not complete/],
      [['--from', old, '--to', END, '--by', 'hour'], /^--from must be at least .*deleted/],
      [['--from', END, '--to', END], /^--to must be later than --from$/],
      [['--from', '2026-02-30', '--to', END], /^2026-02-30 is not a day/],
    ] as const) {
      const failure = await failureOf(callCli(world, 'export-usage', directory, ...args));
      expect(String(failure)).to.match(new RegExp(message.source.replace(/^\^/, ': ')));
    }
    expect(await readdir(directory)).to.deep.equal([]);
  });

  describe('to S3', () => {
    const stored = new Map<string, string>();
    let bucket: Upstream;

    before(async () => {
      bucket = await startUpstream(({ method, path: key, body }, response) => {
        if (method === 'PUT') stored.set(key, body);
        const found = stored.get(key);
        if (found === undefined) response.writeHead(404).end();
        else
          response
            .writeHead(200, { etag: '"1"', 'content-length': method === 'PUT' ? 0 : found.length })
            .end();
      });
    });
    after(() => bucket.close());

    it('writes each file once, with credentials that only sign requests', async () => {
      const first = await exportToBucket();
      expect(first.output).to.include('4 files written, 0 kept.');
      expect([...stored.keys()]).to.include(`/bucket/usage/usage_by_day/${FIRST}.csv`);
      const rows = stored.get(`/bucket/usage/usage_by_day/${FIRST}.csv`)?.trimEnd().split('\n') ?? [];
      expect(rows).to.have.length(1001);
      expect(rows[1]).to.equal(`"${FIRST}","production","feature-0","app",0,18446744073709000000,0,1`);
      expect(bucket.requests[0]?.headers.authorization).to.include('Credential=key-id/');
      expect(JSON.stringify(bucket.requests)).to.not.include(SECRET);

      expect((await exportToBucket()).output).to.include('0 files written, 4 kept.');
      expect((await exportToBucket('--overwrite')).output).to.include('4 files written, 0 kept.');
    });

    it('fails without showing the secret if the bucket rejects it', async () => {
      bucket.respond = (_request, response) => {
        response.writeHead(403).end();
      };
      const failure = await failureOf(exportToBucket());

      expect(failure).to.be.instanceOf(Error);
      expect(String(failure)).to.not.include(SECRET);
    });

    it('needs a directory or a bucket', async () => {
      const failure = await failureOf(callCli(world, 'export-usage', '--from', FIRST, '--to', END));
      expect(String(failure)).to.include('name a directory, or set EXPORT_S3_URL');
    });

    function exportToBucket(...args: readonly string[]) {
      const config = readConfig({
        ...world.env,
        EXPORT_S3_URL: `${bucket.url}/bucket/usage`,
        EXPORT_S3_ACCESS_KEY_ID: 'key-id',
        EXPORT_S3_SECRET_ACCESS_KEY: SECRET,
      });
      const days = ['--from', FIRST, '--to', END, '--format', 'csv'];
      return callCli({ ...world, config }, 'export-usage', ...days, ...args);
    }
  });

  function exportUsage(...args: readonly string[]) {
    return callCli(world, ...command(directory), ...args);
  }
});

function command(directory: string): string[] {
  return ['export-usage', directory, '--from', FIRST, '--to', END];
}

async function failureOf(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => undefined,
    (error: unknown) => error,
  );
}

type Cutting = { readonly url: string; cuts(): number; close(): void };

/** Forwards requests to ClickHouse, but breaks the connection after half of each answer. */
async function startCutting(target: string): Promise<Cutting> {
  let cuts = 0;
  const server = createServer((incoming, outgoing) => {
    const cutAnswer = async (): Promise<void> => {
      const body = Buffer.concat(await incoming.toArray());
      const headers = { authorization: incoming.headers.authorization ?? '' };
      const answer = await fetch(`${target}${incoming.url ?? ''}`, { method: 'POST', headers, body });
      const whole = Buffer.from(await answer.arrayBuffer());
      cuts += 1;
      outgoing.write(whole.subarray(0, whole.length / 2), () => outgoing.destroy());
    };
    inBackground(cutAnswer(), () => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    cuts: () => cuts,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
