import type { Middleware } from 'koa';
import type { Exchange } from '#base/http';
import type { ApiToken } from '#base/tokens';
import type { BodyForm } from './body-forms.ts';
import type { IngestOptions } from './ingest-options.ts';
import type { IngestMetrics } from './metrics.ts';
import type { ProblemReports } from './problems/report-problems.ts';
import type { Broker } from './publish/broker.ts';

export type Handler = (ctx: Exchange) => Promise<void>;

/** What ingest serves beside the bodies of relays and SDKs. */
export type Annex = {
  /** Further paths of servers. `receive` makes the handler of a form of bodies. */
  readonly routes?: (
    receive: (form: BodyForm) => Handler,
  ) => readonly (readonly [path: string, handle: Handler])[];
  /** Called with the tokens of SDKs that a relay has seen, and with its own. */
  readonly onSeenTokens?: (secrets: readonly string[], relaySecret: string) => void;
  /** Serves the requests for which there is no route. */
  readonly fallback?: Fallback;
  /** Ends what the annex does beside requests. Called after the last one. */
  readonly stop?: () => Promise<void>;
};

export type Fallback = {
  readonly middleware: Middleware;
  /** Ends what is open, so that the service can stop. */
  readonly end: () => void;
};

/** What ingest shares with its annexes. */
export type AnnexParts = Pick<IngestOptions, 'config' | 'credentials' | 'registry' | 'log' | 'broker'> & {
  readonly metrics: IngestMetrics;
  readonly problems: Pick<ProblemReports, 'noteRejected'>;
  /** Throws a 429 if a token sends too often. */
  readonly limitRate: (ctx: Exchange, token: ApiToken) => void;
  /** A connection to Kafka of its own. */
  readonly openBroker: () => Broker;
};
