import path from 'node:path';
import { buildConsole } from './build.ts';

/** `make build`: the console beside the compiled services. */
await buildConsole(path.resolve(import.meta.dirname, '../../dist/console'));
