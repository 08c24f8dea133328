/** Receivers of messages, for the command that tries them. */
export { sendTest } from './send-test.ts';
export { readReceivers } from './store/receiver.ts';
