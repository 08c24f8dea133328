import { hostname } from 'node:os';
import {
  type Postgres,
  type PostgresWatch,
  SERVICE_CONNECT_TIMEOUT_MS,
  openPostgres,
  watchPostgres,
} from '#base/postgres';
import type { Config, Log } from '#base/runtime';
import type { Revocations } from './bus/bus.ts';
import type { Channel } from './bus/messages.ts';
import { openBus } from './bus/open-bus.ts';
import { connectionName, createMachineId } from './machines.ts';
import { type Rates, openRates } from './bus/rates.ts';
import { findPersonalTokens } from './tokens/personal-tokens.ts';
import { createTokens } from './tokens/stored-tokens.ts';
import type { FindTokens } from './tokens/verifying/token-lookups.ts';
import { type RejectedBodiesWrite, writeRejectedBodies } from './tokens/rejected-bodies.ts';
import { type TokenUses, createTokenUses } from './tokens/token-uses.ts';
import { STALE_MS, type TokenVerifier, createTokenVerifier } from './tokens/verifying/token-verifier.ts';

/** A frozen Postgres must not hold a request for three seconds. */
const STATEMENT_TIMEOUT_MS = 2000;

/** Everything that a service needs to identify its callers. */
export type Credentials = {
  /** The connections for look-ups. */
  readonly db: Postgres;
  readonly postgres: Pick<PostgresWatch, 'trouble'>;
  /** Verifies our own tokens and records their use. */
  readonly tokens: TokenVerifier;
  /** Also verifies the tokens of another system, if there is one. These open only the endpoints for relays and SDKs, never the admin API. */
  readonly relayTokens: TokenVerifier;
  /** Verifies the same tokens as `relayTokens`, but records no use. */
  readonly verifyOnly: TokenVerifier;
  readonly uses: Pick<TokenUses, 'note'>;
  /** Adds to the sums of bodies that were not accepted. A repetition of the same write changes nothing. */
  writeRejected(write: RejectedBodiesWrite): Promise<void>;
  /** The reason why no token of a relay can be verified; undefined if some can. Known tokens stay valid for a while without Postgres. */
  relayReadiness(): string | undefined;
  readonly revocations: Revocations;
  readonly rates: Omit<Rates, 'close'>;
  close(): Promise<void>;
};

/** Tokens of another system, which open the endpoints for relays and SDKs too. */
export type OtherTokens = {
  /** Verifies our own tokens and those of the other system. */
  beside(own: TokenVerifier): TokenVerifier;
  close(): Promise<void>;
};

type Options = {
  readonly others?: OtherTokens | undefined;
  /** That of `flagmeter start`, in its processes. */
  readonly supervisor?: Supervisor | undefined;
};

export type Supervisor = { readonly machineId: string; readonly channel: Channel };

export function openCredentials(config: Config, log: Log, { others, supervisor }: Options = {}): Credentials {
  const bus = openBus(config.redis, log, supervisor?.channel);
  const db = openPostgres({
    ...config.postgres,
    log,
    applicationName: connectionName(
      config.redis === undefined ? 'without Redis' : 'with Redis',
      supervisor?.machineId ?? createMachineId(),
      { host: hostname(), processId: supervisor === undefined ? process.pid : process.ppid },
    ),
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS,
  });
  const postgres = watchPostgres(db, log);
  const rates = openRates(bus, log);
  const apiTokens = createTokens(db);
  const findTokens: FindTokens = async (secretHashes) => {
    const found = await apiTokens.find(secretHashes);
    const others = secretHashes.filter((secretHash) => !found.has(secretHash));
    return others.length === 0 ? found : new Map([...found, ...(await findPersonalTokens(db, others))]);
  };
  const ownTokens = createTokenVerifier({ findTokens, revocations: bus, log });
  const uses = createTokenUses(db, log);
  const tokens = countUses(ownTokens, uses);
  return {
    db,
    postgres,
    tokens,
    relayTokens: others?.beside(tokens) ?? tokens,
    verifyOnly: others?.beside(ownTokens) ?? ownTokens,
    uses,
    writeRejected: (write) => writeRejectedBodies(db, write),
    relayReadiness() {
      if (others !== undefined || postgres.silentMs() < STALE_MS) return undefined;
      return `No token can be verified. ${postgres.trouble() ?? ''}`;
    },
    revocations: bus,
    rates,
    async close() {
      await postgres.stop();
      await others?.close();
      await rates.close();
      bus.close();
      await uses.close();
      await db.end();
    },
  };
}

function countUses(verifier: TokenVerifier, uses: TokenUses): TokenVerifier {
  return {
    waiting: () => verifier.waiting(),
    async verify(authorization, address) {
      const verification = await verifier.verify(authorization, address);
      if (typeof verification === 'object') uses.note(verification.secretHash, address);
      return verification;
    },
  };
}
