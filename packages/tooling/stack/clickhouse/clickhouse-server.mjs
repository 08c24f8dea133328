// node clickhouse-server.mjs PACKAGES CONFIG PORT DATA_DIRECTORY: serves ClickHouse's HTTP interface on loopback until its stdin
// closes.
import { openLibrary, serveUntilStdinCloses } from './libchdb.mjs';

const [packages, config, port, data] = process.argv.slice(2);
const { ffi } = openLibrary(packages);
serveUntilStdinCloses({
  ffi,
  config,
  data,
  ports: [`--http_port=${port}`],
  listeners: ['http'],
});
