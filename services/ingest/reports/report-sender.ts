import type { MessageProducer } from '#core/kafka';
import { encodeRelayReport } from '#fleet/relays';
import type { Log } from '#base/runtime';
import type { IngestMetrics } from '../metrics.ts';
import { PartitionSender } from '../publish/partition-sender.ts';

/** A relay waits for five seconds. */
const RIDE_OUT_MS = 2000;
const EXPIRY_MS = 3000;

export type ReportSenderOptions = {
  /** Has its own connection: a report that waits for a broker, or a missing topic, must not delay counts. */
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly topic: string;
  readonly metrics: IngestMetrics;
  readonly log: Log;
};

/** Sends reports to the only partition of their topic. */
export function createReportSender({ producer, topic, metrics, log }: ReportSenderOptions): PartitionSender {
  return new PartitionSender({
    producer,
    topic,
    partition: 0,
    rideOutMs: RIDE_OUT_MS,
    expiryMs: EXPIRY_MS,
    probe: () => encodeRelayReport({ tokenId: 'probe', environment: '*', relays: [] }),
    onSend(outcome, reason) {
      metrics.sends.inc({ topic, outcome, reason });
    },
    onBreaker(change, place) {
      if (change === 'opened') log.warn(place, 'breaker opened');
      else log.info({ topic }, 'breaker closed');
    },
  });
}
