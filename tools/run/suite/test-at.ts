import { shiftClock } from '../../clock/shifted.ts';
import { runAtTerminal } from '#tooling/stack';
import { runSuite } from './suite-process.ts';

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
await runAtTerminal('.local/test/logs', async (interrupted) => {
  const clock = await shiftClock(at);
  try {
    return await runSuite(only, clock.env, interrupted);
  } finally {
    await clock.dispose();
  }
});
