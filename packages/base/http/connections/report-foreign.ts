import { Counter, type Log, type Registry } from '#base/runtime';
import { withoutMapping } from '../addresses/trusted-proxies.ts';
import { FOREIGN_PROTOCOLS, type ForeignProtocol, type OnForeign } from './foreign-protocols.ts';

const EVERY_MS = 60_000;

const SWITCH_OFF_PROXY =
  'A load balancer sends the PROXY protocol, which flagmeter does not read. Switch it off there, and let the load balancer add X-Forwarded-For.';

const ADVICE: Readonly<Record<ForeignProtocol, string>> = {
  proxy_v1: SWITCH_OFF_PROXY,
  proxy_v2: SWITCH_OFF_PROXY,
  tls: 'A client speaks TLS to a port without TLS. Use http:// there, or set LISTEN_TLS_CERT_FILE and LISTEN_TLS_KEY_FILE.',
  http: 'A client speaks HTTP without TLS to a port with TLS. Use https:// there.',
  http2:
    'A client speaks only HTTP/2, as gRPC does. Use HTTP/1.1; for OpenTelemetry, set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf.',
};

export type ForeignReportOptions = { readonly registry: Registry; readonly log: Log };

/** Counts connections that begin with another protocol. Of each protocol and port, one line a minute says what to do. */
export function createForeignReport({ registry, log }: ForeignReportOptions): OnForeign {
  const connections = new Counter({
    name: 'flagmeter_http_foreign_protocols_total',
    help: 'Connections that began with another protocol than that of the port',
    labelNames: ['protocol'],
    registers: [registry],
  });
  for (const protocol of FOREIGN_PROTOCOLS) connections.inc({ protocol }, 0);
  /** By protocol and port. A service has three ports at most. */
  const reported = new Map<string, { loggedAt: number; since: number }>();
  return (protocol, { remoteAddress, localPort }) => {
    connections.inc({ protocol });
    const key = `${protocol} ${localPort ?? ''}`;
    const state = reported.get(key) ?? { loggedAt: -Infinity, since: 0 };
    reported.set(key, state);
    state.since += 1;
    const now = performance.now();
    if (now - state.loggedAt < EVERY_MS) return;
    const from = withoutMapping(remoteAddress);
    log.warn(
      { protocol, port: localPort, from, connections: state.since, advice: ADVICE[protocol] },
      'connection with another protocol',
    );
    state.loggedAt = now;
    state.since = 0;
  };
}
