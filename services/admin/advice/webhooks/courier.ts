import { type Message, webhookBody } from './messages/message.ts';
import { signatureHeaders } from './messages/sign.ts';
import { slackBody } from './messages/slack.ts';
import type { Sealer } from './secrets.ts';
import { type Problem, type PostOptions, post } from './sending/post.ts';

export const CHANNELS = ['webhook', 'slack'] as const;

/** Where a message goes. The address and the secret are encrypted. */
export type Receiver = {
  readonly channel: (typeof CHANNELS)[number];
  readonly sealId: string;
  /** Empty after an import. */
  readonly sealedUrl: string;
  readonly sealedSecret: string;
};

/** What is said of a receiver without an address. An import brings none, because it may hold a secret. */
export const WITHOUT_ADDRESS = 'It was imported without its address and secret: set its url.';

export type CourierOptions = Omit<PostOptions, 'signal'> & {
  /** Undefined without SECRETS_KEY. */
  readonly sealer: Sealer | undefined;
  readonly consoleUrl: string | undefined;
  readonly userAgent: string;
};

/** Sends one message to its receiver, and returns why it was not accepted. It never rejects. */
export type Courier = (message: Message, receiver: Receiver, signal?: AbortSignal) => Promise<Problem>;

export function createCourier({ sealer, consoleUrl, userAgent, ...options }: CourierOptions): Courier {
  return async (message, { channel, sealId, sealedUrl, sealedSecret }, signal) => {
    if (sealedUrl === '') return WITHOUT_ADDRESS;
    if (sealer === undefined) return 'SECRETS_KEY is not set.';
    const url = sealer.open(sealedUrl, `${sealId} url`);
    const secret = sealer.open(sealedSecret, `${sealId} secret`);
    if (url === undefined || secret === undefined)
      return 'SECRETS_KEY is not the key with which the address was encrypted.';
    const isSlack = channel === 'slack';
    const body = isSlack ? slackBody(message, consoleUrl) : webhookBody(message, consoleUrl);
    const signed = isSlack ? {} : signatureHeaders({ id: message.id, sentAt: new Date(), body }, secret);
    const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...signed };
    return post({ url, headers, body }, { ...options, signal });
  };
}

/** Encrypts an address and a secret for a new receiver. */
export function sealReceiver(
  sealer: Sealer,
  sealId: string,
  { url, secret }: { readonly url: string; readonly secret: string },
): Pick<Receiver, 'sealedUrl' | 'sealedSecret'> {
  return {
    sealedUrl: sealer.seal(url, `${sealId} url`),
    sealedSecret: sealer.seal(secret, `${sealId} secret`),
  };
}
