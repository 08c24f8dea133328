import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The minimum that any Node server does with a batch: read, parse, answer. A GET returns the number of rows so far.
 */
let rows = 0;

/** Our own load. */
type Body = { readonly metrics: readonly unknown[] } | { readonly bucket: { readonly toggles: object } };

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify({ rows }));
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.once('end', () => {
    const body = JSON.parse(Buffer.concat(parts).toString()) as Body;
    rows += 'metrics' in body ? body.metrics.length : Object.keys(body.bucket.toggles).length;
    response.writeHead(202).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // an address is a string for pipes only
  process.send?.({ state: 'ready', url: `http://127.0.0.1:${port}` });
});
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(1));
