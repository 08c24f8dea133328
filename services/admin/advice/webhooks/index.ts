/** Messages about verdicts and events to webhooks: their form, their signature, and one attempt to send one. */
export * from './courier.ts';
export * from './messages/message.ts';
export { createWebhookSecret } from './messages/sign.ts';
export { type Sealer, createSealer } from './secrets.ts';
export { createFindAddresses } from './sending/resolve.ts';
export { type TargetRules, problemOfTarget } from './sending/target.ts';
