type Client = { disconnect(): Promise<void> };

/**
 * Disconnects a client of kafkajs when work with it fails. For kafkajs an open socket means connected, even if the broker froze
 * before it answered the first request. Every request then fails with "Broker not connected" until the client is disconnected.
 */
export async function orDisconnect<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await client.disconnect().catch(() => undefined); // the first error is the one to report
    throw error;
  }
}
