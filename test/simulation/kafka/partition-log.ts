/** A message in the log. */
export type LogRecord = { readonly value: Uint8Array | null; readonly appendedAt: number };

/**
 * One partition as its leader has it. Only replicated records are acknowledged and read. The others may be lost with the leader.
 * Offsets are positions since the topic was made.
 */
export class PartitionLog {
  /** The first offset that retention has kept. */
  start = 0;
  /** The end of the replicated records. */
  replicatedTo = 0;
  readonly #records: LogRecord[] = [];

  get end(): number {
    return this.#records.length;
  }

  /** Returns the offset of the first one. */
  append(values: readonly (Uint8Array | null)[], appendedAt: number): number {
    const base = this.end;
    for (const value of values) this.#records.push({ value, appendedAt });
    return base;
  }

  replicate(to = this.end): void {
    this.replicatedTo = Math.max(this.replicatedTo, Math.min(to, this.end));
  }

  /** Retention deletes the replicated records before an offset. */
  deleteTo(offset: number): void {
    this.start = Math.max(this.start, Math.min(offset, this.replicatedTo));
  }

  /** A leader that lacks them takes over. */
  dropUnreplicated(): void {
    this.#records.length = this.replicatedTo;
  }

  /** Replicated records from an offset on, also those that retention has deleted: the oracle judges them too. */
  read(from: number, max: number): LogRecord[] {
    return this.#records.slice(from, Math.min(this.replicatedTo, from + max));
  }
}
