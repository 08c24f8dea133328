import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../../support/stack/processes/gauges.ts';
import { post, problemOf } from '../../../support/requests/post.ts';
import { type RawConnection, openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN, OTHER_CLIENT_TOKEN } from '../../../support/world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const MIB = 1024 * 1024;
/** So many bytes of a body have arrived, but not its end. */
const SENT = 102_000;
/** So many of them fill a quarter of 4 MiB. Then no further body of unknown length has room. */
const ROOM_FOR = 10;

describe('ingest when a token has used all of its room', () => {
  const world = sharedUncountedWorld({ MAX_BYTES_IN_FLIGHT: String(4 * MIB) });
  const ingest = sharedIngest(world);
  let connections: RawConnection[];

  beforeEach(async () => {
    connections = await Promise.all(Array.from({ length: ROOM_FOR }, () => openRawConnection(ingest.url)));
    const head = rawHead('/edge/metrics', {
      Authorization: CLIENT_TOKEN,
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    });
    const request = `${head}${SENT.toString(16)}\r\n${' '.repeat(SENT)}\r\n`;
    await Promise.all(connections.map((connection) => connection.write(request)));
    await untilInFlight((bytes) => bytes >= ROOM_FOR * SENT);
  });
  afterEach(async () => {
    for (const connection of connections) connection.cut();
    await untilInFlight((bytes) => bytes === 0);
  });

  it('answers 503 at once, so that the relay keeps its data', async () => {
    const answer = await post(ingest, { body: new Blob(['{}']).stream() });
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).to.equal('5');
    expect(problemOf(answer).name).to.equal('ServiceUnavailable');
  });

  it('still accepts a body that declares a small length', async () => {
    expect((await post(ingest)).status).to.equal(202);
  });

  it('still accepts bodies of another token', async () => {
    const body = new Blob(['{"applications":[],"metrics":[]}']).stream();
    expect((await post(ingest, { body, authorization: OTHER_CLIENT_TOKEN })).status).to.equal(202);
  });

  it('still rejects a stranger with 401', async () => {
    const answer = await post(ingest, { authorization: '', body: new Blob(['{}']).stream() });
    expect(answer.status).to.equal(401);
  });

  it('accepts bodies again when there is room', async () => {
    connections[0]?.cut();
    await untilInFlight((bytes) => bytes < ROOM_FOR * SENT);
    const answer = await post(ingest, { body: new Blob(['{"applications":[],"metrics":[]}']).stream() });
    expect(answer.status).to.equal(202);
  });

  async function untilInFlight(isDone: (bytes: number) => boolean): Promise<void> {
    await eventually(() => readGauge(ingest, BYTES_IN_FLIGHT), isDone);
  }
});
