import path from 'node:path';
import { parseArgs } from 'node:util';
import { runClusterStack } from './cluster/cluster-stack.ts';
import {
  StackError,
  cleanStack,
  downStack,
  filesOfStack,
  inspectStack,
  runStack,
  shownAddress,
} from '#tooling/stack';
import { upWithRedis } from './up-with-redis.ts';

const usage = `usage: main.ts up [--foreground] | down | status | clean | cluster   [--directory .local]

up      starts Kafka, ClickHouse, Postgres and Redis on loopback and writes their addresses to stack.env
down    stops them; their data stays
status  shows what runs
clean   stops them and forgets their data
cluster runs three Kafka brokers, ZooKeeper, two shards of two ClickHouse replicas, Postgres and Redis until Ctrl-C, for
        tests. They start empty, on free ports; their addresses are in the folder cluster

Ports: 19092, 18123 and 15432, or free ones in place of those that are taken. KAFKA_PORT, CLICKHOUSE_PORT and
POSTGRES_PORT name others, which must be free. Redis gets a free one, and up --foreground starts none.`;

type Options = { readonly directory: string; readonly foreground: boolean };

const commands: Readonly<Record<string, (options: Options) => Promise<void>>> = {
  up,
  down,
  status,
  clean,
  cluster,
  help,
};

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      directory: { type: 'string', default: path.resolve(import.meta.dirname, '../../.local') },
      foreground: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const name = values.help ? 'help' : positionals.join(' ');
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) throw new TypeError(usage);
  const { directory, foreground } = values;
  await command({ directory: path.resolve(directory), foreground });
} catch (error) {
  const isExpected = error instanceof StackError || error instanceof TypeError;
  console.error(isExpected ? error.message : error);
  process.exitCode = 1;
}

async function up({ directory, foreground }: Options): Promise<void> {
  const startedAt = Date.now();
  if (foreground) {
    await runStack({ directory });
    return;
  }
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      interruption.abort();
    });
  const { supervisorPid } = await inspectStack(directory);
  const addresses = await upWithRedis({ directory });
  if (interruption.signal.aborted) {
    if (supervisorPid === undefined) await downStack(directory);
    console.log(supervisorPid === undefined ? 'stopped' : 'the engines keep running, as before');
    process.exitCode = 130;
    return;
  }
  for (const [key, value] of Object.entries(addresses))
    if (!key.endsWith('_PASSWORD')) console.log(`${key}=${shownAddress(value)}`);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  console.log(
    `the stack is up after ${seconds} s; in a shell: source ${filesOfStack(directory).environment}`,
  );
  // Otherwise this process would wait for the Redis that it has started.
  process.exit();
}

async function down({ directory }: Options): Promise<void> {
  console.log((await downStack(directory)) ? 'the stack is down' : 'nothing was running');
}

async function status({ directory }: Options): Promise<void> {
  const { supervisorPid, engines } = await inspectStack(directory);
  console.log(
    `supervisor  ${supervisorPid === undefined ? 'not running' : `running, process ${supervisorPid}`}`,
  );
  for (const { name, pid, address, isServing } of engines) {
    const state = isServing ? 'serving' : pid === undefined ? 'not running' : 'not serving';
    console.log(
      `${name.padEnd(11)} ${state}${pid === undefined ? '' : `, process ${pid}`}${address === undefined ? '' : `, ${shownAddress(address)}`}`,
    );
  }
  process.exitCode = supervisorPid !== undefined && engines.every(({ isServing }) => isServing) ? 0 : 1;
}

async function clean({ directory }: Options): Promise<void> {
  await cleanStack(directory);
  console.log(`forgot the data in ${directory}`);
}

/** In its own folder, beside the data of the other engines. */
async function cluster({ directory }: Options): Promise<void> {
  await runClusterStack({ directory: path.join(directory, 'cluster') });
}

function help(): Promise<void> {
  console.log(usage);
  return Promise.resolve();
}
