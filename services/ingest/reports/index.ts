import { untilReached } from '#base/runtime';
import type { Annex, AnnexParts } from '../annex.ts';
import { REPORTS_PATH, type ReportReceiver, createReportReceiver } from './receive-reports.ts';
import { createReportSender } from './report-sender.ts';

type Reports = Pick<ReportReceiver, 'alongside'> & { readonly annex: Annex };

/** Receives what relays report about themselves. Nothing waits for its topic, but the log says what is wrong with it. */
export function openReports(parts: AnnexParts): Reports {
  const { config, credentials, log, broker, metrics, problems, limitRate } = parts;
  const topic = config.kafka.topics.relayReports;
  const producer = broker ?? parts.openBroker();
  const sender = createReportSender({ producer, topic, metrics, log });
  const closing = new AbortController();
  const look = (): Promise<number> => producer.readPartitionCount(topic);
  // A broker that is given, as in the benchmark, need not have the topic.
  const looking =
    broker === undefined
      ? untilReached(look, { engine: 'Kafka', log, signal: closing.signal })
      : Promise.resolve();
  const { receive, alongside } = createReportReceiver({
    credentials,
    metrics,
    log,
    sender,
    problems,
    limitRate,
    maxBodyBytes: config.ingest.maxBodyBytes,
  });
  return {
    alongside,
    annex: {
      // In front of Unleash, the path stays one of Unleash.
      routes: () => (config.unleash === undefined ? [[REPORTS_PATH, receive]] : []),
      async stop() {
        closing.abort();
        sender.stop();
        await looking;
        if (broker === undefined) await producer.disconnect();
      },
    },
  };
}
