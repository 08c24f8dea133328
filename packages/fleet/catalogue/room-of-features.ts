import type { RegisteredLimits } from '#core/counting';
import type { PostgresClient } from '#base/postgres';

/** A feature that nobody has written about, so it may make room. `isSilent`: it was not evaluated for two days. */
type Spare = { readonly name: string; readonly token: string; readonly isSilent: boolean };

/** The places of features that evaluations registered. One that was archived, or that somebody created since, takes none. */
export class RoomOfFeatures {
  readonly #limits: RegisteredLimits;
  readonly #sizes: Map<string, number>;
  /** By token, the one that was silent for longest first. */
  readonly #spare = new Map<string, Spare[]>();
  readonly #forgotten: string[] = [];
  #size: number;

  constructor(
    limits: RegisteredLimits,
    { sizes, spare }: { readonly sizes: ReadonlyMap<string, number>; readonly spare: readonly Spare[] },
  ) {
    this.#limits = limits;
    this.#sizes = new Map(sizes);
    this.#size = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const one of spare) this.#spare.set(one.token, [...(this.#spare.get(one.token) ?? []), one]);
  }

  /**
   * Takes a place for a token; returns false if there is none. A token whose share is full makes room by what is silent. If all places
   * are taken, the token with the most features makes room for the others.
   */
  take(token: string): boolean {
    const own = this.#sizeOf(token);
    if (own >= this.#limits.each || this.#size >= this.#limits.all) {
      const largest = own >= this.#limits.each ? token : this.#largest();
      // With a difference of one, both would take turns.
      const isForOther = this.#sizeOf(largest) > own + 1;
      if (!this.#forget(isForOther ? largest : token, isForOther)) return false;
    }
    this.#add(token, 1);
    return true;
  }

  /** The names that must be forgotten first. */
  forgotten(): readonly string[] {
    return this.#forgotten;
  }

  #forget(token: string, isForOther: boolean): boolean {
    const [first, ...others] = this.#spare.get(token) ?? [];
    if (first === undefined || !(first.isSilent || isForOther)) return false;
    this.#spare.set(token, others);
    this.#forgotten.push(first.name);
    this.#add(token, -1);
    return true;
  }

  #largest(): string {
    const [[largest] = ['']] = [...this.#sizes].sort(([, one], [, other]) => other - one);
    return largest;
  }

  #sizeOf(token: string): number {
    return this.#sizes.get(token) ?? 0;
  }

  #add(token: string, count: number): void {
    this.#sizes.set(token, this.#sizeOf(token) + count);
    this.#size += count;
  }
}

export async function readRoom(client: PostgresClient, limits: RegisteredLimits): Promise<RoomOfFeatures> {
  const sizes = await client.query<{ token: string; size: number }>(
    `select coalesce(registered_by, '') as token, count(*)::integer as size
     from features
     where source = 'opentelemetry'
       and archived_at is null
     group by 1
     order by 1`,
  );
  const spare = await client.query<{ name: string; token: string; is_silent: boolean }>(
    `select
       f.name,
       coalesce(f.registered_by, '') as token,
       greatest(l.last_seen_at, f.created_at) < now() - interval '2 days' as is_silent
     from features as f
     left join feature_last_seen as l on l.feature_name = f.name and l.environment = ''
     where is_only_registered(f)
       and f.archived_at is null
       and not exists (select from favorite_features as v where v.feature = f.name)
     order by greatest(l.last_seen_at, f.created_at), f.name`,
  );
  return new RoomOfFeatures(limits, {
    sizes: new Map(sizes.rows.map(({ token, size }) => [token, size])),
    spare: spare.rows.map(({ name, token, is_silent }) => ({ name, token, isSilent: is_silent })),
  });
}
