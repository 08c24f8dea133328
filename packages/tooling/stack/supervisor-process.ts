// The detached process behind `up`: supervisor-process.ts DIRECTORY NICE LOGS_QUERIES PORT PORT PORT PORT, ports in
// the order of portList.
// Its launcher reads its output. At SIGTERM it stops the engines and ends.
import { print } from './install/install-once.ts';
import { portsFromList } from './processes/ports.ts';
import { superviseUntilSignal } from './supervisor.ts';

const [directory = '', nice, logsQueries, ...portTexts] = process.argv.slice(2);
const report = (line: string) => {
  print(`${new Date().toISOString()} ${line}`);
};
try {
  const ports = portsFromList(portTexts.map(Number));
  const clickhouse = { clickhouseNice: Number(nice), logsQueries: logsQueries === 'true' };
  await superviseUntilSignal({ directory, ports, ...clickhouse, report });
} catch (error) {
  print(`failed: ${error instanceof Error ? error.message : String(error)}`);
  // Otherwise it would wait for its signal, and its launcher for the addresses.
  process.exit(1);
}
