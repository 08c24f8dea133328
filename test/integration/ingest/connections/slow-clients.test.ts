import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { inBackground } from '#base/runtime';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../../support/eventually.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../../support/stack/processes/gauges.ts';
import {
  WIRE_BODY,
  type WireRow,
  expectAnswers,
  wireHead,
  wireRequest,
} from '../../../support/stack/engines/kafka/wire.ts';
import { type RawConnection, openRawConnection } from '../../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const GZIPPED = gzipSync(WIRE_BODY);

/** Beginnings of requests without an end. Each client then only reads. */
const STALLED: readonly WireRow[] = [
  { title: 'a client that sends nothing', bytes: '', answers: ['408 RequestTimeout'], connection: 'closed' },
  {
    title: 'a request line',
    bytes: 'POST /edge/metrics HTTP/1.1\r\n',
    answers: ['408 RequestTimeout'],
    connection: 'closed',
  },
  { title: 'headers', bytes: wireHead().slice(0, -2), answers: ['408 RequestTimeout'], connection: 'closed' },
  {
    title: 'a body without any byte',
    bytes: wireHead(),
    answers: ['408 RequestTimeout'],
    connection: 'closed',
  },
  {
    title: 'a body without its last byte',
    bytes: wireRequest().slice(0, -1),
    answers: ['408 RequestTimeout'],
    connection: 'closed',
  },
  {
    title: 'a chunked body',
    bytes: wireRequest(
      { 'Content-Length': undefined, 'Transfer-Encoding': 'chunked' },
      `${WIRE_BODY.length.toString(16)}\r\n${WIRE_BODY}\r\n`,
    ),
    answers: ['408 RequestTimeout'],
    connection: 'closed',
  },
  {
    title: 'a gzipped body',
    bytes: Buffer.concat([
      Buffer.from(wireHead({ 'Content-Encoding': 'gzip', 'Content-Length': GZIPPED.length + 1 })),
      GZIPPED,
    ]),
    answers: ['408 RequestTimeout'],
    connection: 'closed',
  },
  {
    title: 'a body after 100 Continue',
    bytes: wireHead({ Expect: '100-continue' }),
    answers: ['100', '408 RequestTimeout'],
    connection: 'closed',
  },
  {
    title: 'headers after a complete request',
    bytes: wireRequest() + wireHead().slice(0, -2),
    answers: ['202', '408 RequestTimeout'],
    connection: 'closed',
    stored: 1,
  },
  {
    title: 'a body whose head was rejected',
    bytes: wireHead({ Authorization: undefined }),
    answers: ['401 AuthenticationRequired'],
    connection: 'closed',
  },
];

describe('a slow client', () => {
  const world = sharedUncountedWorld({ REQUEST_TIMEOUT_MS: '5000' });
  const ingest = sharedIngest(world);
  /** All stall at the same time, as in an attack. */
  let outcomes: PromiseSettledResult<void>[];
  before(async () => {
    outcomes = await Promise.allSettled(STALLED.map((row) => expectAnswers(ingest, row)));
  });

  for (const [index, { title, answers }] of STALLED.entries()) {
    it(`is cut off with ${answers.join(', ')}: ${title}`, () => {
      expect(outcomes[index]).to.deep.equal({ status: 'fulfilled', value: undefined });
    });
  }

  it('stores only complete requests', async () => {
    expect(await countMessages(world)).to.equal(1);
  });

  for (const [title, head, rest] of [
    ['a header', '', wireHead({ 'X-Slow': 'x'.repeat(400) })],
    ['a body', wireHead(), WIRE_BODY],
  ] as const) {
    it(`is cut off even if ${title} trickles in`, async () => {
      const connection = await openRawConnection(ingest.url);
      await connection.write(head);
      const trickle = trickleInto(connection, rest);
      const { status } = await connection.answer();
      await connection.closed();
      trickle.stop();
      expect(status).to.equal(408);
      expect(trickle.isOver()).to.equal(false);
    });
  }

  it('releases its room', async () => {
    await eventually(
      () => readGauge(ingest, BYTES_IN_FLIGHT),
      (bytes) => bytes === 0,
    );
    expect(await countMessages(world)).to.equal(1);
  });
});

/** Writes a byte every 50 ms, even if the other side has closed. */
function trickleInto(connection: RawConnection, bytes: string): { stop(): void; isOver(): boolean } {
  let sent = 0;
  const timer = setInterval(() => {
    inBackground(connection.write(bytes.slice(sent, sent + 1)), () => undefined);
    sent += 1;
  }, 50);
  return {
    stop: () => {
      clearInterval(timer);
    },
    isOver: () => sent >= bytes.length,
  };
}
