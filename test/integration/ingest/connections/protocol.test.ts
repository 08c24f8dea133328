import {
  type WireRow,
  expectOnWire,
  wireHead,
  wireRequest,
} from '../../../support/stack/engines/kafka/wire.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

/** Input that is not HTTP, or tries request smuggling: one 400, and the connection closes. */
const NOT_HTTP: readonly (readonly [title: string, bytes: string | Uint8Array])[] = [
  ['words', 'hello\r\n\r\n'],
  ['the beginning of TLS', new Uint8Array([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3])],
  ['a version that does not exist', head('POST /edge/metrics HTTP/3.7')],
  ['another protocol', head('POST /edge/metrics RTSP/1.0')],
  ['a method that does not exist', head('BREW /edge/metrics HTTP/1.1')],
  ['a lower-case method', head('post /edge/metrics HTTP/1.1')],
  ['a NUL in the path', head('POST /edge/\0metrics HTTP/1.1')],
  ['a space in the path', head('POST /edge/me trics HTTP/1.1')],
  ['a line feed in a header', wireRequest({ 'X-Relay': 'a\nInjected: b' })],
  ['a carriage return in a header', wireRequest({ 'X-Relay': 'a\rInjected: b' })],
  ['a NUL in a header', wireRequest({ 'X-Relay': 'a\0b' })],
  ['a space in the name of a header', wireRequest({ 'X Relay': 'a' })],
  ['a space after the name of a header', wireRequest({ 'X-Relay ': 'a' })],
  ['a header without a name', wireRequest({ '': 'a' })],
  ['a header that continues on the next line', wireRequest({ 'X-Relay': 'a\r\n b' })],
  ['a line without a colon', wireRequest().replace('Host: test', 'Host: test\r\nnonsense')],
];

const TOO_LARGE: readonly WireRow[] = [
  ['a header of 64 kB', wireRequest({ 'X-Relay': 'x'.repeat(65_536) })],
  [
    'a header of 64 kB with a body of 1 MB',
    wireRequest({ 'X-Relay': 'x'.repeat(65_536), 'Content-Length': 1e6 }, ' '.repeat(1e6)),
  ],
  ['a token of 64 kB', wireRequest({ Authorization: 'x'.repeat(65_536) })],
  ['a path of 64 kB', head(`POST /${'x'.repeat(65_536)} HTTP/1.1`)],
  ['3,000 headers', wireRequest(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`X-${n}`, 'x'])))],
].map(([title = '', bytes = '']) => ({
  title,
  bytes,
  answers: ['431 HeadersTooLarge'],
  connection: 'closed',
}));

const METHODS: readonly WireRow[] = [
  {
    title: 'OPTIONS',
    bytes: head('OPTIONS /edge/metrics HTTP/1.1'),
    answers: ['405 MethodNotAllowed'],
    connection: 'kept',
  },
  {
    title: 'OPTIONS without a token',
    bytes: head('OPTIONS /edge/metrics HTTP/1.1', { Authorization: undefined }),
    answers: ['405 MethodNotAllowed'],
    connection: 'kept',
  },
  {
    title: 'OPTIONS *',
    bytes: head('OPTIONS * HTTP/1.1'),
    answers: ['204'],
    connection: 'kept',
  },
  {
    title: 'OPTIONS at an unknown path',
    bytes: head('OPTIONS /nothing HTTP/1.1'),
    answers: ['404 NotFoundError'],
    connection: 'kept',
  },
  {
    title: 'TRACE',
    bytes: head('TRACE /edge/metrics HTTP/1.1'),
    answers: ['405 MethodNotAllowed'],
    connection: 'kept',
  },
  {
    title: 'CONNECT',
    bytes: head('CONNECT elsewhere:443 HTTP/1.1'),
    answers: ['405 MethodNotAllowed'],
    connection: 'closed',
  },
];

const VERSIONS: readonly WireRow[] = [
  {
    title: 'HTTP/1.0',
    bytes: wireRequest({ Host: undefined }).replace('HTTP/1.1', 'HTTP/1.0'),
    answers: ['202'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'HTTP/1.0 with keep-alive',
    bytes: wireRequest({ Connection: 'keep-alive' }).replace('HTTP/1.1', 'HTTP/1.0'),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'HTTP/0.9',
    bytes: 'POST /edge/metrics\r\n\r\n',
    answers: ['401 AuthenticationRequired'],
    connection: 'closed',
  },
  {
    title: 'HTTP/1.1 without a Host',
    bytes: wireRequest({ Host: undefined }),
    answers: ['400 ValidationError'],
    connection: 'kept',
  },
  {
    title: 'HTTP/1.1 with an empty Host',
    bytes: wireRequest({ Host: '' }),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'HTTP/1.1 with Connection: close',
    bytes: wireRequest({ Connection: 'close' }),
    answers: ['202'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'an upgrade to HTTP/2',
    bytes: wireRequest({ Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c' }),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'HTTP/2 without an upgrade',
    bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'empty lines before the request',
    bytes: `\r\n\r\n${wireRequest()}`,
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a whole URL as the path',
    bytes: wireRequest().replace('/edge/metrics', 'http://test/edge/metrics'),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'UTF-8 in a header',
    bytes: wireRequest({ 'Unleash-AppName': 'bücher' }),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a path with two slashes',
    bytes: wireRequest().replace('/edge', '//edge'),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a path with ..',
    bytes: wireRequest().replace('/edge', '/edge/../edge'),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a path with encoded letters',
    bytes: wireRequest().replace('metrics', 'm%65tric%73'),
    answers: ['202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'a path with a backslash',
    bytes: wireRequest().replace('/edge', '/\\edge'),
    answers: ['400 ValidationError'],
    connection: 'kept',
  },
  {
    title: 'a path with an invalid encoding',
    bytes: wireRequest().replace('metrics', 'metrics%e'),
    answers: ['400 ValidationError'],
    connection: 'kept',
  },
];

describe('input on a connection', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const [title, bytes] of NOT_HTTP) {
    it(`is rejected with 400 and the connection closed: ${title}`, () =>
      expectOnWire(world, ingest, { title, bytes, answers: ['400 ValidationError'], connection: 'closed' }));
  }

  for (const row of [...TOO_LARGE, ...METHODS, ...VERSIONS]) {
    const { title, answers, connection } = row;
    it(`is answered ${answers.join(', ')}, the connection ${connection}: ${title}`, () =>
      expectOnWire(world, ingest, row));
  }
});

function head(requestLine: string, headers: Parameters<typeof wireHead>[0] = {}): string {
  return wireHead({ 'Content-Length': undefined, ...headers }, requestLine);
}
