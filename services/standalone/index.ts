export { startProcesses } from './start-processes.ts';
