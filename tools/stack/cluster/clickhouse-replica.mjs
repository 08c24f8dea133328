// node clickhouse-replica.mjs PACKAGES CONFIG DATA_DIRECTORY HTTP_PORT TCP_PORT: the same engine as clickhouse-server.mjs as a
// replica, for tests.
//
// clickhouse-local ignores `interserver_http_port`, so its replicated tables stay read-only (ClickHouse#78632), and it
// serves no parts to other replicas. So this program writes the address into the engine's memory. It also makes the
// handler type `replicas_status` of `http_handlers` build the server's own handler of parts. And clickhouse-local has no
// handler for a broken TCP connection of another server, so a server that was killed would end the others too. This
// program ignores such errors, which the official server logs. The addresses below belong to exactly one build, which
// the program checks first. Production runs the official server.
import fs from 'node:fs';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import {
  fail,
  openLibrary,
  serveUntilStdinCloses,
} from '../../../packages/tooling/stack/clickhouse/libchdb.mjs';

const BUILD = 'linux-x64-gnu 26.7.3-stable.1';
/** The pointer Context::global_context_instance, and members of the ContextSharedPart that its first word points to. */
const GLOBAL_CONTEXT = 0x21c1b568;
const [HOST, PORT, SCHEME, CREDENTIALS] = [0x150, 0x168, 0x170, 0x1b0];
/** Zeros between the end of .bss and the end of its page. */
const SPARE = 0x22b98900;
/** Functions that build the handler of an HTTP rule: ReplicasStatusHandler and InterserverIOHTTPHandler. */
const [STATUS_CREATOR, PARTS_CREATOR] = [0x18404380, 0x183b3200];
/** The call in Poco::ErrorHandler::handle that ends the process if no one has set an error handler. */
const ERROR_CALL = 0x1c8f99e9;
/** The bytes there and of one more function, in this build. */
const EXPECTED = [
  [STATUS_CREATOR, '41574156534c8b37'],
  [PARTS_CREATOR, '415653504c8b37'],
  [ERROR_CALL, 'ff5010'],
  [0x1417c9c0, '4156534883ec48'],
];

if (isMainThread) await serve();
else writeAddress(workerData);

async function serve() {
  const [packages, config, data, httpPort, tcpPort] = process.argv.slice(2);
  const { ffi, platform, version } = openLibrary(packages);
  const build = `${platform} ${version}`;
  if (build !== BUILD) refuse(build);
  const memory = openMemory();
  const base = baseOfLibrary();
  if (!EXPECTED.every(([at, bytes]) => memory.read(base + at, bytes.length / 2).toString('hex') === bytes))
    refuse(`${build} with other bytes`);
  const jump = Buffer.from([0x48, 0x8b, 0x3f, 0xe9, 0, 0, 0, 0]); // mov rdi, [rdi]; jmp PARTS_CREATOR
  jump.writeInt32LE(PARTS_CREATOR - (STATUS_CREATOR + jump.length), 4);
  memory.write(base + STATUS_CREATOR, jump);
  memory.write(base + ERROR_CALL, Buffer.from([0x0f, 0x1f, 0x00])); // nop
  const writer = new Worker(new URL(import.meta.url), { workerData: { base, port: Number(httpPort) } });
  await new Promise((resolve) => writer.once('message', resolve));
  serveUntilStdinCloses({
    ffi,
    config,
    data,
    ports: [`--http_port=${httpPort}`, `--tcp_port=${tcpPort}`],
    listeners: ['http', 'tcp'],
  });
}

function refuse(found) {
  fail(`replicas run only on libchdb ${BUILD}, not on ${found}: use official ClickHouse servers instead`);
}

/** Runs in a second thread, because the engine's own call blocks the first one. Waits until the engine has a context. */
function writeAddress({ base, port }) {
  const memory = openMemory();
  parentPort.postMessage('ready');
  const clock = new Int32Array(new SharedArrayBuffer(4));
  while (memory.readPointer(base + GLOBAL_CONTEXT) === 0) Atomics.wait(clock, 0, 0, 1);
  const shared = memory.readPointer(memory.readPointer(base + GLOBAL_CONTEXT));
  // InterserverCredentials: user '', password '', and a vector of one accepted pair ('', ''), which is 48 zeros.
  const pair = base + SPARE + 128;
  memory.write(
    base + SPARE,
    Buffer.concat([Buffer.alloc(48), pointer(pair), pointer(pair + 48), pointer(pair + 48)]),
  );
  memory.write(shared + CREDENTIALS, pointer(base + SPARE));
  memory.write(shared + SCHEME, shortString('http'));
  memory.write(shared + HOST, shortString('127.0.0.1'));
  const portBytes = Buffer.alloc(2);
  portBytes.writeUInt16LE(port);
  memory.write(shared + PORT, portBytes);
}

/** The memory of this process. Writes ignore page protection. */
function openMemory() {
  const file = fs.openSync('/proc/self/mem', 'r+');
  const read = (at, length) => {
    const bytes = Buffer.alloc(length);
    fs.readSync(file, bytes, 0, length, at);
    return bytes;
  };
  return {
    read,
    readPointer: (at) => Number(read(at, 8).readBigUInt64LE()),
    write: (at, bytes) => fs.writeSync(file, bytes, 0, bytes.length, at),
  };
}

function baseOfLibrary() {
  const maps = fs.readFileSync('/proc/self/maps', 'utf8').split('\n');
  return parseInt(maps.find((line) => line.includes('libchdb.so')) ?? '', 16);
}

function pointer(to) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(to));
  return bytes;
}

/** A std::string of libc++ that holds at most 22 characters itself. */
function shortString(text) {
  const bytes = Buffer.alloc(24);
  bytes.write(text);
  bytes[23] = text.length;
  return bytes;
}
