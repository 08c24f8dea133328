import type { Credentials } from '#base/auth';
import type { Config, Log, Registry, Tracing } from '#base/runtime';
import type { Broker } from './publish/broker.ts';

export type IngestOptions = {
  readonly config: Config;
  readonly credentials: Pick<
    Credentials,
    'relayTokens' | 'relayReadiness' | 'verifyOnly' | 'uses' | 'rates' | 'writeRejected'
  >;
  readonly registry: Registry;
  readonly log: Log;
  /** The default is Kafka. */
  readonly broker?: Broker | undefined;
  /** Undefined if batches are not traced. */
  readonly tracing?: Tracing | undefined;
};
