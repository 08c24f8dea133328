import type { Postgres } from './postgres.ts';

export type StrategyParameter = {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
};

/** A strategy type with the keys of the API (interface-spec 2.4). */
export type Strategy = {
  readonly title: string | null;
  readonly name: string;
  readonly displayName: string | null;
  readonly description: string | null;
  readonly editable: boolean;
  readonly deprecated: boolean;
  readonly parameters: readonly StrategyParameter[];
};

type StrategyRow = {
  title: string | null;
  name: string;
  display_name: string | null;
  description: string | null;
  built_in: boolean;
  deprecated: boolean;
  parameters: StrategyParameter[];
};

export type Strategies = ReturnType<typeof createStrategies>;

export function createStrategies(db: Postgres) {
  return {
    async list(): Promise<Strategy[]> {
      const { rows } = await db.query<StrategyRow>(
        `select title, name, display_name, description, built_in, deprecated, parameters
         from strategies
         order by sort_order, name`,
      );
      return rows.map(({ display_name, built_in, ...row }) => ({
        ...row,
        displayName: display_name,
        editable: !built_in,
      }));
    },
  };
}
