export { contain, isolate, say } from './isolate.ts';
