// The detached process behind `up`: supervisor-process.ts DIRECTORY NICE PORT PORT PORT PORT, ports in the order of
// portList.
// Its launcher reads its output. At SIGTERM it stops the engines and ends.
import { portsFromList } from './ports.ts';
import { superviseUntilSignal } from './supervisor.ts';

const [directory = '', nice, ...portTexts] = process.argv.slice(2);
const report = (line: string) => {
  console.log(`${new Date().toISOString()} ${line}`);
};
try {
  const ports = portsFromList(portTexts.map(Number));
  await superviseUntilSignal({ directory, ports, clickhouseNice: Number(nice), report });
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
