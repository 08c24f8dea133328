export { createIngest } from './ingest.ts';
export { rejectedBodiesWriter } from './problems/write-rejected-bodies.ts';
