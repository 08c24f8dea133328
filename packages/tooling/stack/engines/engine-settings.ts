/** Settings of the engines of a stack on top of ours. */
export type EngineSettings = {
  readonly clickhouse?: ClickHouseSettings | undefined;
  /** Lines of server.properties that override ours. */
  readonly kafka?: Readonly<Record<string, string>> | undefined;
};

export type ClickHouseSettings = {
  /** Elements of its configuration file. */
  readonly server?: string;
  /** Settings of every query that does not say otherwise. */
  readonly queries?: Readonly<Record<string, string>>;
};
