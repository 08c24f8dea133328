// node clickhouse-server.mjs PORT DATA_DIRECTORY: serves ClickHouse's HTTP interface on loopback until its stdin
// closes.
//
// libchdb contains clickhouse-local, which can open the server's own HTTP listener. The call below blocks this
// process for its whole life. No JavaScript runs in this thread afterwards, so signals have their default effect.
// ffi-rs, not koffi: koffi runs the call on its own stack, where every request fails with TOO_DEEP_RECURSION.
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { DataType, load, open } from 'ffi-rs';

const platforms = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
};
// This query never ends and needs no rights. Whoever reaches the port has the rights of the user `default`. So that
// user may not call the function `file`, which could wait for the end of stdin but would let them read every file.
const serveForEver = `
  system start listen http;
  select sleepEachRow(3) from system.numbers format Null settings max_block_size = 1
`;
// This thread keeps running and ends the process when stdin closes. A killed server loses nothing.
new Worker(
  `while (require('node:fs').readSync(0, Buffer.alloc(1)) > 0);
   process.kill(process.pid, 'SIGTERM');`,
  { eval: true },
);

const [port, dataDirectory] = process.argv.slice(2);
const platform = platforms[`${process.platform}-${process.arch}`];
if (platform === undefined) {
  process.stderr.write(`there is no ClickHouse engine for ${process.platform}-${process.arch}\n`);
  process.exit(1);
}
const packageFile = createRequire(import.meta.url).resolve(`@chdb/lib-${platform}/package.json`);
open({ library: 'chdb', path: path.join(path.dirname(packageFile), 'libchdb.so') });

const argumentsOfClickHouse = [
  'clickhouse',
  `--config-file=${path.join(import.meta.dirname, 'clickhouse-config.xml')}`,
  `--path=${dataDirectory}`,
  '--listen_host=127.0.0.1',
  `--http_port=${port}`,
  '--query',
  serveForEver,
];
load({
  library: 'chdb',
  funcName: 'query_stable_v2',
  retType: DataType.External,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [argumentsOfClickHouse.length, argumentsOfClickHouse],
});
process.exit(0);
