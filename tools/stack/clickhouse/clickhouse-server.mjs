// node clickhouse-server.mjs CONFIG PORT DATA_DIRECTORY: serves ClickHouse's HTTP interface on loopback until its stdin
// closes.
import { openLibrary, serveUntilStdinCloses } from './libchdb.mjs';

const [config, port, data] = process.argv.slice(2);
openLibrary();
serveUntilStdinCloses({
  config,
  data,
  ports: [`--http_port=${port}`],
  listeners: ['http'],
});
