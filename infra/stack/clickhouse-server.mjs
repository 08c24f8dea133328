// node clickhouse-server.mjs PORT DATA_DIRECTORY: serves ClickHouse's HTTP interface on loopback until its stdin
// closes.
import path from 'node:path';
import { openLibrary, serveUntilStdinCloses } from './libchdb.mjs';

const [port, data] = process.argv.slice(2);
openLibrary();
serveUntilStdinCloses({
  config: path.join(import.meta.dirname, 'clickhouse-config.xml'),
  data,
  ports: [`--http_port=${port}`],
  listeners: ['http'],
});
