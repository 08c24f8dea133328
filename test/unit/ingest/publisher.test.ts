import { expect } from 'chai';
import type { SendOutcome } from '#stream';
import { type Publisher, createPublisher } from '../../../services/ingest/publisher.ts';
import { eventually } from '../../support/eventually.ts';

const REFUSED: SendOutcome = { outcome: 'not-stored', reason: 'NOT_ENOUGH_REPLICAS' };
const LOST: SendOutcome = { outcome: 'unknown', reason: 'KafkaJSRequestTimeoutError' };

describe('a publisher whose broker refuses', () => {
  let publisher: Publisher;

  afterEach(() => {
    publisher.stop();
  });

  it('refuses requests before they are read', async () => {
    publisher = aPublisher([REFUSED]);
    expect(await publish('a')).to.equal('not-stored');

    expect(publisher.isRefusing('sender')).to.equal(true);
  });

  it('lets requests be read while one in doubt may be repeated, which shares its outcome', async () => {
    publisher = aPublisher([LOST, REFUSED]);
    const first = publish('a');
    await eventually(
      () => Promise.resolve(publisher.openLanes().reduce((sum, { lanes }) => sum + lanes, 0)),
      (open) => open > 0,
    );

    expect(publisher.isRefusing('sender')).to.equal(false);
    expect(await publish('b')).to.equal('not-stored');
    expect(await Promise.all([first, publish('a')])).to.deep.equal(['unknown', 'unknown']);
  });

  /** Ends each send as told, and all further ones like the last. */
  function aPublisher(outcomes: readonly SendOutcome[]): Publisher {
    let sends = 0;
    return createPublisher({
      producer: {
        send: () => {
          sends += 1;
          return Promise.resolve(outcomes[Math.min(sends, outcomes.length) - 1] ?? REFUSED);
        },
      },
      counts: { topic: 'counts', partitions: 1 },
      applications: { topic: 'applications', partitions: 1 },
      rideOutMs: 50,
      expiryMs: 1000,
      onSend: () => undefined,
    });
  }

  function publish(batchId: string): Promise<string> {
    const counts = Buffer.from(batchId);
    return publisher.publish({ batchId, sender: 'sender', applications: undefined, counts });
  }
});
