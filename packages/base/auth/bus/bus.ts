/**
 * How the processes that verify tokens tell one another what they must not miss: through Redis, or through the supervisor of
 * `flagmeter start`.
 */
export type Bus = {
  /**
   * Tells all processes that a token is no longer valid. This process hears it in any case. Returns the number of
   * subscribed processes that it reaches, including this one. Rejects if it cannot reach the others.
   */
  announce(tokenId: string): Promise<number>;
  subscribe(listener: RevocationListener): void;
  /**
   * Adds requests of tokens to those of all processes. Returns their sums in the current window, which begins with the first request
   * after the last one.
   */
  addUp(requests: ReadonlyMap<string, number>, windowMs: number): Promise<ReadonlyMap<string, Rate>>;
  close(): void;
};

export type Revocations = Pick<Bus, 'announce' | 'subscribe'>;

export type RevocationListener = {
  onRevoked(tokenId: string): void;
  /** Announcements may be missed from now on, until `onGap`. Before the first `onGap` they may be missed too. */
  onLost(): void;
  /** Announcements arrive again. Earlier ones may have been missed. Also called at the first connection. */
  onGap(): void;
};

/** The number of requests of a token in the current window. */
export type Rate = {
  readonly requests: number;
  /** The time until the next window begins. */
  readonly resetMs: number;
};
