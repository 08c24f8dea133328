import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects garbage at each SIGUSR2. An idle process may wait for minutes before it does so by itself. */
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // exists because of the flag
process.on('SIGUSR2', () => {
  collect();
});
