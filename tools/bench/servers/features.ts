import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const FEATURES = 1000;

/** Answers as Unleash answers `GET /api/client/features`, but at once: what a proxy costs is not hidden behind queries. */
const plain = Buffer.from(
  JSON.stringify({ version: 2, features: Array.from({ length: FEATURES }, aFeature) }),
);
const compressed = gzipSync(plain);
const etag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 8)}:1:v1"`;

const server = createServer({ keepAliveTimeout: 15_000 }, (request, response) => {
  const { 'if-none-match': known, 'accept-encoding': accepted = '' } = request.headers;
  if (known === etag) {
    response.writeHead(304, { ETag: etag }).end();
    return;
  }
  const isCompressed = accepted.includes('gzip');
  const body = isCompressed ? compressed : plain;
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    ...(isCompressed ? { 'Content-Encoding': 'gzip' } : {}),
    'Content-Length': body.length,
    ETag: etag,
    Vary: 'Accept-Encoding',
  });
  response.end(body);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // an address is a string for pipes only
  process.send?.({ state: 'ready', url: `http://127.0.0.1:${port}` });
});
process.once('SIGTERM', () => process.exit(0));

/** About 470 bytes, like a feature with one strategy and its constraint. */
function aFeature(_: unknown, index: number) {
  return {
    name: `feature-with-a-usual-name-${index}`,
    type: 'release',
    enabled: index % 3 !== 0,
    project: 'default',
    stale: false,
    strategies: [
      {
        name: 'flexibleRollout',
        constraints: [
          {
            contextName: 'appName',
            operator: 'IN',
            values: ['checkout', 'search', 'basket'],
            inverted: false,
          },
        ],
        parameters: { rollout: String(index % 101), stickiness: 'default', groupId: `feature-${index}` },
        variants: [],
        segments: [],
      },
    ],
    variants: [],
    description: 'Shows the new form of the page to a part of the visitors',
    impressionData: false,
  };
}
