/** The audit, for the commands of the CLI. */
export { readChain } from './store/chain.ts';
export { readLogged } from './store/log-entries.ts';
export { recordEntry, whoIs } from './store/record-entry.ts';
export { verifyChain } from './store/verify-chain.ts';
