export { startWorker } from './app.ts';
