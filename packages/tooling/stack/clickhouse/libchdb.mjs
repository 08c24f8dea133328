// Finds, loads and runs libchdb, which contains clickhouse-local.
//
// ffi-rs, not koffi: koffi runs the call on its own stack, where every request fails with TOO_DEEP_RECURSION.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

const platforms = {
  'linux-x64': 'linux-x64-gnu',
  'linux-arm64': 'linux-arm64-gnu',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
};

/**
 * Loads the library. `packages` is the folder in which npm has installed it, and what calls it. Returns both, and its
 * platform and version, such as `linux-x64-gnu` and `26.7.3-stable.1`.
 */
export function openLibrary(packages) {
  const platform = platforms[`${process.platform}-${process.arch}`];
  if (platform === undefined) fail(`there is no ClickHouse engine for ${process.platform}-${process.arch}`);
  const requireInstalled = createRequire(path.join(packages, 'package.json'));
  const ffi = requireInstalled('ffi-rs');
  const packageFile = requireInstalled.resolve(`@chdb/lib-${platform}/package.json`);
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
  ffi.open({ library: 'chdb', path: path.join(path.dirname(packageFile), 'libchdb.so') });
  return { ffi, platform, version };
}

/**
 * Serves on loopback until stdin closes. The call blocks this process for its whole life. No JavaScript runs in this
 * thread afterwards, so signals have their default effect.
 */
export function serveUntilStdinCloses({ ffi, config, data, ports, listeners }) {
  // This thread keeps running and ends the process when stdin closes. A killed server loses nothing.
  new Worker(
    `while (require('node:fs').readSync(0, Buffer.alloc(1)) > 0);
     process.kill(process.pid, 'SIGTERM');`,
    { eval: true },
  );
  const paramsValue = [
    'clickhouse',
    `--config-file=${config}`,
    `--path=${data}`,
    '--listen_host=127.0.0.1',
    ...ports,
    '--query',
    queryFor(listeners),
  ];
  ffi.load({
    library: 'chdb',
    funcName: 'query_stable_v2',
    retType: ffi.DataType.External,
    paramsType: [ffi.DataType.I32, ffi.DataType.StringArray],
    paramsValue: [paramsValue.length, paramsValue],
  });
  process.exit(0);
}

export function fail(problem) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

/**
 * The query never ends and needs no rights. Anyone who reaches the port has the rights of the user `default`. So that
 * user may not call the function `file`, which could wait for the end of stdin but would let them read every file.
 */
function queryFor(listeners) {
  const starts = listeners.map((listener) => `system start listen ${listener};`).join(' ');
  return `${starts} select sleepEachRow(3) from system.numbers format Null settings max_block_size = 1`;
}
