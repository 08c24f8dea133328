import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../../support/stack/processes/gauges.ts';
import {
  type WireRow,
  expectOnWire,
  wireHead,
  wireRequest,
} from '../../../support/stack/engines/kafka/wire.ts';
import { openRawConnection } from '../../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const CONNECT = wireHead({ 'Content-Length': undefined }, 'CONNECT elsewhere:443 HTTP/1.1');
const OVERSIZED = { Expect: '100-continue', 'Content-Length': 102_401 };

const EXPECTATIONS: readonly WireRow[] = [
  {
    title: 'a body that the client sends after 100 Continue',
    bytes: wireRequest({ Expect: '100-continue' }),
    answers: ['100', '202'],
    connection: 'kept',
    stored: 1,
  },
  {
    title: 'an invalid gzip body',
    bytes: wireRequest({ Expect: '100-continue', 'Content-Encoding': 'gzip' }),
    answers: ['100', '400 ValidationError'],
    connection: 'kept',
  },
  {
    title: 'a body over the limit',
    bytes: wireHead(OVERSIZED),
    answers: ['413 ContentTooLarge'],
    connection: 'closed',
  },
  {
    title: 'a body over the limit that the client still sends',
    bytes: wireRequest(OVERSIZED, ' '.repeat(102_401)),
    answers: ['413 ContentTooLarge'],
    connection: 'closed',
  },
  {
    title: 'a body without a token',
    bytes: wireHead({ Expect: '100-continue', Authorization: undefined }),
    answers: ['401 AuthenticationRequired'],
    connection: 'closed',
  },
  {
    title: 'text',
    bytes: wireHead({ Expect: '100-continue', 'Content-Type': 'text/plain' }),
    answers: ['415 ContentTypeerror'],
    connection: 'closed',
  },
  {
    title: 'something else',
    bytes: wireRequest({ Expect: 'miracles' }),
    answers: ['417 ExpectationFailed'],
    connection: 'kept',
  },
  {
    title: 'another expectation of HTTP/1.0',
    bytes: wireRequest({ Expect: 'miracles' }).replace('HTTP/1.1', 'HTTP/1.0'),
    answers: ['202'],
    connection: 'closed',
    stored: 1,
  },
];

const PIPELINES: readonly WireRow[] = [
  {
    title: 'three requests',
    bytes: wireRequest() + wireRequest({ Authorization: undefined }) + wireRequest(),
    answers: ['202', '401 AuthenticationRequired', '202'],
    connection: 'kept',
    stored: 2,
  },
  {
    title: 'text after two requests',
    bytes: `${wireRequest()}${wireRequest()}hello\r\n\r\n`,
    answers: ['202', '202', '400 ValidationError'],
    connection: 'closed',
    stored: 2,
  },
  {
    title: 'large headers after a request',
    bytes: wireRequest() + wireRequest({ 'X-Relay': 'x'.repeat(65_536) }),
    answers: ['202', '431 HeadersTooLarge'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'CONNECT after a request',
    bytes: wireRequest() + CONNECT,
    answers: ['202', '405 MethodNotAllowed'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'a request after text',
    bytes: `hello\r\n\r\n${wireRequest()}`,
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'a request after a broken chunk',
    bytes:
      wireRequest() +
      wireRequest({ 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, 'zz\r\n') +
      wireRequest(),
    answers: ['202', '400 ValidationError'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'a request after one that closes the connection',
    bytes: wireRequest({ Connection: 'close' }) + wireRequest(),
    answers: ['202'],
    connection: 'closed',
    stored: 1,
  },
];

/** The client half-closes the connection after the bytes. */
const HALVES: readonly WireRow[] = [
  {
    title: 'in the middle of its headers',
    bytes: 'POST /edge/metrics HTTP/1.1\r\nHost: test\r\n',
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'in the middle of its body',
    bytes: wireRequest().slice(0, -1),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'in the middle of its chunked body',
    bytes: wireRequest({ 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' }, '1\r\n{\r\n'),
    answers: ['400 ValidationError'],
    connection: 'closed',
  },
  {
    title: 'in the middle of its body after another request',
    bytes: wireRequest() + wireRequest().slice(0, -1),
    answers: ['202', '400 ValidationError'],
    connection: 'closed',
    stored: 1,
  },
  { title: 'before any byte', bytes: '', answers: [], connection: 'closed' },
];

describe('requests and answers on one connection', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const row of EXPECTATIONS) {
    const { title, answers, connection } = row;
    it(`with an expectation are ${answers.join(', ')}, the connection ${connection}: ${title}`, () =>
      expectOnWire(world, ingest, row));
  }

  for (const row of PIPELINES) {
    const { title, answers, connection } = row;
    it(`in a row are ${answers.join(', ')}, the connection ${connection}: ${title}`, () =>
      expectOnWire(world, ingest, row));
  }

  for (const row of HALVES) {
    it(`end when a client half-closes the connection ${row.title}`, () =>
      expectOnWire(world, ingest, { ...row, isHalfClosed: true }));
  }

  it('end without an answer if a client half-closes the connection after a whole request: it counts as gone', async () => {
    const connection = await openRawConnection(ingest.url);
    await connection.write(wireRequest());
    connection.finish();
    expect(await connection.closed()).to.equal('');
    await eventually(
      () => readGauge(ingest, BYTES_IN_FLIGHT),
      (bytes) => bytes === 0,
    );
  });
});
