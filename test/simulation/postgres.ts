import type { Postgres } from '#base/postgres';
import { type ApiToken, hashSecret } from '#base/tokens';
import { Engine, type Network } from './network.ts';
import type { Schedule } from './time/schedule.ts';

/** `statementTimeoutMs` of look-ups. */
const QUERY_TIMEOUT_MS = 2000;

/** Postgres with the tokens and the applications. */
export class SimulatedPostgres {
  readonly server: Engine;
  /** Names of the applications that were registered. */
  readonly applications = new Set<string>();
  /** When a token was revoked, by its id. */
  readonly revokedAt = new Map<string, number>();
  readonly #tokens = new Map<string, ApiToken>();
  readonly #network: Network;
  readonly #schedule: Schedule;

  constructor({ network, schedule }: { readonly network: Network; readonly schedule: Schedule }) {
    this.server = new Engine('postgres', schedule);
    this.#network = network;
    this.#schedule = schedule;
  }

  add(secret: string, token: ApiToken): void {
    this.#tokens.set(hashSecret(secret), token);
  }

  revoke(tokenId: string): void {
    this.revokedAt.set(tokenId, this.#schedule.now);
    for (const [hash, { id }] of this.#tokens) if (id === tokenId) this.#tokens.delete(hash);
  }

  find(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiToken>> {
    return this.#ask(
      'find tokens',
      () => new Map([...this.#tokens].filter(([hash]) => hashes.includes(hash))),
    );
  }

  /** Connections that register applications in transactions. */
  db(): Postgres {
    const db = { connect: () => this.#ask('connect', () => this.#openConnection()) };
    return db as unknown as Postgres; // only what is used exists
  }

  #openConnection() {
    let names: string[] = [];
    return {
      query: (text: string, [rows]: readonly string[] = []) =>
        this.#ask('statement', () => {
          if (text.includes('insert into client_applications as known'))
            names = (JSON.parse(rows ?? '[]') as { app_name: string }[]).map((row) => row.app_name); // our parameter
          if (text === 'commit') for (const name of names) this.applications.add(name);
          if (text === 'commit' || text === 'rollback') names = [];
          return { rows: [] };
        }),
      release: () => undefined,
    };
  }

  #ask<T>(label: string, answer: () => T): Promise<T> {
    return this.#network.call(this.server, {
      label,
      timeoutMs: QUERY_TIMEOUT_MS,
      serve: ({ resolve }) => {
        resolve(answer());
      },
    });
  }
}
