import { expect } from 'chai';
import { readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../../support/eventually.ts';
import { itNightly } from '../../../support/nightly.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { WIRE_BODY, wireHead, wireRequest } from '../../../support/stack/engines/kafka/wire.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { openRawConnection } from '../../../support/requests/raw-http.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../../support/world.ts';

const FEEDBACK = '{"category":"drain","userType":null}';
const POST_FEEDBACK = wireHead(
  { Authorization: ADMIN_TOKEN, 'Content-Length': FEEDBACK.length },
  'POST /api/admin/feedback HTTP/1.1',
);

describe('a service process', () => {
  const world = sharedWorld({ SHUTDOWN_GRACE_MS: '6000' });

  for (const [test, name] of [
    [it, 'ingest'],
    [itNightly, 'standalone'],
  ] as const) {
    test(`${name}, at SIGTERM: becomes unready, still accepts batches, answers the open one and exits with 0`, async () => {
      const service = await world.fork(name);
      const before = await countMessages(world);
      const slow = await openRawConnection(service.url);
      await slow.write(wireHead() + WIRE_BODY.slice(0, -1));
      service.signal('SIGTERM');
      await untilUnready(service);
      const late = await openRawConnection(service.url);
      await late.write(wireRequest());
      expect((await late.answer()).status).to.equal(202);
      late.cut();
      await untilClosed(service);
      await slow.write(WIRE_BODY.slice(-1));
      const { status } = await slow.answer();

      expect(status).to.equal(202);
      expect(await service.exited).to.equal(0);
      expect((await countMessages(world)) - before).to.equal(2);
    });
  }

  itNightly('ingest, at SIGTERM: ends the work on long bodies, and stores them', async () => {
    const service = await world.fork('ingest');
    const before = await countMessages(world);
    const posts = Array.from({ length: 40 }, (_, sender) => {
      // The fast path reads no unknown members, so that these bodies wait for one another.
      const metrics = Array.from({ length: 400 }, (_, index) => ({
        extra: 1,
        ...aFreshMetric({ featureName: `flag-${sender}-${index}` }),
      }));
      return post(service, { path: '/api/client/metrics/bulk', body: bodyOf({ metrics }) });
    });
    await eventually(
      () => countMessages(world),
      (messages) => messages > before,
    );
    service.signal('SIGTERM');
    const statuses = (await Promise.all(posts)).map(({ status }) => status);

    expect(statuses).to.deep.equal(posts.map(() => 202));
    expect(await service.exited).to.equal(0);
    expect((await countMessages(world)) - before).to.equal(posts.length);
  });

  it('admin, at SIGTERM: becomes unready, finishes the open change and exits with 0', async () => {
    const admin = await world.fork('admin');
    const slow = await openRawConnection(admin.url);
    await slow.write(POST_FEEDBACK + FEEDBACK.slice(0, -1));
    admin.signal('SIGTERM');
    await untilUnready(admin);
    await untilClosed(admin);
    await slow.write(FEEDBACK.slice(-1));
    const { status } = await slow.answer();
    const { rows } = await world.db.query(`select category from feedback where category = 'drain'`);

    expect([status, rows]).to.deep.equal([201, [{ category: 'drain' }]]);
    expect(await admin.exited).to.equal(0);
  });

  it('disconnects clients that do not finish, at SIGTERM, and still exits with 0', async () => {
    const ingest = await world.fork('ingest', { SHUTDOWN_GRACE_MS: '0' });
    const stalled = await openRawConnection(ingest.url);
    await stalled.write(wireHead() + WIRE_BODY.slice(0, -1));

    expect(await ingest.stop()).to.equal(0);
    await stalled.closed();
  });

  it('keeps an idle connection beyond the deadline for headers, because a load balancer keeps it for a minute', async () => {
    const { url } = await world.run((_, log) =>
      startIngest(readConfig({ ...world.env, REQUEST_TIMEOUT_MS: '5000' }), log),
    );
    const idle = await openRawConnection(url);
    await idle.write(wireRequest());
    expect((await idle.answer()).status).to.equal(202);
    const silent = await openRawConnection(url);
    await silent.write('POST /edge/metrics HTTP/1.1\r\n');
    expect((await silent.answer()).status).to.equal(408);
    await idle.write(wireRequest());
    const { status, headers } = await idle.answer();

    expect(status).to.equal(202);
    expect(headers.get('keep-alive')).to.equal('timeout=75');
    idle.cut();
  });
});

async function untilUnready({ url }: ServiceProcess): Promise<void> {
  await eventually(
    async () => (await fetch(`${url}/ready`, { headers: { connection: 'close' } })).status,
    (status) => status === 503,
  );
}

/** Waits until no connection is accepted any more. */
async function untilClosed({ url }: ServiceProcess): Promise<void> {
  await eventually(
    () =>
      openRawConnection(url).then(
        (connection) => {
          connection.cut();
          return false;
        },
        () => true,
      ),
    (isClosed) => isClosed,
  );
}
