export { openIngest } from './open-ingest.ts';
