/** Errors as the client of ClickHouse throws them. */
export class ClickHouseError extends Error {
  readonly type: string;

  constructor(type: string) {
    super(type);
    this.type = type;
  }
}
