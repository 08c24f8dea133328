import type { TracingConfig } from '../config/groups/tracing-config.ts';
import type { Log } from '../log.ts';
import { JsonExporter, ProtobufExporter, type SpanExporter } from './library.ts';

/** Sends spans to the receiver. While that fails, spans are lost, and the log has one line for the whole time. */
export function createExporter(config: TracingConfig, log: Log): SpanExporter {
  const { url, headers, timeoutMs, tls } = config;
  const options = {
    url,
    headers,
    timeoutMillis: timeoutMs,
    ...(tls === undefined ? {} : { httpAgentOptions: { ...tls } }),
  };
  const exporter =
    config.protocol === 'http/json' ? new JsonExporter(options) : new ProtobufExporter(options);
  let isFailing = false;
  return {
    export(spans, onDone) {
      exporter.export(spans, (result) => {
        const hasFailed = result.error !== undefined;
        if (hasFailed && !isFailing) log.warn({ url, err: result.error }, 'traces not sent');
        if (!hasFailed && isFailing) log.info({ url }, 'traces sent again');
        isFailing = hasFailed;
        onDone(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}
