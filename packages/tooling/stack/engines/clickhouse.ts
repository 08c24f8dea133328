import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { clickhousePackages, filesOf, source } from '../layout.ts';
import { assertPortFree } from '../processes/ports.ts';
import { stopRecorded } from '../processes/processes.ts';
import type { ClickHouseSettings } from './engine-settings.ts';
import { type Engine, launchEngine } from './engine.ts';

export type ClickHouseOptions = {
  readonly directory: string;
  readonly port: number;
  /** Passwords of its users `owner`, `flagmeter_reader` and `analyst`. */
  readonly password: string;
  readonly name?: string;
  /** A further disk for backups, named `bucket`. */
  readonly bucket?: { readonly url: string; readonly id: string; readonly secret: string };
  /** Its niceness, if it should give way to programs on the same cores. */
  readonly nice?: number;
  readonly settings?: ClickHouseSettings | undefined;
};

const CONFIG = source('clickhouse/clickhouse-config.xml');
const USERS = source('../../../infra/clickhouse/users.xml');

/**
 * The engine and HTTP interface of ClickHouse 26.7 (clickhouse-local), for development and tests. Production uses the
 * official server. Its data survives SIGKILL: start it again with the same directory and name.
 */
export async function startClickHouse({
  directory,
  port,
  password,
  name = 'clickhouse',
  bucket,
  nice,
  settings,
}: ClickHouseOptions): Promise<Engine> {
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  await assertPortFree(port, 'ClickHouse');
  await mkdir(files.data, { recursive: true });
  const isUsual = bucket === undefined && settings === undefined;
  const config = isUsual ? CONFIG : await writeConfigWith(files.data, { bucket, settings });
  return launchEngine({
    name,
    title: 'ClickHouse',
    address: `http://127.0.0.1:${port}`,
    directory,
    command: process.execPath,
    args: [source('clickhouse/clickhouse-server.mjs'), clickhousePackages, config, String(port), files.data],
    nice,
    options: { cwd: files.data, env: { ...process.env, CLICKHOUSE_PASSWORD: password } },
    mark: files.data,
    isReady: () => servesData({ port, password, data: files.data }),
    // The first start reads its library of 500 MB.
    // It runs until its stdin closes. Idle connections delay the end by up to five seconds.
    stopSignal: 'end of stdin',
  });
}

type Additions = {
  readonly bucket: ClickHouseOptions['bucket'];
  readonly settings: ClickHouseOptions['settings'];
};

/** Writes our configuration with additions beside the data. Returns its path. */
async function writeConfigWith(data: string, { bucket, settings }: Additions): Promise<string> {
  const config = await readFile(CONFIG, 'utf8');
  return writeClickHouseConfig(data, bucket === undefined ? config : withBucket(config, bucket), settings);
}

/** Writes a configuration that names our users, with settings, beside the data of a server. Returns its path. */
export async function writeClickHouseConfig(
  data: string,
  config: string,
  { server = '', queries = {} }: ClickHouseSettings = {},
): Promise<string> {
  const profile = Object.entries(queries).map(([name, value]) => `<${name}>${value}</${name}>`);
  const users = (await readFile(USERS, 'utf8')).replace('<default>', `$&${profile.join('')}`);
  const text = config
    .replace('<clickhouse>', `$&${server}`)
    .replace(/(?<=<users_config>)[^<]+/, `${data}-users.xml`);
  await writeFile(`${data}-users.xml`, users, { mode: 0o600 });
  await writeFile(`${data}.xml`, text, { mode: 0o600 });
  return `${data}.xml`;
}

function withBucket(config: string, { url, id, secret }: NonNullable<ClickHouseOptions['bucket']>): string {
  const disk = `<bucket>
    <type>s3_plain</type><endpoint>${url}</endpoint>
    <access_key_id>${id}</access_key_id><secret_access_key>${secret}</secret_access_key>
  </bucket>`;
  return config.replace('<disks>', `$&${disk}`).replace('<allowed_disk>', '$&bucket</allowed_disk>$&');
}

/** Whether the server on this port keeps its data in our directory. No other ClickHouse does. */
export async function servesData(server: {
  readonly port: number;
  readonly password: string;
  readonly data: string;
}): Promise<boolean> {
  const { port, password, data } = server;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: "select path from system.disks where name = 'default'",
      headers: { connection: 'close', 'x-clickhouse-user': 'owner', 'x-clickhouse-key': password },
      signal: AbortSignal.timeout(2_000),
    });
    return answer.ok && path.resolve((await answer.text()).trim()) === data;
  } catch {
    return false;
  }
}
