import type { Transport } from '../../relay/index.ts';

/** A transport that can lose the answer to the next request, after the server has sent it. */
export type LossyTransport = Transport & {
  loseNextAnswer(): void;
  /** Metrics in the bodies whose answer was lost. The relay's retry sends them again. */
  metricsSentTwice(): number;
};

export function createLossyTransport(inner: Transport): LossyTransport {
  let isToLose = false;
  let metricsSentTwice = 0;
  return {
    async post(request) {
      const isLost = isToLose;
      isToLose = false;
      const status = await inner.post(request);
      if (!isLost || status !== 202) return status;
      const { metrics } = JSON.parse(Buffer.from(request.body).toString()) as { metrics: unknown[] }; // a relay's body
      metricsSentTwice += metrics.length;
      throw new Error('the answer was lost on purpose');
    },
    loseNextAnswer() {
      isToLose = true;
    },
    metricsSentTwice: () => metricsSentTwice,
    close() {
      inner.close();
    },
  };
}
