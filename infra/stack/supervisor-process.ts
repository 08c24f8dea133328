// The detached process behind `up`: supervisor-process.ts DIRECTORY PORT PORT PORT PORT, ports in the order of
// portList.
// Its launcher reads its output. At SIGTERM it stops the engines and ends.
import { portsFromList } from './processes/ports.ts';
import { superviseUntilSignal } from './processes/supervisor.ts';

const [directory = '', ...portTexts] = process.argv.slice(2);
const report = (line: string) => {
  console.log(`${new Date().toISOString()} ${line}`);
};
try {
  await superviseUntilSignal({ directory, ports: portsFromList(portTexts.map(Number)), report });
} catch (error) {
  console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
