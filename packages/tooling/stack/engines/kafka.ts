import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram } from '../processes/programs.ts';
import { enginesDirectory, filesOf, source } from '../layout.ts';
import { freePort } from '../processes/free-port.ts';
import { assertPortFree } from '../processes/ports.ts';
import { stopRecorded } from '../processes/processes.ts';
import { type Engine, launchEngine } from './engine.ts';
import { exchange } from './probe.ts';
import { javaProgram } from '../install/java.ts';

export type KafkaOptions = {
  readonly directory: string;
  readonly port: number;
  readonly name?: string;
  readonly controllerPort?: number;
  readonly nodeId?: number;
  /** `id@host:port` of the controllers of the whole cluster; by default this broker alone. */
  readonly voters?: readonly string[];
  /** Ports of additional listeners by protocol, such as SASL_SSL. */
  readonly listeners?: Readonly<Record<string, number>>;
  /** SCRAM users in the form of StorageTool. They exist from the first start. */
  readonly scramUsers?: readonly string[];
  /** Lines of server.properties that override ours. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
};

export const kafkaJars = path.join(enginesDirectory, 'kafka', 'jars');
/** Archive of parsed classes, which halves the start time. The JVM ignores a broken or foreign archive. */
export const kafkaClassArchive = path.join(enginesDirectory, 'kafka', 'classes.jsa');

const clusterId = Buffer.from('flagmeter-local-').toString('base64url');
const jvmOptions = ['-Xms96m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'] as const;

/**
 * One broker with its controller, ready to serve. Its data survives SIGKILL: start it again with the same directory
 * and name.
 */
export async function startKafka(options: KafkaOptions): Promise<Engine> {
  return launchKafka(options, [`-XX:SharedArchiveFile=${kafkaClassArchive}`, '-Xshare:auto']);
}

/** Runs a temporary broker once to record the classes that it loads. */
export async function createKafkaClassArchive(scratchDirectory: string): Promise<void> {
  const broker = await launchKafka({ directory: scratchDirectory, port: await freePort() }, [
    `-XX:ArchiveClassesAtExit=${kafkaClassArchive}`,
  ]);
  await broker.stop();
}

async function launchKafka(options: KafkaOptions, archiveOptions: readonly string[]): Promise<Engine> {
  const { directory, port, name = 'kafka', nodeId = 1 } = options;
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  const controllerPort = options.controllerPort ?? (await freePort());
  await assertPortFree(port, 'Kafka');
  await mkdir(files.data, { recursive: true });
  const propertiesFile = path.join(files.data, 'server.properties');
  const voters = options.voters ?? [`${nodeId}@127.0.0.1:${controllerPort}`];
  await writeFile(
    propertiesFile,
    serverProperties({ ...options, nodeId, controllerPort, voters }, files.data),
  );
  const java = [...jvmOptions, ...archiveOptions, ...classPath];
  const log = path.join(files.data, 'log');
  const { scramUsers = [] } = options;
  const isUsual = nodeId === 1 && options.voters === undefined && scramUsers.length === 0;
  const formatLog = () => format(propertiesFile, java, scramUsers);
  if (!existsSync(path.join(log, 'meta.properties')))
    await (isUsual ? copyFormatted(log, formatLog) : formatLog());
  return launchEngine({
    name,
    title: 'Kafka',
    address: `127.0.0.1:${port}`,
    directory,
    command: javaProgram,
    args: [...java, 'kafka.Kafka', propertiesFile],
    options: { cwd: files.data },
    mark: propertiesFile,
    isReady: async (_pid, log) => log.includes('Kafka Server started') && (await speaksKafka(port)),
    stopSignal: 'SIGTERM',
  });
}

const classPath = [
  `-Dlog4j2.configurationFile=${source('manifests/kafka/log4j2.xml')}`,
  '-cp',
  path.join(kafkaJars, '*'),
] as const;

/** The folder of the log of a usual broker before its first start. A new version of Kafka removes it together with the jars. */
const formattedLog = path.join(kafkaJars, 'formatted-log');

/** Formats once, because that takes Java 0.6 s of CPU. */
async function copyFormatted(log: string, formatLog: () => Promise<void>): Promise<void> {
  if (existsSync(formattedLog)) {
    await rm(log, { recursive: true, force: true }); // what a killed program has begun
    await copyWhole(formattedLog, log);
    return;
  }
  await formatLog();
  // Another process may have done the same meanwhile.
  await copyWhole(log, formattedLog).catch(() => undefined);
}

/** With its name only when it is whole: a broker would start with half of it. */
async function copyWhole(from: string, to: string): Promise<void> {
  await mkdir(path.dirname(to), { recursive: true });
  const copy = await mkdtemp(`${to}-`);
  try {
    await cp(from, copy, { recursive: true });
    await rename(copy, to);
  } catch (error) {
    await rm(copy, { recursive: true, force: true });
    throw error;
  }
}

async function format(
  propertiesFile: string,
  java: readonly string[],
  scramUsers: readonly string[],
): Promise<void> {
  const users = scramUsers.flatMap((user) => ['--add-scram', user]);
  await runProgram(javaProgram, {
    args: [...java, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', propertiesFile, ...users],
    timeoutMs: 60_000,
  });
}

type Node = KafkaOptions & {
  readonly nodeId: number;
  readonly controllerPort: number;
  readonly voters: readonly string[];
};

function serverProperties(node: Node, data: string): string {
  const { port, controllerPort, nodeId, voters, settings, listeners = {} } = node;
  const all = [['PLAINTEXT', port], ...Object.entries(listeners)] as const;
  const addresses = all.map(([protocol, at]) => `${protocol}://127.0.0.1:${at}`).join(',');
  const protocols = all.map(([protocol]) => `${protocol}:${protocol}`).join(',');
  const properties: Readonly<Record<string, string>> = {
    'process.roles': 'broker,controller',
    'node.id': String(nodeId),
    'controller.quorum.voters': voters.join(','),
    'controller.listener.names': 'CONTROLLER',
    listeners: `${addresses},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': addresses,
    'listener.security.protocol.map': `${protocols},CONTROLLER:PLAINTEXT`,
    'log.dirs': path.join(data, 'log'),
    'num.network.threads': '2',
    'num.io.threads': '4',
    'auto.create.topics.enable': 'false',
    'offsets.topic.num.partitions': '1',
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    // A killed broker is admitted again only after its old session has expired. The default is 9 s.
    'broker.session.timeout.ms': '2500',
    'broker.heartbeat.interval.ms': '500',
    // Saves each joining consumer the three seconds for which Kafka waits for further members.
    'group.initial.rebalance.delay.ms': '0',
    ...settings,
  };
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** Whether the broker answers an ApiVersions request (key 18, version 0, null client id) under its correlation id. */
async function speaksKafka(port: number): Promise<boolean> {
  const correlationId = 0x666c6167;
  const request = Buffer.alloc(14);
  request.writeInt32BE(10, 0);
  request.writeInt16BE(18, 4);
  request.writeInt16BE(0, 6);
  request.writeInt32BE(correlationId, 8);
  request.writeInt16BE(-1, 12);
  const answer = await exchange(port, request);
  return answer !== undefined && answer.length >= 8 && answer.readInt32BE(4) === correlationId;
}
