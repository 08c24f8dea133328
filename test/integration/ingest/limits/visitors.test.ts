import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { eventually } from '../../../support/eventually.ts';
import { post } from '../../../support/requests/post.ts';
import { type RawConnection, openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';
import { readGauge } from '../../../support/stack/processes/gauges.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { FRONTEND_TOKEN } from '../../../support/world.ts';

const PATH = '/api/frontend/client/metrics';
/** A sixteenth of the requests for one visitor. The token has a quarter. */
const OF_VISITOR = 4;
const LIMITS = { MAX_REQUESTS_IN_FLIGHT: String(16 * OF_VISITOR), TRUST_PROXY: '127.0.0.1' };
const BODY = '{"appName":"page","bucket":{"toggles":{}}}';
const REQUESTS_IN_FLIGHT = 'flagmeter_ingest_requests_in_flight';

describe('a visitor of a page whose bodies never end', () => {
  const world = sharedUncountedWorld(LIMITS);
  let ingest: Service;
  const connections: RawConnection[] = [];
  before(async () => {
    ingest = await world.run(startIngest);
    for (let sent = 0; sent < 2 * OF_VISITOR; sent += 1) {
      const connection = await openRawConnection(ingest.url);
      connections.push(connection);
      await connection.write(beginningOf('192.0.2.1'));
    }
    await eventually(
      () => readGauge(ingest, REQUESTS_IN_FLIGHT),
      (requests) => requests >= OF_VISITOR,
    );
  });
  after(() => {
    for (const connection of connections) connection.cut();
  });

  it('takes no more than a quarter of the room of the token', async () => {
    expect((await postFrom('192.0.2.1')).status).to.equal(503);
    expect(await readGauge(ingest, REQUESTS_IN_FLIGHT)).to.equal(OF_VISITOR);
  });

  it('leaves room for the other visitors', async () => {
    expect((await postFrom('192.0.2.2')).status).to.equal(202);
  });

  it('gets room again when it has left', async () => {
    for (const connection of connections) connection.cut();
    await eventually(
      () => readGauge(ingest, REQUESTS_IN_FLIGHT),
      (requests) => requests === 0,
    );
    expect((await postFrom('192.0.2.1')).status).to.equal(202);
  });

  function postFrom(address: string) {
    const headers = { 'X-Forwarded-For': address };
    return post(ingest, { path: PATH, authorization: FRONTEND_TOKEN, body: BODY, headers });
  }
});

function beginningOf(address: string): string {
  const headers = {
    Authorization: FRONTEND_TOKEN,
    'Content-Type': 'application/json',
    'Content-Length': '100',
  };
  return `${rawHead(PATH, { ...headers, 'X-Forwarded-For': address })}{`;
}
