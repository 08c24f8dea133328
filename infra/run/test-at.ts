import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { shiftClock } from '../clock/shifted.ts';

/**
 * `test-at.ts TIME [KIND|FILE...]`: runs the suite, its engines and all its processes at another time of day (UTC),
 * such as "2026-11-30 23:58:00". The clock runs on from there.
 */
const [time = '', ...only] = process.argv.slice(2);
const at = new Date(`${time.trim().replace(' ', 'T')}Z`);
if (Number.isNaN(at.getTime())) {
  console.error("AT must be a time in UTC, as in: make test-at AT='2026-11-30 23:58:00'");
  process.exit(2);
}
const clock = await shiftClock(at);
try {
  const suite = path.join(import.meta.dirname, 'test.ts');
  const child = spawn(process.execPath, [...process.execArgv, suite, ...only], {
    env: { ...process.env, ...clock.env },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  process.exitCode = code ?? 1;
} finally {
  await clock.dispose();
}
