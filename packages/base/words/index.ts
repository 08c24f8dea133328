export { contain, isolate, list, say, visible } from './isolate.ts';
