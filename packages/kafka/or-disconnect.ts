type Client = { disconnect(): Promise<void> };

/**
 * Disconnects a client of kafkajs when work with it fails. kafkajs takes a broker for connected whose socket is open, even if the broker
 * froze before it answered the first request. It then fails every request with "Broker not connected", and only
 * disconnecting ends that.
 */
export async function orDisconnect<Result>(client: Client, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    await client.disconnect().catch(() => undefined); // the first error is the one to report
    throw error;
  }
}
